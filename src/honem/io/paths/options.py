"""Options of the readers as small frozen dataclasses; wrong values are refused before any file is opened."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import datetime
from typing import ClassVar, Literal, TypedDict, get_args

from honem._internal.option_names import option
from honem._internal.validation import require_one_of, require_whole
from honem.errors import ParameterError
from honem.io.paths.durations import parse_duration
from honem.io.paths.grids import ORIGIN, Grid, make_grid

Back = Literal["drop", "replay"]
Lenience = Literal["error", "skip"]
TimeUnit = Literal["s", "ms", "us", "ns"]

MIB = 1024 * 1024


class ReadOptions(TypedDict, total=False):
    """Options of `read_paths`; they are explained in TextLayout, JsonLayout, EventLayout, Cleaning and Limits."""

    format: str | None
    delimiter: str | None
    id_column: bool
    weighted: bool
    comment: str | None
    header: int
    empty: Lenience
    field: str | None
    entity: str | None
    time: str | None
    time_format: str | None
    time_unit: TimeUnit | None
    day_first: bool
    node: str | None
    weight: str | None
    lon: str | None
    lat: str | None
    grid: float | str | None
    grid_origin: tuple[float, float]
    missing: Lenience
    lowercase: bool
    max_gap: str | float | None
    back_token: str | None
    back: Back | None
    collapse_repeats: bool
    max_length: int | None
    min_length: int | None
    min_entities: int | None
    max_nodes: int
    max_line_bytes: int
    max_bytes: int | None
    max_expansion: int


@dataclass(frozen=True)
class TextLayout:
    """How to parse a line of text as a sequence.

    Parameters
    ----------
    delimiter : str, optional
        Text between two nodes. Lines are split at every occurrence of it. Default: runs of ASCII spaces and tabs.
    id_column : bool, default=False
        Whether the first field is an id of the sequence, which is left out.
    weighted : bool, default=False
        Whether the last field is the weight of the sequence, a positive whole number.
    comment : str, optional
        Lines that start with this text are skipped. Default: none.
    header : int, default=0
        Number of lines to skip at the start of each file.
    empty : {"error", "skip"}, default="error"
        What to do with an empty field, where nothing is between two delimiters. Skipped fields are counted.
    """

    has_times: ClassVar[bool] = False

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
                    f"{option(name)} must be a string of at least one character without a line end, not {value!r}"
                )
        require_whole("header", self.header, least=0)
        require_one_of("empty", self.empty, get_args(Lenience))


@dataclass(frozen=True)
class JsonLayout:
    """How to parse a line of JSON, or a row of a table with a column of lists, as a sequence.

    Parameters
    ----------
    field : str, optional
        Field of the object, or column of the table, that holds the list of nodes. Default: the line itself is a list.
    weight : str, optional
        Field or column that holds the weight of the sequence. Default: every sequence has weight 1.
    """

    has_times: ClassVar[bool] = False

    field: str | None = None
    weight: str | None = None

    def __post_init__(self) -> None:
        if self.weight is not None and self.field is None:
            raise ParameterError(
                f"{option('weight', self.weight)} names a field; name the {option('field')} with the path, too"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the fields that are read."""
        return tuple(dict.fromkeys(name for name in (self.field, self.weight) if name is not None))


@dataclass(frozen=True)
class EventLayout:
    """Which columns of a table with one row per visit hold the entity, the node and the time.

    Parameters
    ----------
    entity : str
        Column of who moves. Each entity becomes one sequence.
    node : str, optional
        Column of the place visited. Required unless `lon`, `lat` and `grid` are given.
    time : str, optional
        Column to sort the visits of an entity by. Default: the rows of an entity stay in the order of the file.
    time_format : str, optional
        Format of written times in the codes of `datetime.strptime`, such as "%d.%m.%Y %H:%M". Default: numbers, ISO
        dates or timestamps.
    time_unit : {"s", "ms", "us", "ns"}, optional
        Unit of numeric times, which are then counted from 1970. Default: times are numbers of an unknown unit.
    day_first : bool, default=False
        Whether written times begin with the day: 31/12/2024, 31.12.2024 or 31-12-2024, with or without a time of day.
    weight : str, optional
        Column of the weight of the sequence, the same on all rows of an entity. Default: weight 1.
    lon, lat : str, optional
        Columns of longitude and latitude, in degrees, for `grid`.
    grid : float or str, optional
        Cells that become nodes: their side in degrees, at least 1e-9 (0.01), or in metres ("500m", "2km"), an H3
        resolution ("h3:8") or a length of geohashes ("geohash:6"). Cells in degrees and metres are named
        `row_column`; rows are counted northwards and columns eastwards from `grid_origin`.
    grid_origin : tuple of float, default=(-180.0, -90.0)
        Longitude and latitude of the corner of cell `0_0`, for cells in degrees and metres.
    missing : {"error", "skip"}, default="error"
        What to do with a row that lacks one of these values. Skipped rows are counted.
    delimiter : str, optional
        Character between two columns of a CSV or TSV file. Default: `,` for CSV, a tab for TSV.
    """

    entity: str
    node: str | None = None
    time: str | None = None
    weight: str | None = None
    lon: str | None = None
    lat: str | None = None
    grid: float | str | None = None
    grid_origin: tuple[float, float] = ORIGIN
    missing: Lenience = "error"
    delimiter: str | None = None
    time_format: str | None = None
    time_unit: TimeUnit | None = None
    day_first: bool = False

    def __post_init__(self) -> None:
        on_grid = [name for name in ("lon", "lat", "grid") if getattr(self, name) is not None]
        if self.node is not None and on_grid:
            raise ParameterError(
                f"{option('node', self.node)} and {option(on_grid[0])} cannot be combined; give {option('node')}, "
                f"or {option('lon')}, {option('lat')} and {option('grid')}"
            )
        if self.node is None and len(on_grid) < 3:
            raise ParameterError(
                f"an event table needs the place of each visit: give {option('node')}, or {option('lon')}, "
                f"{option('lat')} and {option('grid')} together"
            )
        make_grid(1.0 if self.grid is None else self.grid, self.grid_origin)
        require_one_of("missing", self.missing, get_args(Lenience))
        self._require_one_kind_of_times()

    def _require_one_kind_of_times(self) -> None:
        given = [name for name in ("time_format", "time_unit", "day_first") if getattr(self, name)]
        if self.time_unit is not None:
            require_one_of("time_unit", self.time_unit, get_args(TimeUnit))
        if self.time_format is not None:
            _require_format(self.time_format)
        if len(given) > 1:
            raise ParameterError(f"{option(given[0])} and {option(given[1])} cannot be combined; give one of them")
        if given and self.time is None:
            raise ParameterError(f"{option(given[0])} needs {option('time')}, the column of times")

    @property
    def has_times(self) -> bool:
        """Whether the visits have times."""
        return self.time is not None

    @property
    def cells(self) -> Grid:
        """The cells that are nodes, if positions are given."""
        return make_grid(self.grid, self.grid_origin)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are read."""
        wanted = (self.entity, self.time, self.node, self.lon, self.lat, self.weight)
        return tuple(dict.fromkeys(name for name in wanted if name is not None))


def _require_format(given: object) -> None:
    """Raise ParameterError unless Python knows each code of a format, and it has none twice."""
    wrong = None if isinstance(given, str) and "%" in given and "\0" not in given else ""
    try:
        str(given).encode()
        datetime.strptime("", str(given))
    except UnicodeEncodeError:
        wrong = ""
    except re.error:  # of the pattern that Python makes of a format
        wrong = " (a code occurs twice)"
    except ValueError as error:
        if wrong is None and not str(error).startswith("time data"):  # which says that "" is no time, as it should
            wrong = " (a code is not known)"
    if wrong is not None:
        raise ParameterError(
            f"{option('time_format')} must be a format of datetime.strptime such as '%d.%m.%Y %H:%M', "
            f"not {given!r:.60}{wrong}"
        )


@dataclass(frozen=True)
class Cleaning:
    """Cleaning steps that are applied to every sequence, in the order of these parameters; by default none.

    Parameters
    ----------
    lowercase : bool, default=False
        Convert names to lower case.
    max_gap : str or float, optional
        Cut a sequence where more than this time passes between two visits: "90s", "30min", "6h", "2d", "1w", or a
        number in the unit of the time column (seconds for timestamps).
    back_token : str, optional
        Node that marks a back-click. Requires `back`.
    back : {"drop", "replay"}, optional
        How to resolve a back-click: drop the page that was left, or repeat the page that was returned to.
    collapse_repeats : bool, default=False
        Count a node that follows itself once.
    max_length : int, optional
        Cut sequences into pieces of at most this many nodes.
    min_length : int, optional
        Remove sequences with fewer nodes than this.
    min_entities : int, optional
        Cut sequences so that every run of nodes in them is one of at least this many entities.
    """

    lowercase: bool = False
    max_gap: str | float | None = None
    back_token: str | None = None
    back: Back | None = None
    collapse_repeats: bool = False
    max_length: int | None = None
    min_length: int | None = None
    min_entities: int | None = None

    def __post_init__(self) -> None:
        if (self.back_token is None) != (self.back is None):
            raise ParameterError(
                f"{option('back_token')} and {option('back')} must be given together: the node for a back-click, "
                "and whether to 'drop' the page left or 'replay' the page returned to"
            )
        if self.back is not None:
            require_one_of("back", self.back, get_args(Back))
        if self.max_gap is not None:
            parse_duration("max_gap", self.max_gap)
        for name in ("max_length", "min_length", "min_entities"):
            if getattr(self, name) is not None:
                require_whole(name, getattr(self, name), least=1)

    @property
    def can_remove_nodes(self) -> bool:
        """Whether a node that was read may be in no sequence after cleaning."""
        return self.back_token is not None or self.min_length is not None


@dataclass(frozen=True)
class Limits:
    """Limits that protect the machine from unexpected files; every error names the option that raises the limit.

    Parameters
    ----------
    max_nodes : int, default=20_000_000
        Number of distinct nodes.
    max_line_bytes : int, default=67_108_864
        Bytes in one line.
    max_bytes : int, optional
        Bytes read after decompression. Default: no limit.
    max_expansion : int, default=300
        How many times larger than the compressed file its content may be, once it exceeds 64 MiB.
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
