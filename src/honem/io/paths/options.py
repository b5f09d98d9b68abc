"""What a reader may be told, in small frozen nouns; what has no meaning is refused before any file is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypedDict, TypeVar, get_args

from honem._internal.validation import require_between, require_one_of, require_whole
from honem.errors import ParameterError

Format = Literal["text", "ngram", "csv", "tsv", "parquet", "arrow", "jsonl"]
Back = Literal["drop", "replay"]
Lenience = Literal["error", "skip"]

MIB = 1024 * 1024


class ReadOptions(TypedDict, total=False):
    """Every option of `read_paths` beside its source; each is explained in the noun that holds it."""

    format: Format | None
    delimiter: str | None
    id_column: bool
    weighted: bool
    comment: str | None
    header: int
    empty: Lenience
    field: str | None
    entity: str | None
    time: str | None
    node: str | None
    weight: str | None
    lon: str | None
    lat: str | None
    grid: float | None
    grid_origin: tuple[float, float]
    missing: Lenience
    lowercase: bool
    max_gap: str | float | None
    back_token: str | None
    back: Back | None
    collapse_repeats: bool
    max_length: int | None
    min_length: int | None
    max_nodes: int
    max_line_bytes: int
    max_bytes: int | None
    max_expansion: int


@dataclass(frozen=True)
class TextLayout:
    """How a line of text is a sequence.

    `delimiter` None separates by runs of ASCII spaces and tabs; any other is split at exactly, and a field with nothing
    in it is then an error or, with `empty="skip"`, left out and counted. `id_column`: the first field names the
    sequence and is left out. `weighted`: the last field is the sequence's weight. Lines that begin with `comment` and
    the first `header` lines of each file are left out.
    """

    delimiter: str | None = None
    id_column: bool = False
    weighted: bool = False
    comment: str | None = None
    header: int = 0
    empty: Lenience = "error"

    def __post_init__(self) -> None:
        for name in ("delimiter", "comment"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value or "\n" in value or "\r" in value):
                raise ParameterError(
                    f"{name} must be a string of at least one character and no line end, not {value!r}"
                )
        require_whole("header", self.header, least=0)
        require_one_of("empty", self.empty, get_args(Lenience))


@dataclass(frozen=True)
class JsonLayout:
    """How a line of JSON is a sequence: a list, or with `field` an object that holds one, and perhaps its weight."""

    field: str | None = None
    weight: str | None = None

    def __post_init__(self) -> None:
        if self.weight is not None and self.field is None:
            raise ParameterError(
                f"weight={self.weight!r} names a field of an object: say which field holds the path too"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields that are needed, each once."""
        return tuple(dict.fromkeys(name for name in (self.field, self.weight) if name is not None))


@dataclass(frozen=True)
class EventLayout:
    """Which columns of a table, one row a visit, say who was where and when.

    Without `time` the rows of an entity stay in the order of the file. `lon`, `lat` and `grid` (the side of a cell in
    degrees) stand in for `node`: a cell is named `row_column`, rows counted northwards and columns eastwards from
    `grid_origin` (lon, lat). `missing` says what a row without entity, time, node or weight is: an error, or skipped
    and counted.
    """

    entity: str
    node: str | None = None
    time: str | None = None
    weight: str | None = None
    lon: str | None = None
    lat: str | None = None
    grid: float | None = None
    grid_origin: tuple[float, float] = (-180.0, -90.0)
    missing: Lenience = "error"
    delimiter: str | None = None

    def __post_init__(self) -> None:
        on_grid = [name for name in ("lon", "lat", "grid") if getattr(self, name) is not None]
        if self.node is not None and on_grid:
            raise ParameterError(f"node={self.node!r} and {on_grid[0]} both say where; give node, or lon, lat and grid")
        if self.node is None and len(on_grid) < 3:
            raise ParameterError("say where each visit was: node, or lon, lat and grid together")
        if self.grid is not None:
            require_between("grid", self.grid, 0)
        require_one_of("missing", self.missing, get_args(Lenience))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are needed, each once."""
        wanted = (self.entity, self.time, self.node, self.lon, self.lat, self.weight)
        return tuple(dict.fromkeys(name for name in wanted if name is not None))


@dataclass(frozen=True)
class Cleaning:
    """What is done to every sequence after reading, in the order of these fields; nothing unless asked for.

    `lowercase` names; cut where more than `max_gap` passes between two visits; resolve each `back_token` (`back`:
    "drop" the page that was left, or "replay" the page gone back to); `collapse_repeats`: a node followed by itself
    counts once; cut into pieces of at most `max_length` nodes; leave out what has fewer than `min_length`.
    """

    lowercase: bool = False
    max_gap: str | float | None = None
    back_token: str | None = None
    back: Back | None = None
    collapse_repeats: bool = False
    max_length: int | None = None
    min_length: int | None = None

    def __post_init__(self) -> None:
        if (self.back_token is None) != (self.back is None):
            raise ParameterError(
                f"back_token={self.back_token!r} and back={self.back!r} go together: which token is a back-click, "
                "and whether to 'drop' the page left or 'replay' the page gone back to"
            )
        if self.back is not None:
            require_one_of("back", self.back, get_args(Back))
        for name in ("max_length", "min_length"):
            if getattr(self, name) is not None:
                require_whole(name, getattr(self, name), least=1)

    @property
    def can_remove_nodes(self) -> bool:
        """Whether a node that was read may be in no sequence afterwards."""
        return self.back_token is not None or self.min_length is not None


@dataclass(frozen=True)
class Limits:
    """What protects the machine from a file that is not what it seems; every error names the option that raises it.

    `max_bytes` bounds what is read after decompression (None: no bound), `max_expansion` how many times larger than the
    compressed file that may be, once it exceeds 64 MiB.
    """

    max_nodes: int = 20_000_000
    max_line_bytes: int = 64 * MIB
    max_bytes: int | None = None
    max_expansion: int = 300

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if not (value is None and limit.name == "max_bytes"):
                require_whole(limit.name, value, least=1)


@dataclass(frozen=True)
class Settings:
    """All options of one reading, sorted into their nouns."""

    format: Format | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    cleaning: Cleaning = field(default_factory=Cleaning)
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Settings:
        """The options sorted; an unknown one is an error that lists the known ones."""
        known = tuple(ReadOptions.__annotations__)
        for name in options:
            if name not in known:
                raise ParameterError(f"unknown option {name!r}; the options of read_paths are {', '.join(known)}")
        if options.get("format") is not None:
            require_one_of("format", options["format"], get_args(Format))
        return cls(options.get("format"), options, pick(Cleaning, options), pick(Limits, options))

    def layout(self, noun: type[Layout], what: str, **defaults: Any) -> Layout:
        """The options as the layout of one format; what that format has no use for is refused, not dropped."""
        useful = names_of(noun) | names_of(Cleaning) | names_of(Limits) | {"format"}
        for name, value in self.given.items():
            if name not in useful and value not in (None, False, 0):
                usable = ", ".join(sorted(names_of(noun)))
                raise ParameterError(f"{name}={value!r} has no meaning for {what}, whose options are {usable}")
        return pick(noun, {**defaults, **{name: value for name, value in self.given.items() if value is not None}})


Layout = TypeVar("Layout", TextLayout, JsonLayout, EventLayout)
Noun = TypeVar("Noun")


def pick(noun: type[Noun], options: Mapping[str, Any]) -> Noun:
    """A noun made from those of the options that are its fields."""
    return noun(**{name: options[name] for name in names_of(noun) if name in options})


def names_of(noun: Any) -> set[str]:
    """The names of a noun's fields."""
    return {one.name for one in fields(noun)}
