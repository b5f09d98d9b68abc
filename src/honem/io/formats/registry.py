"""The registry of output formats: what each one writes, and how to find one by name or file extension."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from honem._internal.option_names import option
from honem._internal.validation import require_one_of
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem._internal.path_like import PathLike

OutputKind = Literal["vectors", "network", "rules", "profile"]
"""What a file holds. Where an extension is used for several kinds, the first of them is the default."""

KINDS: tuple[OutputKind, ...] = get_args(OutputKind)


@dataclass(frozen=True)
class OutputFormat:
    r"""One file format for one kind of content.

    Parameters
    ----------
    name : str
        Name of the format, as in ``honem export --format NAME``.
    kind : {"vectors", "network", "rules", "profile"}
        What `write` takes: an `Embedding`, a `Network`, a `RuleTable` or a `NodeProfile`.
    extension : str
        File extension from which the format is inferred, with its dot and in lower case.
    description : str
        One line that says what the format is for.
    write : callable
        Called as ``write(content, path, **options)``. It must write files atomically, and accept ``"-"`` as the path
        if `to_stdout` is true; `honem.io.formats.text.output` does both.
    options : tuple of str, default=()
        Keyword arguments of `write` that a user may set: "vectors" (which vectors of a node), "order" (order of the
        rules), "spreadsheet_safe" (protect names from being taken for formulas), "labels" (facts about the nodes, which
        `honem export` takes from the store), or others.
    to_stdout : bool, default=True
        Whether the format is a single text that can be written to stdout.

    Examples
    --------
    >>> from honem.io.formats.registry import OutputFormat, output_formats, register, unregister
    >>> def write_names(embedding, path):
    ...     with open(path, "w") as file:
    ...         file.writelines(f"{node}\n" for node in embedding.nodes)
    >>> names = register(OutputFormat("names", "vectors", ".names", "one node per line", write_names, to_stdout=False))
    >>> names in output_formats("vectors")
    True
    >>> unregister(names)
    """

    name: str
    kind: OutputKind
    extension: str
    description: str
    write: Callable[..., None]
    options: tuple[str, ...] = ()
    to_stdout: bool = True

    def __post_init__(self) -> None:
        require_one_of("kind", self.kind, KINDS)
        if not self.extension.startswith(".") or self.extension != self.extension.lower():
            raise ParameterError(f"extension must be lower case and start with a dot, not {self.extension!r}")

    def require_options(self, given: Iterable[str]) -> None:
        """Raise ParameterError if an option is given that this format does not have."""
        for name in given:
            if name not in self.options:
                known = ", ".join(map(option, self.options)) or "none"
                raise ParameterError(f"{option(name)} does not apply to {self.kind} as {self.name} (options: {known})")


_FORMATS: dict[tuple[OutputKind, str], OutputFormat] = {}


def register(format: OutputFormat) -> OutputFormat:
    """Make a format available to `write_vectors`, `write_rules`, `write_network`, `write_profile` and `honem export`.

    Parameters
    ----------
    format : OutputFormat
        The format to add.

    Returns
    -------
    OutputFormat
        The same format.

    Raises
    ------
    ParameterError
        If a format of the same kind has the same name or file extension.
    """
    for other in output_formats(format.kind):
        if format.name == other.name or format.extension == other.extension:
            raise ParameterError(
                f"{format.kind} can already be written as {other.name} ({other.extension}); "
                "choose another name and extension"
            )
    _FORMATS[format.kind, format.name] = format
    return format


def unregister(format: OutputFormat) -> None:
    """Remove a registered format."""
    del _FORMATS[format.kind, format.name]


def output_formats(kind: OutputKind | None = None) -> list[OutputFormat]:
    """Return the registered formats, or those of one kind, by kind and name."""
    wanted = (format for format in _FORMATS.values() if kind in (None, format.kind))
    return sorted(wanted, key=lambda format: (KINDS.index(format.kind), format.name))


def find_format(path: PathLike, name: str | None = None, kind: OutputKind | None = None) -> OutputFormat:
    """Return the format of that name or, without one, the format that the extension of a path belongs to.

    Parameters
    ----------
    path : str or os.PathLike
        The file to be written.
    name : str, optional
        Name of the format. Default: inferred from the file extension.
    kind : {"vectors", "network", "rules", "profile"}, optional
        What is written. Default: the first kind that the format exists for.

    Returns
    -------
    OutputFormat

    Raises
    ------
    ParameterError
        If there is no such format.
    """
    found = next(_matches(os.fspath(path), name, output_formats(kind)), None)
    if found is not None:
        return found
    of_kind = f" for {kind}" if kind else ""
    if name is not None:
        known = ", ".join(dict.fromkeys(repr(format.name) for format in output_formats(kind)))
        raise ParameterError(f"{option('format')} must be one of {known}{of_kind}, not {name!r}")
    extensions = ", ".join(dict.fromkeys(format.extension for format in output_formats(kind)))
    extension = _extension(path)
    raise ParameterError(
        f"{option('path')} {os.fspath(path)!r} has {f'the extension {extension!r}' if extension else 'no extension'}, "
        f"from which no format{of_kind} can be inferred; use one of {extensions}"
    )


def _matches(path: str, name: str | None, formats: list[OutputFormat]) -> Iterator[OutputFormat]:
    extension = _extension(path)
    return (format for format in formats if (format.extension == extension if name is None else format.name == name))


def _extension(path: PathLike) -> str:
    return os.path.splitext(os.fspath(path))[1].lower()
