"""`honem next`: predict the next node after a history."""

from __future__ import annotations

import argparse

from honem.cli.options import Subparsers, add_json_option, add_store_argument, new_command, whole_number
from honem.cli.output import print_json
from honem.cli.stores import known_label, load_with_rules
from honem.cli.streams import show


def add_command(subparsers: Subparsers) -> None:
    """Add `honem next`."""
    parser = new_command(
        subparsers, "next", "list the most likely next nodes after a history", "honem next vectors Paris Lyon -k 5"
    )
    add_store_argument(parser)
    parser.add_argument("history", metavar="NODE", nargs="+", help="nodes visited so far, oldest first")
    parser.add_argument("-k", type=whole_number(1), default=10, metavar="K", help="number of nodes (default 10)")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the most likely next nodes, and the context that they are predicted from."""
    from honem.prediction import predict_next

    _, rules = load_with_rules(args.directory, "predict the next node")
    labels = [known_label(node, rules.vocabulary) for node in args.history]
    found = predict_next(rules, labels, args.k)
    if args.json:
        nodes = [node._asdict() for node in found.nodes]
        print_json({"history": labels, "context": found.context, "order": found.order, "next": nodes})
        return
    lines = [f"after {' '.join(map(str, found.context)) or 'anything'} (order {found.order}):"]
    lines += [f"{node.probability:.6f}\t{node.node}" for node in found.nodes]
    show("\n".join(lines))
