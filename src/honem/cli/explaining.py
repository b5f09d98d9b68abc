"""explain and compare: why a node stands where it does, why two are near, and what longer histories change."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, get_args

from honem.cli.commands import known_label, print_json
from honem.cli.options import Subparsers, add_json_option, new_command
from honem.embedding import Score
from honem.errors import InputError

if TYPE_CHECKING:
    from honem.explain import NodeExplanation, PairExplanation


def add_commands(subparsers: Subparsers) -> None:
    """Add `honem explain` and `honem compare`."""
    _add_explain(subparsers)
    _add_compare(subparsers)


def _add_explain(subparsers: Subparsers) -> None:
    parser = new_command(
        subparsers,
        "explain",
        "tell what is known of a node, or why a second one is near to it",
        "honem explain vectors Paris Lyon",
    )
    parser.add_argument("directory", metavar="DIR", help="a folder that `honem embed` wrote")
    parser.add_argument("node", metavar="A")
    parser.add_argument("other", metavar="B", nargs="?", help="the second node: the score from A to B is taken apart")
    parser.add_argument("-n", type=int, default=5, metavar="N", help="how many rules, or terms and paths (default 5)")
    add_json_option(parser)
    parser.set_defaults(run=explain)


def explain(args: argparse.Namespace) -> None:
    """One node, or two."""
    from honem._internal.validation import require_whole
    from honem.embedding.recipe import Recipe
    from honem.explain import explain_node, explain_pair
    from honem.io.store import load

    require_whole("n", args.n, least=1)
    store = load(args.directory)
    if store.rules is None:
        raise InputError(f"{args.directory} was saved without rules, so nothing can be explained by them")
    found: NodeExplanation | PairExplanation
    node = known_label(args.node, store.rules.vocabulary)
    if args.other is None:
        found = explain_node(store.rules, node)
        words = found.describe(args.n)
    else:
        if store.recipe is None:
            raise InputError(
                f"{args.directory} was saved without the recipe of its vectors, so scores cannot be explained; "
                "save the whole model with `honem embed` or model.save(path)"
            )
        other, recipe = known_label(args.other, store.rules.vocabulary), Recipe.from_dict(store.recipe)
        found = explain_pair(store.rules, store.embedding, recipe, node, other, n=args.n)
        words = str(found)
    if args.json:
        print_json(found.to_dict())
    else:
        print(words)


def _add_compare(subparsers: Subparsers) -> None:
    parser = new_command(
        subparsers,
        "compare",
        "list the neighbours that nodes have won and lost against another embedding",
        "honem compare vectors first_order -k 5",
    )
    parser.add_argument("directory", metavar="DIR", help="a folder that `honem embed` wrote")
    parser.add_argument("other", metavar="OTHER", help="the folder it is compared with")
    parser.add_argument("-k", type=int, default=10, metavar="K", help="neighbours of each node (default 10)")
    parser.add_argument("-n", type=int, default=10, metavar="N", help="how many nodes to tell of (default 10)")
    parser.add_argument("--space", choices=get_args(Score), default="cosine", help="how to compare (default cosine)")
    add_json_option(parser)
    parser.set_defaults(run=compare_stores)


def compare_stores(args: argparse.Namespace) -> None:
    """Neighbours won and lost, most changed nodes first; as JSON, all of them."""
    from honem._internal.validation import require_whole
    from honem.explain import compare
    from honem.io.store import load

    require_whole("n", args.n, least=1)
    here, there = (load(directory, with_rules=False).embedding for directory in (args.directory, args.other))
    found = compare(here, there, args.k, args.space)
    if args.json:
        print_json(found.to_dict())
    else:
        print(found.describe(args.n))
