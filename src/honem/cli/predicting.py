"""next: where a walk goes on, by the rules of a store."""

from __future__ import annotations

import argparse

from honem.cli.commands import known_label, print_json
from honem.cli.options import Subparsers, add_json_option, new_command
from honem.errors import InputError


def add_command(subparsers: Subparsers) -> None:
    """Add `honem next`."""
    parser = new_command(
        subparsers, "next", "list the likeliest next nodes after a history", "honem next vectors Paris Lyon -k 5"
    )
    parser.add_argument("directory", metavar="DIR", help="a folder that `honem embed` wrote")
    parser.add_argument("history", metavar="NODE", nargs="+", help="the nodes so far, oldest first")
    parser.add_argument("-k", type=int, default=10, metavar="K", help="how many (default 10)")
    add_json_option(parser)
    parser.set_defaults(run=next_nodes)


def next_nodes(args: argparse.Namespace) -> None:
    """The likeliest next nodes, and on which context that rests."""
    from honem.io.store import load
    from honem.prediction import predict_next

    rules = load(args.directory).rules
    if rules is None:
        raise InputError(f"{args.directory} was saved without rules, so nothing can be predicted from it")
    labels = [known_label(node, rules.vocabulary) for node in args.history]
    found = predict_next(rules, labels, args.k)
    if args.json:
        nodes = [node._asdict() for node in found.nodes]
        print_json({"history": labels, "context": found.context, "order": found.order, "next": nodes})
        return
    print(f"after {' '.join(map(str, found.context)) or 'anything'} (order {found.order}):")
    for node in found.nodes:
        print(f"{node.probability:.6f}\t{node.node}")
