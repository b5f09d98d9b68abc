"""`honem profile`: show the profile of a node, or the nodes with the highest number in a column."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.words import whole_name_of
from honem.cli.options import Subparsers, add_json_option, add_store_argument, new_command, whole_number
from honem.cli.output import print_json
from honem.cli.stores import known_node, load_named_profile
from honem.cli.streams import show
from honem.errors import ParameterError
from honem.profile.columns import PROFILE_COLUMNS

if TYPE_CHECKING:
    from honem.profile import NodeProfile

NAME_WIDTH, NUMBER_WIDTH = max(map(len, PROFILE_COLUMNS)) + 2, 12


def add_command(subparsers: Subparsers) -> None:
    """Add `honem profile`."""
    parser = new_command(
        subparsers,
        "profile",
        "show what role nodes have: traffic, predictability, dependence on history",
        "honem profile vectors Paris; honem profile vectors --by bits_saved -n 5",
    )
    add_store_argument(parser)
    parser.add_argument("node", metavar="NODE", nargs="?", help="show all numbers of this node")
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        choices=tuple(PROFILE_COLUMNS),
        help=f"list the nodes with the highest {', '.join(PROFILE_COLUMNS)} (default bits_saved)",
    )
    parser.add_argument("-n", type=whole_number(1), metavar="N", help="number of nodes to list (default 10)")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the numbers of one node, or the first nodes by a column."""
    if args.node is not None and (args.by is not None or args.n is not None):
        raise ParameterError("--by and -n list several nodes; leave out either them or NODE")
    profile = load_named_profile(args.directory)
    if args.node is None:
        _print_highest(profile, args.by or "bits_saved", args.n or 10, args.json)
    else:
        _print_node(profile, args.node, args.json)


def _print_node(profile: NodeProfile, text: str, as_json: bool) -> None:
    node = known_node(text, profile.vocabulary)
    numbers = profile.of_node(node)
    if as_json:
        print_json({"node": node, "profile": numbers})
        return
    for name, number in numbers.items():
        show(f"{name:{NAME_WIDTH}}{_shown(number):>{NUMBER_WIDTH}}  {PROFILE_COLUMNS[name].meaning}")


def _print_highest(profile: NodeProfile, column: str, n: int, as_json: bool) -> None:
    values = profile[column]
    highest = np.argsort(-values, kind="stable")[:n].tolist()
    if as_json:
        found = [{"node": profile.nodes[node], column: float(values[node])} for node in highest]
        print_json({"by": column, "nodes": found})
        return
    for node in highest:
        show(f"{_shown(values[node])}\t{whole_name_of(profile.nodes[node])}")


def _shown(number: float) -> str:
    """Return a number with three decimals, or none if it is whole."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.3f}"
