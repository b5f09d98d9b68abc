"""`honem network`: build a network from paths."""

from __future__ import annotations

import argparse

from honem.cli.extraction import add_extraction_options, extract, extraction_params
from honem.cli.options import Subparsers, new_command
from honem.cli.output import errors_about
from honem.cli.reading import add_reading_options, check_reading_options, read_with_progress
from honem.cli.streams import say
from honem.io.formats.registry import output_formats
from honem.io.formats.writing import plan_output, write_network


def add_command(subparsers: Subparsers) -> None:
    """Add `honem network`."""
    parser = new_command(
        subparsers, "network", "build a network from paths", "honem network paths.txt --kind hon -o edges.csv"
    )
    add_reading_options(parser)
    add_extraction_options(parser)
    parser.add_argument(
        "--kind",
        choices=("hon", "fon"),
        default="hon",
        help="higher-order network of the rules, or first-order network (default hon)",
    )
    extensions = ", ".join(format.extension for format in output_formats("network"))
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help=f"file to write; the format is inferred from the extension: {extensions}",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Read paths, build the network and write it."""
    from honem.network import first_order_network, higher_order_network

    params = extraction_params(args)
    with errors_about("--output"):
        plan_output(args.output, "network")
    check_reading_options(args)
    corpus, _ = read_with_progress(args)
    built = first_order_network(corpus) if args.kind == "fon" else higher_order_network(extract(corpus, params, args))
    write_network(built, args.output)
    say(f"{args.output}: {built.n_nodes} nodes, {built.n_edges} edges")
