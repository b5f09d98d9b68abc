"""Options of every command that reads paths, and the reading itself; `honem.io.paths` explains the options."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast, get_args

from honem._internal.memory import memory_for
from honem._internal.progress import Progress, TerminalProgress
from honem.cli.options import whole_number
from honem.cli.streams import say
from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.io.paths import ReadReport, from_query_with_report, read_paths_with_report
from honem.io.paths.databases import plan_query
from honem.io.paths.options import Back, Lenience, Limits, ReadOptions, TimeUnit
from honem.io.paths.reading import plan_reading
from honem.io.paths.registry import input_formats

if TYPE_CHECKING:
    from honem.rules.engines.distributed import SparkCorpus

LIMITS = Limits()


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add PATHS and the options that say how to read them."""
    parser.add_argument(
        "paths", metavar="PATHS", nargs="+", help="files of paths, quoted globs, or - for stdin; none with --query"
    )
    group = parser.add_argument_group("reading")
    names = [format.name for format in input_formats()]
    group.add_argument("--format", choices=names, help="input format (default: inferred from the file extension)")
    _add_text_options(group)
    _add_table_options(group)
    _add_query_options(parser.add_argument_group("reading from a database, instead of PATHS"))
    _add_cleaning_options(parser.add_argument_group("cleaning, applied in this order; by default nothing is changed"))
    _add_limits(parser.add_argument_group("limits"))


def _add_text_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--delimiter",
        metavar="TEXT",
        type=_delimiter,
        help=r"text between nodes, or character between columns; tab or \t is a tab (default: spaces and tabs)",
    )
    group.add_argument("--id-column", action="store_true", help="the first field is an id of the sequence; drop it")
    group.add_argument("--weighted", action="store_true", help="the last field is the weight of the sequence")
    group.add_argument("--comment", metavar="TEXT", help="skip lines that start with this text")
    group.add_argument("--header", metavar="N", type=whole_number(0), help="skip the first N lines of each file")
    group.add_argument(
        "--empty", choices=get_args(Lenience), help="how to treat empty fields between two delimiters (default error)"
    )
    group.add_argument("--field", metavar="NAME", help="JSON lines, Parquet, Arrow: field that holds the path")


def _add_table_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--entity", metavar="COLUMN", help="event tables: column of who moves")
    group.add_argument("--time", metavar="COLUMN", help="event tables: column to sort by (default: order of the rows)")
    group.add_argument(
        "--time-format",
        metavar="FORMAT",
        help="format of times, as in strptime: '%%d.%%m.%%Y %%H:%%M' (default ISO)",
    )
    group.add_argument("--time-unit", choices=get_args(TimeUnit), help="unit of numeric times, counted from 1970")
    group.add_argument("--day-first", action="store_true", help="written times begin with the day: 31/12/2024 18:30")
    group.add_argument("--node", metavar="COLUMN", help="event tables: column of the place visited")
    group.add_argument("--weight", metavar="COLUMN", help="event tables, JSON lines: weight of the sequence")
    group.add_argument(
        "--grid", metavar="CELL", help="nodes are cells around --lon and --lat: 0.01 (degrees), 500m, h3:8, geohash:6"
    )
    group.add_argument("--lon", metavar="COLUMN", help="column of longitudes, for --grid")
    group.add_argument("--lat", metavar="COLUMN", help="column of latitudes, for --grid")
    group.add_argument(
        "--grid-origin", metavar=("LON", "LAT"), nargs=2, type=float, help="corner of cell 0_0 (default -180 -90)"
    )
    group.add_argument(
        "--missing", choices=get_args(Lenience), help="how to treat rows with a missing value (default error)"
    )


def _add_query_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--query", metavar="SQL", help="query with one row per visit; name its columns as for tables")
    group.add_argument(
        "--database",
        metavar="URL",
        help="what to query: a file of SQLite, or a URL: sqlite:///FILE, duckdb:///FILE, postgresql://USER@HOST/NAME, "
        "or any that SQLAlchemy knows",
    )


def _add_cleaning_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--lowercase", action="store_true", help="convert names to lower case")
    group.add_argument(
        "--max-gap", metavar="TIME", type=_gap, help="cut where more time passes between visits: 90s, 30min, 6h, 2d"
    )
    group.add_argument("--back-token", metavar="TEXT", help="node that marks a back-click")
    group.add_argument(
        "--back", choices=get_args(Back), help="drop the page that was left, or replay the page returned to"
    )
    group.add_argument("--collapse-repeats", action="store_true", help="count a node that follows itself once")
    group.add_argument(
        "--max-length", metavar="N", type=whole_number(1), help="cut sequences into pieces of at most N nodes"
    )
    group.add_argument("--min-length", metavar="N", type=whole_number(1), help="remove sequences of fewer than N nodes")
    group.add_argument(
        "--min-entities",
        metavar="K",
        type=whole_number(1),
        help="privacy: cut sequences so that everything left was done by at least K entities",
    )


def _add_limits(group: argparse._ArgumentGroup) -> None:
    for name, what in (
        ("max_nodes", "number of distinct nodes"),
        ("max_line_bytes", "bytes in one line"),
        ("max_bytes", "bytes after decompression"),
        ("max_expansion", "times that a compressed file may grow"),
    ):
        default = getattr(LIMITS, name) or "no limit"
        group.add_argument(
            f"--{name.replace('_', '-')}", metavar="N", type=whole_number(1), help=f"maximum {what} (default {default})"
        )


def check_reading_options(args: argparse.Namespace) -> None:
    """Raise ParameterError if an option of reading is wrong; opens no file."""
    if _is_query(args):
        plan_query(args.query, given_options(args))
    elif getattr(args, "engine", None) == "spark":
        _check_spark_options(args)
    else:
        plan_reading(args.paths, given_options(args))


def _is_query(args: argparse.Namespace) -> bool:
    """Return whether paths come from a database; raise ParameterError if it is not clear where they come from."""
    if args.query is None and args.database is None:
        return False
    if args.query is None or args.database is None:
        raise ParameterError("--query and --database must be given together: the SQL, and where to run it")
    if args.paths:
        raise ParameterError(f"PATHS ({args.paths[0]}) and --query cannot be combined; give one of them")
    if getattr(args, "engine", None) == "spark":
        raise ParameterError("--query is read on this machine; leave out --engine spark, or query with Spark itself")
    return True


def read_corpus(args: argparse.Namespace, progress: Progress | None = None) -> tuple[Corpus, ReadReport]:
    """Read the paths with the given options."""
    with memory_for("reading the paths"):
        if _is_query(args):
            options = cast(ReadOptions, given_options(args))
            return from_query_with_report(args.database, args.query, progress=progress, **options)
        return read_paths_with_report(args.paths, progress=progress, **cast(ReadOptions, given_options(args)))


def read_with_progress(args: argparse.Namespace) -> tuple[Corpus, ReadReport]:
    """Read the paths with a progress bar, and print the report to stderr."""
    with TerminalProgress() as progress:
        corpus, report = read_corpus(args, progress)
    say(str(report))
    return corpus, report


@contextmanager
def opened_corpus(args: argparse.Namespace) -> Iterator[tuple[Corpus | SparkCorpus, dict[str, Any]]]:
    """Read the paths here or on Spark; yields the corpus and facts about the input."""
    if args.engine != "spark":
        corpus, report = read_with_progress(args)
        yield corpus, report.to_dict()
        return
    with _read_on_spark(args) as there:
        say(f"{there.n_sequences} sequences, {there.n_nodes} nodes")
        yield there, {"paths": args.paths}


def _read_on_spark(args: argparse.Namespace) -> SparkCorpus:
    from honem.rules.engines.distributed import SparkCorpus, find_session

    # A warning of PySpark about its pandas functions, which are not used here.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    return SparkCorpus.read(args.paths, find_session(args.master), **given_options(args))


def _check_spark_options(args: argparse.Namespace) -> None:
    """Raise ParameterError for options of formats and cleaning steps that Spark does not have."""
    from honem.rules.engines.distributed.executors.spark.frames import SPARK_OPTIONS

    for name in given_options(args).keys() - set(SPARK_OPTIONS):
        known = ", ".join(_flag(option) for option in SPARK_OPTIONS)
        raise ParameterError(
            f"{_flag(name)} does not apply to --engine spark, which supports {known}; "
            "clean the paths before, or with Spark itself"
        )


def given_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of reading that were given; the readers have defaults for the others."""
    given: dict[str, Any] = {name: getattr(args, name) for name in ReadOptions.__annotations__}
    if given["grid_origin"] is not None:
        given["grid_origin"] = tuple(given["grid_origin"])
    return {name: value for name, value in given.items() if value is not None and value is not False}


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _delimiter(text: str) -> str:
    # A tab is hard to type in a shell.
    return "\t" if text == "tab" else text.replace("\\t", "\t")


def _gap(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
