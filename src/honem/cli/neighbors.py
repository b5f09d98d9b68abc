"""`honem neighbors`: list the nearest nodes of a node."""

from __future__ import annotations

import argparse
from typing import get_args

from honem._internal.words import whole_name_of
from honem.cli.options import Subparsers, add_json_option, add_store_argument, new_command, whole_number
from honem.cli.output import print_json
from honem.cli.stores import known_node, named_embeddings
from honem.cli.streams import show
from honem.embedding import Score


def add_command(subparsers: Subparsers) -> None:
    """Add `honem neighbors`."""
    parser = new_command(
        subparsers, "neighbors", "list the nearest nodes of a node", "honem neighbors vectors Paris -n 5"
    )
    add_store_argument(parser)
    parser.add_argument("node", metavar="NODE", help="the node, or its name")
    parser.add_argument("-n", type=whole_number(1), default=10, metavar="N", help="number of nodes (default 10)")
    parser.add_argument(
        "--space",
        choices=get_args(Score),
        help="how nodes are compared; evidence adds the entry of the matrix that was factorized to the score of the "
        "vectors (default: how the vectors are meant to be compared)",
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the nearest nodes and their scores."""
    (embedding,) = named_embeddings(args.directory)
    node = known_node(args.node, embedding.vocabulary)
    if args.space == "evidence":
        from honem.estimator import HONEM  # loads scikit-learn

        embedding = HONEM.load(args.directory).named().with_evidence()
    found = embedding.neighbors(node, args.n, space=args.space)
    if args.json:
        space = args.space or embedding.default_score
        print_json({"node": node, "space": space, "neighbors": [neighbor._asdict() for neighbor in found]})
        return
    if found:
        show("\n".join(f"{neighbor.score:.6f}\t{whole_name_of(neighbor.node)}" for neighbor in found))
