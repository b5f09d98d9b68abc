"""`honem rules`: extract rules from paths."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from honem._internal.words import amount
from honem.cli.extraction import add_extraction_options, extract, extraction_params
from honem.cli.labels import add_label_options, checked_labels
from honem.cli.options import Subparsers, new_command, whole_number
from honem.cli.output import errors_about, shown_orders
from honem.cli.reading import add_reading_options, check_reading_options, opened_corpus
from honem.cli.streams import say, show
from honem.corpus import Vocabulary
from honem.io.formats.registry import output_formats
from honem.io.formats.text import STDOUT
from honem.io.formats.writing import plan_output, write_rules
from honem.rules.findings import FindingOrder

if TYPE_CHECKING:
    from honem.io.tables import NodeTable
    from honem.rules import RuleTable

STRONGEST = 20


def add_command(subparsers: Subparsers) -> None:
    """Add `honem rules`."""
    parser = new_command(
        subparsers, "rules", "find the histories that change what comes next", "honem rules paths.txt --top 20"
    )
    add_reading_options(parser)
    add_extraction_options(parser, on_spark=True)
    add_label_options(parser.add_argument_group("labels: with names, rules are written with them"))
    parser.add_argument(
        "--top",
        type=whole_number(1),
        metavar="N",
        help="only the N strongest accepted rules of order 2 or more, strongest first; on a terminal, as a table",
    )
    parser.add_argument(
        "--by",
        choices=get_args(FindingOrder),
        help="what --top ranks by: the evidence for a rule, the bits it saves in total, its divergence or its support "
        f"(default evidence); without --top, the {STRONGEST} strongest",
    )
    extensions = ", ".join(format.extension for format in output_formats("rules"))
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default=STDOUT,
        help=f"file to write; the format is inferred from the extension: {extensions} (default: JSON lines on stdout)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Read paths, extract rules and write them."""
    params = extraction_params(args)
    if args.by is not None and args.top is None:
        args.top = STRONGEST
    with errors_about("--output"):
        plan_output(args.output, "rules")
    check_reading_options(args)
    labels = checked_labels(args)
    with opened_corpus(args) as (corpus, _):
        table = named_rules(extract(corpus, params, args), labels, args.names)
    if args.top is None:
        write_rules(table, args.output)
    else:
        _write_top(table, args)
    n_accepted = int((table.accepted & (table.orders > 1)).sum())
    say(
        f"{amount(n_accepted, f'{table.params.acceptance.accepted_word} rule')} of order 2 or more, "
        f"{amount(table.n_rules, 'rule')} in all; by order: {shown_orders(table)}"
    )


def named_rules(table: RuleTable, labels: NodeTable | None, names: str | None) -> RuleTable:
    """Return rules in which nodes are shown by their names, if they have any."""
    from honem.io.node_labels import labels_for

    found = labels_for(labels, names, table.vocabulary)
    shown = None if found is None else found.node_names
    return table if shown is None else replace(table, vocabulary=Vocabulary(tuple(map(str, shown.shown))))


def _write_top(table: RuleTable, args: argparse.Namespace) -> None:
    """Write the strongest rules, strongest first: a table on a terminal, else in the chosen format."""
    by: FindingOrder = args.by or "evidence"
    if args.output == STDOUT and sys.stdout.isatty():
        show(table.top(args.top, by))
    else:
        write_rules(table.take(table.strongest(args.top, by)), args.output)
