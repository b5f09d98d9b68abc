"""`honem sample`: draw new paths from a model."""

from __future__ import annotations

import argparse

from honem._internal.words import whole_name_of
from honem.cli.options import (
    Subparsers,
    add_json_option,
    add_seed_option,
    add_store_argument,
    new_command,
    whole_number,
)
from honem.cli.output import print_json
from honem.cli.stores import has_names, known_node, load_predictor
from honem.cli.streams import show

TAB = "\t"


def add_command(subparsers: Subparsers) -> None:
    """Add `honem sample`."""
    parser = new_command(
        subparsers, "sample", "draw new paths from a model", "honem sample vectors -n 100 --length 8 --start Paris"
    )
    add_store_argument(parser)
    parser.add_argument("-n", type=whole_number(1), default=10, metavar="N", help="number of paths (default 10)")
    parser.add_argument(
        "--length", type=whole_number(1), default=10, metavar="L", help="number of nodes of each path (default 10)"
    )
    parser.add_argument(
        "--start", nargs="+", metavar="NODE", help="first nodes of all paths (default: drawn as observed paths begin)"
    )
    add_seed_option(parser, "the draws")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print one path per line, with tabs between names, which may contain spaces."""
    from honem.prediction.next_step import require_blend

    model = require_blend(load_predictor(args.directory), "honem sample")
    start = None if args.start is None else [known_node(node, model.vocabulary) for node in args.start]
    paths = model.sample(args.n, start=start, length=args.length, random_state=args.seed)
    if args.json:
        print_json({"paths": paths})
        return
    for path in paths:
        show((TAB if has_names(model.vocabulary) else " ").join(map(whole_name_of, path)))
