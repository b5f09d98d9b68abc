"""The options that several commands share, and what they stand for."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any, get_args

from honem.rules import ExtractionParams, LowerOrders, Support

Subparsers = Any  # argparse keeps the type of what add_subparsers gives private


def new_command(subparsers: Subparsers, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """The parser of one command, with its example."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", epilog=f"example: {example}"
    )
    return parser


def add_extraction_options(parser: argparse.ArgumentParser, on_spark: bool = False) -> None:
    """Which contexts are rules, and how they are found; some commands can also find them on Spark."""
    group = parser.add_argument_group("rules")
    group.add_argument("--min-support", type=int, default=1, metavar="N", help="least support of a rule (default 1)")
    group.add_argument(
        "--support",
        choices=get_args(Support),
        default="context",
        help="what min-support is asked of: a whole context, or each transition as in pyHON (default context)",
    )
    group.add_argument(
        "--tau", type=float, default=1.0, metavar="T", help="factor of the threshold; less finds more (default 1)"
    )
    group.add_argument("--max-order", type=int, metavar="K", help="longest history looked at (default: no limit)")
    group.add_argument(
        "--lower-orders",
        choices=get_args(LowerOrders),
        default="all",
        help="what is kept beside the accepted contexts: all sub-contexts, prefixes, or as in HON (default all)",
    )
    engines = ("local", "reference", "spark") if on_spark else ("local", "reference")
    group.add_argument("--engine", choices=engines, default="local", help="default local")
    if on_spark:
        group.add_argument("--master", metavar="URL", help="spark: where to run, such as local[4] or yarn")
    group.add_argument("--threads", type=int, metavar="N", help="threads (default: all cores)")


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Facts as JSON."""
    parser.add_argument("--json", action="store_true", help="print the facts as JSON")


def extraction_params(args: argparse.Namespace) -> ExtractionParams:
    """Which rules are asked for; taken before paths are read, so that nobody waits to be refused."""
    return ExtractionParams(**{option.name: getattr(args, option.name) for option in fields(ExtractionParams)})
