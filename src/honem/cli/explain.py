"""`honem explain`: what the rules say about a node, and why two nodes are near."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from honem.cli.options import Subparsers, add_json_option, add_store_argument, new_command, whole_number
from honem.cli.output import print_json
from honem.cli.stores import known_node, load_named
from honem.cli.streams import show
from honem.errors import InputError

if TYPE_CHECKING:
    from honem.explain import NodeExplanation, PairExplanation


def add_command(subparsers: Subparsers) -> None:
    """Add `honem explain`."""
    parser = new_command(
        subparsers,
        "explain",
        "explain a node, or the score of a pair of nodes",
        "honem explain vectors Paris Lyon",
    )
    add_store_argument(parser)
    parser.add_argument("node", metavar="A", help="the node")
    parser.add_argument("other", metavar="B", nargs="?", help="second node: decompose the score from A to B")
    parser.add_argument(
        "-n", type=whole_number(1), default=5, metavar="N", help="number of rules, or of terms and paths (default 5)"
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the explanation of a node or a pair of nodes."""
    from honem.explain import explain_node, explain_pair
    from honem.io.recipes import stored_recipe

    store, rules = load_named(args.directory, "explain a node")
    found: NodeExplanation | PairExplanation
    node = known_node(args.node, rules.vocabulary)
    if args.other is None:
        found = explain_node(rules, node)
        words = found.describe(args.n)
    else:
        if store.recipe is None:
            raise InputError(
                f"{args.directory} was saved without the recipe of its vectors, so scores cannot be explained; "
                "save the whole model with `honem embed` or model.save(path)"
            )
        other, recipe = known_node(args.other, rules.vocabulary), stored_recipe(store.recipe)
        found = explain_pair(rules, store.embedding, recipe, node, other, n=args.n)
        words = str(found)
    if args.json:
        print_json(found.to_dict())
    else:
        show(words)
