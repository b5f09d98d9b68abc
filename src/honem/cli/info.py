"""`honem info`: summarize path data, or a model that was made from it."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honem._internal.words import amount
from honem.cli.extraction import add_extraction_options, extract, extraction_params
from honem.cli.options import Subparsers, add_json_option, add_seed_option, new_command, whole_number
from honem.cli.output import corpus_facts, print_facts, print_json, rule_facts, shown_orders
from honem.cli.reading import add_reading_options, check_reading_options, read_with_progress
from honem.cli.streams import show
from honem.io.manifest import MANIFEST

if TYPE_CHECKING:
    from honem.corpus import Corpus
    from honem.rules import ExtractionParams, RuleTable


def add_command(subparsers: Subparsers) -> None:
    """Add `honem info`."""
    parser = new_command(
        subparsers,
        "info",
        "summarize path data, or a folder that `honem embed` wrote",
        "honem info paths.txt --surrogate 2",
    )
    add_reading_options(parser)
    add_extraction_options(parser)
    parser.add_argument(
        "--surrogate",
        type=whole_number(1),
        nargs="?",
        const=1,
        metavar="N",
        help="also extract the rules of sequences simulated from the transitions of order N, in which all rules of a "
        "higher order are false; N is 1 if left out, and the option comes after PATHS then",
    )
    add_seed_option(parser, "the held-out sequences and the surrogate")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print sizes of the corpus, of its rules and of both networks, and how much memory the data has."""
    from honem.evaluation.datasets import markov_surrogate

    params = extraction_params(args)
    if len(args.paths) == 1 and is_store(args.paths[0]):
        describe_store(args.paths[0], args.json)
        return
    check_reading_options(args)
    corpus, _ = read_with_progress(args)
    surrogate = None if args.surrogate is None else markov_surrogate(corpus, args.surrogate, args.seed)
    table = extract(corpus, params, args)
    facts = corpus_facts(corpus) | rule_facts(table) | _network_facts(corpus, table)
    facts |= _memory_facts(corpus, table, params, args)
    if surrogate is not None:
        facts["surrogate"] = {"order": args.surrogate} | rule_facts(extract(surrogate, params, args))
    if args.json:
        print_json(facts)
    else:
        print_facts(_shown(facts, corpus, table))


def is_store(path: str) -> bool:
    """Return whether a path is a folder that `honem embed` wrote."""
    return (Path(path) / MANIFEST).is_file()


def describe_store(path: str, as_json: bool) -> None:
    """Print what a store holds, and how its vectors were chosen."""
    from honem.io.store import load

    store = load(path)
    facts = {"counts": store.manifest["counts"], "recipe": store.recipe, "facts": store.manifest.get("facts", {})}
    if as_json:
        print_json(facts)
        return
    score = store.embedding.default_score
    shown: dict[str, object] = {
        "nodes": f"{len(store.embedding):,}",
        "dimensions": f"{store.embedding.dimension}, compared by {score}",
        "rules by order": "none saved" if store.rules is None else shown_orders(store.rules),
    }
    print_facts(shown | {name: json.dumps(value) for name, value in (store.recipe or {}).items()})
    if store.tuning is not None:
        show(f"\n{store.tuning}")


def _network_facts(corpus: Corpus, table: RuleTable) -> dict[str, Any]:
    """Return the sizes of both networks."""
    from honem.network import first_order_network, higher_order_network

    first, higher = first_order_network(corpus), higher_order_network(table)
    return {
        "first_order_network": first.sizes(),
        "higher_order_network": higher.sizes(),
        "gamma": higher.n_edges / first.n_edges,
    }


def _memory_facts(
    corpus: Corpus, table: RuleTable, params: ExtractionParams, args: argparse.Namespace
) -> dict[str, Any]:
    """Return how many steps depend on more than the current node, and what that is worth."""
    from honem.evaluation.memory import held_out_bits, share_of_changed_steps

    held_out = held_out_bits(corpus, lambda training: extract(training, params, args), args.seed)
    return {
        "changed_steps": share_of_changed_steps(corpus, table),
        "held_out": None if held_out is None else asdict(held_out),
    }


def _shown(facts: dict[str, Any], corpus: Corpus, table: RuleTable) -> dict[str, object]:
    """Return the facts as text."""
    weighted = f" ({facts['weighted_steps']:,} weighted)" if corpus.is_weighted else ""
    word = table.params.acceptance.accepted_word
    shown: dict[str, object] = {
        "sequences": f"{facts['sequences']:,}",
        "steps": f"{facts['steps']:,}{weighted}",
        "nodes": f"{facts['nodes']:,}",
        "first-order network": _shown_sizes(facts["first_order_network"]),
        "higher-order network": f"{_shown_sizes(facts['higher_order_network'])}, gamma {facts['gamma']:.2f}",
        "highest order": facts["max_order"],
        "rules by order": shown_orders(table),
        f"{word} rules": _shown_accepted(facts),
        "steps they change": f"{facts['changed_steps']:.1%}".replace("%", " %"),
        "bits they save": _shown_bits(facts["held_out"]),
    }
    if "surrogate" in facts:
        order = facts["surrogate"]["order"]
        shown[f"surrogate, order {order}"] = f"{word} rules: {_shown_accepted(facts['surrogate'])}"
    return shown


def _shown_sizes(sizes: dict[str, Any]) -> str:
    return f"{sizes['nodes']:,} nodes, {sizes['edges']:,} edges, mean in-degree {sizes['mean_in_degree']:.2f}"


def _shown_accepted(facts: dict[str, Any]) -> str:
    """Return the accepted rules by order, from order 2."""
    by_order = {order: number for order, number in facts["accepted_by_order"].items() if order > 1}
    orders = ", ".join(f"{number:,} of order {order}" for order, number in by_order.items())
    return f"{orders or 'none'} ({amount(facts['tested_contexts'], 'context')} tested)"


def _shown_bits(held_out: dict[str, Any] | None) -> str:
    if held_out is None:
        return "not measured: too few sequences to hold some out"
    shown = (
        f"{held_out['saved']:.3f} of {held_out['first_order']:.3f} bits per step at first order, on "
        f"{amount(held_out['n_steps'], 'held-out step')}"
    )
    new = held_out["new_sequences"]
    if new is None:
        return f"{shown}, all of sequences that occur in training too"
    if new["n_steps"] == held_out["n_steps"]:
        return shown
    return (
        f"{shown}; {new['saved']:.3f} of {new['first_order']:.3f} on the {new['n_steps']:,} of sequences that do not "
        "occur in training"
    )
