"""Options that say how long paths count."""

from __future__ import annotations

import argparse

from honem.io.paths.durations import parse_duration


def add_age_options(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add --half-life and --window; `more` is added to what they say."""
    group = parser.add_argument_group("age of paths; input with times, such as an event table, is needed")
    group.add_argument(
        "--half-life",
        metavar="TIME",
        help=f"of paths that began this long before the latest one, half count{more}: 30d",
    )
    group.add_argument(
        "--window", metavar="TIME", help=f"drop paths that began more than this before the latest one{more}: 12h, 90d"
    )


def check_age_options(args: argparse.Namespace) -> None:
    """Raise ParameterError if one of the options is not a duration."""
    for name in ("half_life", "window"):
        if getattr(args, name) is not None:
            parse_duration(name, getattr(args, name))
