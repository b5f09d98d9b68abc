"""explore: a store as one page, in a file or served."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honem.cli.options import Subparsers, new_command
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.explore import Source

PROJECTIONS = ("auto", "tsne", "pca")


def add_command(subparsers: Subparsers) -> None:
    """Add `honem explore`."""
    parser = new_command(
        subparsers, "explore", "make one page to look at a store with", "honem explore vectors -o page.html"
    )
    parser.add_argument("directory", metavar="DIR", help="a folder that `honem embed` wrote")
    parser.add_argument("-o", "--output", metavar="FILE", help="page to write (default DIR.html)")
    parser.add_argument("--labels", metavar="FILE", help="CSV or TSV with a header: nodes first, then columns to show")
    parser.add_argument("--names", metavar="COLUMN", help="column of --labels to call the nodes by")
    parser.add_argument("--coordinates", action="store_true", help="place nodes by the columns lon and lat of --labels")
    parser.add_argument("--evaluation", metavar="FOLDER", help="results of honem evaluate or reproduce to show")
    parser.add_argument(
        "--projection",
        choices=PROJECTIONS,
        default="auto",
        help="how vectors become a map (default auto: t-SNE up to 30,000 nodes, else principal axes)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of t-SNE and communities (default 0)")
    parser.add_argument("--serve", action="store_true", help="serve the page on this machine instead, with all rules")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of --serve (default: any free one)")
    parser.set_defaults(run=explore)


def explore(args: argparse.Namespace) -> None:
    """A store to a page."""
    from honem.explore import Source
    from honem.explore import explore as write_page

    if args.serve and args.output is not None:
        raise ParameterError("--serve writes no file; leave out -o, or --serve")
    if args.labels is None and (args.coordinates or args.names is not None):
        raise ParameterError("--coordinates and --names are columns of --labels FILE; name the file")
    pieces = ("labels", "names", "coordinates", "evaluation", "projection", "seed")
    options = {piece: getattr(args, piece) for piece in pieces}
    options["evaluation"] = results_in(args.evaluation)
    source = Source.of_store(args.directory)
    if source.memory is not None and not source.memory.exists() and args.projection != "pca" and not args.coordinates:
        print(f"making the map, which can take minutes; it is kept in {source.memory.name}", file=sys.stderr)
    if args.serve:
        serve(source, options, args.port)
        return
    output = Path(args.output or Path(args.directory).resolve().with_name(f"{source.title}.html"))
    written = write_page(source, output, **options)
    print(f"{written}: {written.stat().st_size / 1e6:.1f} MB; open it in a browser", file=sys.stderr)


def results_in(folder: str | None) -> list[list[Any]]:
    """The results of an evaluation, where a folder of them is given."""
    from honem.evaluation.results import read_results

    return [] if folder is None else read_results(folder)


def serve(source: Source, options: dict[str, Any], port: int) -> None:
    """The page on this machine until Ctrl-C."""
    from honem.explore import PageServer, content_of, page_of
    from honem.explore.content import Options

    with PageServer(port) as server:
        server.show(page_of(source.title), content_of(source, Options(**options)))
        print(f"{server.address} (Ctrl-C ends it)", flush=True)
        server.serve_forever()
