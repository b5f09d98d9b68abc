"""`honem compare`: neighbours that nodes gained and lost against another embedding."""

from __future__ import annotations

import argparse
from typing import get_args

from honem.cli.options import Subparsers, add_json_option, add_store_argument, new_command, whole_number
from honem.cli.output import print_json
from honem.cli.stores import named_embeddings
from honem.cli.streams import show
from honem.embedding import VectorScore


def add_command(subparsers: Subparsers) -> None:
    """Add `honem compare`."""
    parser = new_command(
        subparsers,
        "compare",
        "list the neighbours that nodes gained and lost against another embedding",
        "honem compare vectors first_order -k 5",
    )
    add_store_argument(parser)
    parser.add_argument("other", metavar="OTHER", help="folder to compare with")
    parser.add_argument("-k", type=whole_number(1), default=10, metavar="K", help="neighbours per node (default 10)")
    parser.add_argument("-n", type=whole_number(1), default=10, metavar="N", help="number of nodes shown (default 10)")
    parser.add_argument(
        "--space", choices=get_args(VectorScore), default="cosine", help="how nodes are compared (default cosine)"
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the neighbours gained and lost, most changed nodes first; as JSON, those of all nodes."""
    from honem.explain import compare

    here, there = named_embeddings(args.directory, args.other)
    found = compare(here, there, args.k, args.space)
    if args.json:
        print_json(found.to_dict())
    else:
        show(found.describe(args.n))
