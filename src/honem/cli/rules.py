"""`honem rules`: extract rules from paths."""

from __future__ import annotations

import argparse

from honem.cli.extraction import add_extraction_options, extract, extraction_params
from honem.cli.options import Subparsers, new_command
from honem.cli.output import errors_about, say, shown_orders
from honem.cli.reading import add_reading_options, check_reading_options, opened_corpus
from honem.io.formats.registry import output_formats
from honem.io.formats.writing import plan_output, write_rules


def add_command(subparsers: Subparsers) -> None:
    """Add `honem rules`."""
    parser = new_command(
        subparsers, "rules", "find the histories that change what comes next", "honem rules paths.txt -o rules.csv"
    )
    add_reading_options(parser)
    add_extraction_options(parser, on_spark=True)
    extensions = ", ".join(format.extension for format in output_formats("rules"))
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help=f"file to write; the format is inferred from the extension: {extensions} (default: JSON lines on stdout)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Read paths, extract rules and write them."""
    params = extraction_params(args)
    with errors_about("--output"):
        plan_output(args.output, "rules")
    check_reading_options(args)
    with opened_corpus(args) as (corpus, _):
        table = extract(corpus, params, args)
    write_rules(table, args.output)
    say(f"{table.n_rules} rules, {len(table)} rows; by order: {shown_orders(table)}")
