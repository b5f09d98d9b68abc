"""The options of every command that reads paths, and the reading itself; what they mean is said in `honem.io.paths`."""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING, Any, cast, get_args

from honem._internal.progress import Progress
from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.io.paths import ReadReport, read_paths_with_report
from honem.io.paths.options import Back, Format, Lenience, Limits, ReadOptions

if TYPE_CHECKING:
    from honem.rules.engines.distributed import SparkCorpus

LIMITS = Limits()


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add PATHS and everything that says how to read them."""
    parser.add_argument("paths", metavar="PATHS", nargs="+", help="files of paths, globs in quotes, or - for stdin")
    group = parser.add_argument_group("reading")
    group.add_argument("--format", choices=get_args(Format), help="told from the file name unless said here")
    _add_text_options(group)
    _add_table_options(group)
    _add_cleaning_options(parser.add_argument_group("cleaning, in this order; nothing unless asked for"))
    _add_limits(parser.add_argument_group("limits"))


def _add_text_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--delimiter", metavar="TEXT", type=_delimiter, help=r"between nodes, or columns; \t is a tab (default: blanks)"
    )
    group.add_argument("--id-column", action="store_true", help="the first field names the sequence; leave it out")
    group.add_argument("--weighted", action="store_true", help="the last field is the weight of the sequence")
    group.add_argument("--comment", metavar="TEXT", help="skip lines that begin with this")
    group.add_argument("--header", metavar="N", type=int, help="skip the first N lines of each file")
    group.add_argument("--empty", choices=get_args(Lenience), help="nothing between two delimiters (default: error)")
    group.add_argument("--field", metavar="NAME", help="JSON lines, Parquet, Arrow: the field that holds the path")


def _add_table_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--entity", metavar="COLUMN", help="event tables: who moves")
    group.add_argument("--time", metavar="COLUMN", help="event tables: when (default: the rows are in order)")
    group.add_argument("--node", metavar="COLUMN", help="event tables: where")
    group.add_argument("--weight", metavar="COLUMN", help="event tables, JSON lines: the weight of the sequence")
    group.add_argument(
        "--grid", metavar="DEGREES", type=float, help="nodes are cells of this size, from --lon and --lat"
    )
    group.add_argument("--lon", metavar="COLUMN", help="longitude, for --grid")
    group.add_argument("--lat", metavar="COLUMN", help="latitude, for --grid")
    group.add_argument(
        "--grid-origin", metavar=("LON", "LAT"), nargs=2, type=float, help="corner of cell 0_0 (default: -180 -90)"
    )
    group.add_argument("--missing", choices=get_args(Lenience), help="rows without a value (default: error)")


def _add_cleaning_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--lowercase", action="store_true", help="names in lower case")
    group.add_argument("--max-gap", metavar="TIME", type=_gap, help="cut where more time passes: 6h, 30min, 90s, 2d")
    group.add_argument("--back-token", metavar="TEXT", help="this node is a back-click")
    group.add_argument("--back", choices=get_args(Back), help="drop the page left, or replay the page gone back to")
    group.add_argument("--collapse-repeats", action="store_true", help="a node that follows itself counts once")
    group.add_argument("--max-length", metavar="N", type=int, help="cut into pieces of at most N nodes")
    group.add_argument("--min-length", metavar="N", type=int, help="leave out what has fewer than N nodes")


def _add_limits(group: argparse._ArgumentGroup) -> None:
    for name, what in (
        ("max_nodes", "distinct nodes"),
        ("max_line_bytes", "bytes in a line"),
        ("max_bytes", "bytes after decompression"),
        ("max_expansion", "times that a compressed file may grow"),
    ):
        default = getattr(LIMITS, name) or "no limit"
        group.add_argument(
            f"--{name.replace('_', '-')}", metavar="N", type=int, help=f"most {what} (default: {default})"
        )


def read_corpus(args: argparse.Namespace, progress: Progress | None = None) -> tuple[Corpus, ReadReport]:
    """Read what the options say."""
    said = said_options(args)
    if "grid_origin" in said:
        said["grid_origin"] = tuple(said["grid_origin"])
    return read_paths_with_report(args.paths, progress=progress, **cast(ReadOptions, said))


def read_on_spark(args: argparse.Namespace) -> SparkCorpus:
    """The same, where Spark runs; it reads fewer formats and cleans nothing."""
    from honem.rules.engines.distributed import SparkCorpus, find_session
    from honem.rules.engines.distributed.frames import SPARK_OPTIONS

    said = said_options(args)
    for name in said.keys() - set(SPARK_OPTIONS):
        raise ParameterError(
            f"--{name.replace('_', '-')} is not for --engine spark, which knows {', '.join(SPARK_OPTIONS)}; "
            "clean the paths before, or with Spark itself"
        )
    # PySpark says so of its pandas functions, which are not used here.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    return SparkCorpus.read(args.paths, find_session(args.master), **said)


def said_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of reading that were given; what was not said is left to the readers' own defaults."""
    given: dict[str, Any] = {name: getattr(args, name) for name in ReadOptions.__annotations__}
    return {name: value for name, value in given.items() if value is not None and value is not False}


def _delimiter(text: str) -> str:
    # A tab is hard to type in a shell.
    return text.replace("\\t", "\t")


def _gap(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
