"""`honem explore`: a page that shows a store, as a file or served."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from honem.cli.options import Subparsers, add_seed_option, add_store_argument, new_command, whole_number
from honem.cli.output import errors_about
from honem.cli.streams import say
from honem.embedding.projection import Projection
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.explore import Source

PAGE_OPTIONS = ("labels", "names", "coordinates", "evaluation", "projection", "seed")


def add_command(subparsers: Subparsers) -> None:
    """Add `honem explore`."""
    parser = new_command(
        subparsers, "explore", "make a page to explore a store in a browser", "honem explore vectors -o page.html"
    )
    add_store_argument(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="page to write (default DIR.html)")
    parser.add_argument(
        "--labels",
        metavar="FILE",
        help="CSV or TSV file with a header: nodes first, then columns to show (default: the labels of the model)",
    )
    parser.add_argument(
        "--names", metavar="COLUMN", help="column of the labels with names for the nodes (default: name, if it exists)"
    )
    parser.add_argument(
        "--coordinates",
        action=argparse.BooleanOptionalAction,
        help="show nodes on a map of the world, by the columns lon and lat of the labels (default: if they exist)",
    )
    parser.add_argument("--evaluation", metavar="FOLDER", help="results of `honem evaluate` or `reproduce` to show")
    parser.add_argument(
        "--projection",
        choices=get_args(Projection),
        default="auto",
        help="how vectors are projected (default auto: t-SNE up to 30,000 nodes, otherwise principal axes)",
    )
    add_seed_option(parser, "t-SNE and communities")
    parser.add_argument("--serve", action="store_true", help="serve the page on this machine instead, with all rules")
    parser.add_argument(
        "--port", type=whole_number(0, 65535), default=0, metavar="N", help="port for --serve (default: any free one)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Write or serve the page of a store."""
    from honem.explore import Source
    from honem.explore import explore as write_page

    _check_options(args)
    options = {name: getattr(args, name) for name in PAGE_OPTIONS} | {"evaluation": _results_in(args.evaluation)}
    source = Source.of_store(args.directory)
    if source.memory is not None and not source.memory.exists() and args.projection != "pca":
        say(f"computing the map, which can take minutes; it is kept in {source.memory.name}")
    if args.serve:
        _serve(source, options, args.port)
        return
    output = Path(args.output or Path(args.directory).resolve().with_name(f"{source.title}.html"))
    written = write_page(source, output, **options)
    say(f"{written}: {written.stat().st_size / 1e6:.1f} MB; open it in a browser")


def _check_options(args: argparse.Namespace) -> None:
    from honem.io.atomic import check_file_place

    if args.serve and args.output is not None:
        raise ParameterError("--serve writes no file; leave out either --serve or -o")
    if args.output is not None:
        with errors_about("--output"):
            check_file_place(args.output)


def _results_in(folder: str | None) -> list[list[Any]]:
    """Return the results of an evaluation, if a folder is given."""
    from honem.evaluation.results import read_results

    return [] if folder is None else read_results(folder)


def _serve(source: Source, options: dict[str, Any], port: int) -> None:
    """Serve the page until Ctrl-C."""
    from honem.explore import PageServer, content_of, page_of
    from honem.explore.content import Options

    with PageServer(port) as server:
        server.show(page_of(source.title), content_of(source, Options(**options)))
        print(f"{server.address} (Ctrl-C stops it)", flush=True)
        server.serve_forever()
