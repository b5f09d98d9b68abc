"""`honem info`: summarize path data."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from honem.cli.extraction import add_extraction_options, extract, extraction_params
from honem.cli.options import Subparsers, add_json_option, new_command
from honem.cli.output import corpus_facts, print_facts, print_json, rule_facts, shown_orders
from honem.cli.reading import add_reading_options, check_reading_options, read_with_progress

if TYPE_CHECKING:
    from honem.corpus import Corpus
    from honem.rules import RuleTable


def add_command(subparsers: Subparsers) -> None:
    """Add `honem info`."""
    parser = new_command(
        subparsers,
        "info",
        "summarize path data: sizes, networks, and how long its memory is",
        "honem info paths.txt --json",
    )
    add_reading_options(parser)
    add_extraction_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print sizes of the corpus, of its rules and of both networks."""
    params = extraction_params(args)
    check_reading_options(args)
    corpus, _ = read_with_progress(args)
    table = extract(corpus, params, args)
    facts = corpus_facts(corpus) | rule_facts(table) | _network_facts(corpus, table)
    if args.json:
        print_json(facts)
    else:
        print_facts(_shown(facts, corpus, table))


def _network_facts(corpus: Corpus, table: RuleTable) -> dict[str, Any]:
    """Return the sizes of both networks."""
    from honem.network import first_order_network, higher_order_network

    first, higher = first_order_network(corpus), higher_order_network(table)
    return {
        "first_order_network": first.sizes(),
        "higher_order_network": higher.sizes(),
        "gamma": higher.n_edges / first.n_edges,
    }


def _shown(facts: dict[str, Any], corpus: Corpus, table: RuleTable) -> dict[str, object]:
    """Return the facts as text."""
    weighted = f" ({facts['weighted_steps']:,} weighted)" if corpus.is_weighted else ""
    return {
        "sequences": f"{facts['sequences']:,}",
        "steps": f"{facts['steps']:,}{weighted}",
        "nodes": f"{facts['nodes']:,}",
        "first-order network": _shown_sizes(facts["first_order_network"]),
        "higher-order network": f"{_shown_sizes(facts['higher_order_network'])}, gamma {facts['gamma']:.2f}",
        "highest order": facts["max_order"],
        "rules by order": shown_orders(table),
    }


def _shown_sizes(sizes: dict[str, Any]) -> str:
    return f"{sizes['nodes']:,} nodes, {sizes['edges']:,} edges, mean in-degree {sizes['mean_in_degree']:.2f}"
