"""The registry of input formats: how files of paths are read, and how to find a format by name or file extension."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from honem._internal.validation import require_one_of
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.io.paths.building import Parsed
    from honem.io.paths.settings import Settings
    from honem.io.paths.sources import Stream

DEFAULT_FORMAT = "text"
"""The format of files whose extension belongs to no format."""


@dataclass(frozen=True, kw_only=True)
class InputFormat:
    """What all input formats have in common; a format is a `SequenceFormat` or a `TableFormat`.

    Parameters
    ----------
    name : str
        Name of the format, as in ``honem info --format NAME``.
    extensions : tuple of str
        File extensions from which the format is inferred, with their dots and in lower case. A compression extension
        after it (`.gz`, `.zst`) is ignored.
    description : str
        One line that says what such a file contains.
    layouts : tuple of type
        Dataclasses whose fields are the options that this format understands.
    layout : callable
        Called as ``layout(settings)`` before any file is opened; checks the options and returns an instance of one of
        `layouts`, which is passed to `read`.
    resolve : callable, optional
        Called as ``resolve(shown_name, settings)`` when the format was inferred from a file extension; returns the
        name of the format to use, or raises ParameterError if the options do not fit. Default: this format.
    """

    name: str
    extensions: tuple[str, ...]
    description: str
    layouts: tuple[type, ...]
    layout: Callable[[Settings], Any]
    resolve: Callable[[str, Settings], str] | None = None

    @property
    def options(self) -> list[str]:
        """Names of the options that the format understands."""
        return list(dict.fromkeys(one.name for layout in self.layouts for one in fields(layout)))


@dataclass(frozen=True, kw_only=True)
class SequenceFormat(InputFormat):
    """A format whose files are read one after the other, batch by batch.

    Parameters
    ----------
    read : callable
        Called as ``read(stream, layout)`` with the decompressed content of one file; yields pairs of a `Labelled`
        batch of sequences and a Counter of what was counted on the way (names of fields of `ReadReport`).
    """

    read: Callable[[Stream, Any], Iterator[Parsed]]


@dataclass(frozen=True, kw_only=True)
class TableFormat(InputFormat):
    """A format whose files are parts of one table, with one row per visit or one row per sequence.

    The layout is an `EventLayout` or a `JsonLayout`.

    Parameters
    ----------
    read : callable
        Called as ``read(stream, layout)`` with the decompressed content of one file; returns a `pyarrow.Table` with
        the columns ``layout.columns``.
    """

    read: Callable[[Stream, Any], Any]


_FORMATS: dict[str, InputFormat] = {}


def register(format: InputFormat) -> InputFormat:
    """Make a format available to `read_paths` and to every command that reads paths.

    Parameters
    ----------
    format : SequenceFormat or TableFormat
        The format to add.

    Returns
    -------
    InputFormat
        The same format.

    Raises
    ------
    ParameterError
        If another format has the same name or one of its file extensions.
    """
    for other in input_formats():
        if format.name == other.name or not set(format.extensions).isdisjoint(other.extensions):
            raise ParameterError(
                f"there is already the input format {other.name} ({', '.join(other.extensions)}); "
                "choose another name and extension"
            )
    _FORMATS[format.name] = format
    return format


def unregister(format: InputFormat) -> None:
    """Remove a registered format."""
    del _FORMATS[format.name]


def input_formats() -> list[InputFormat]:
    """Return the registered formats by name."""
    return sorted(_FORMATS.values(), key=lambda format: format.name)


def require_format(name: str) -> None:
    """Raise ParameterError unless there is a format of this name."""
    require_one_of("format", name, tuple(_FORMATS))


def format_named(name: str) -> InputFormat:
    """Return the format of this name, or raise ParameterError."""
    require_format(name)
    return _FORMATS[name]


def format_with_extension(extension: str) -> InputFormat:
    """Return the format of a file extension; text if it belongs to none."""
    fitting = (format for format in input_formats() if extension in format.extensions)
    return next(fitting, _FORMATS[DEFAULT_FORMAT])
