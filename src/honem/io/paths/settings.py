"""The options of one call of a reader, checked and grouped by what they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from honem._internal.option_names import option
from honem.errors import ParameterError
from honem.io.paths.options import Cleaning, EventLayout, JsonLayout, Limits, ReadOptions
from honem.io.paths.registry import input_formats, require_format

Group = TypeVar("Group")


@dataclass(frozen=True)
class Settings:
    """The options of one call of a reader, checked and grouped."""

    format: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    cleaning: Cleaning = field(default_factory=Cleaning)
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Settings:
        """Check and group options; raise ParameterError for an unknown one."""
        known = known_options()
        for name in options:
            if name not in known:
                raise ParameterError(f"unknown option {name!r}; the options of read_paths are {', '.join(known)}")
        if options.get("format") is not None:
            require_format(options["format"])
        return cls(options.get("format"), options, pick(Cleaning, options), pick(Limits, options))

    def layout(self, kind: type[Group], what: str, **defaults: Any) -> Group:
        """Return the options as a layout; raise ParameterError for an option that the layout does not have."""
        useful = field_names(kind) | field_names(Cleaning) | field_names(Limits) | {"format"}
        for name, value in self.given.items():
            if name not in useful and value not in (None, False, 0):
                usable = ", ".join(map(option, sorted(field_names(kind))))
                raise ParameterError(f"{option(name, value)} does not apply to {what} (options: {usable})")
        return pick(kind, {**defaults, **{name: value for name, value in self.given.items() if value is not None}})


def known_options() -> tuple[str, ...]:
    """Return the names of all options, including those of formats that were registered later."""
    of_formats = (name for format in input_formats() for name in format.options)
    return tuple(dict.fromkeys((*ReadOptions.__annotations__, *of_formats)))


def table_layout(settings: Settings) -> EventLayout | JsonLayout:
    """Return the layout of a table: one row per visit or, if `field` is given, one row per sequence."""
    if settings.given.get("field") is not None:
        return settings.layout(JsonLayout, "tables with one sequence per row")
    if settings.given.get("entity") is None:
        raise ParameterError(
            f"a table needs {option('entity')} and {option('node')} (one row per visit), "
            f"or {option('field')} (one row per sequence, as a list)"
        )
    return settings.layout(EventLayout, "event tables")


def pick(kind: type[Group], options: Mapping[str, Any]) -> Group:
    """Make a dataclass from those of the options that are its fields."""
    return kind(**{name: options[name] for name in field_names(kind) if name in options})


def field_names(kind: Any) -> set[str]:
    """Return the names of a dataclass's fields."""
    return {one.name for one in fields(kind)}
