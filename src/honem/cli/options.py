"""Parsers of commands and of option values that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from honem._internal.validation import LARGEST

Subparsers = Any  # argparse keeps the type of what add_subparsers returns private

# Names of parameters in Python that have another name on the command line.
OTHER_NAMES = {
    "n_components": "dim",
    "n_jobs": "threads",
    "random_state": "seed",
    "path": "output",
    "transform": "transforms",
    "score": "space",
}


def new_command(subparsers: Subparsers, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """Add the parser of one command, with an example at the end of its help."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", epilog=f"example: {example}"
    )
    parser.set_defaults(parser=parser)
    return parser


def flags_of(parser: argparse.ArgumentParser) -> dict[str, str]:
    """Return the flag of each option of a command, by its names on the command line and in Python."""
    flags = {action.dest: action.option_strings[-1] for action in parser._actions if action.option_strings}
    return flags | {ours: flags[theirs] for ours, theirs in OTHER_NAMES.items() if theirs in flags}


def whole_number(least: int, most: int = LARGEST) -> Callable[[str], int]:
    """Return a parser of whole numbers within bounds."""
    bounds = f"of at least {least}" if most == LARGEST else f"from {least} to {most}"

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number > LARGEST:
            raise argparse.ArgumentTypeError(f"must be a whole number of at most {LARGEST}, not {text!r:.60}")
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"must be a whole number {bounds}, not {text!r:.60}")
        return number

    return parse


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    """Add DIR."""
    parser.add_argument("directory", metavar="DIR", help="folder written by `honem embed`")


def add_quiet_option(parser: argparse.ArgumentParser) -> None:
    """Add -q, before the command or after it."""
    parser.add_argument(
        "-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help="print results, warnings and errors only"
    )


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_seed_option(parser: Any, purpose: str) -> None:
    """Add --seed to a parser or a group of options."""
    parser.add_argument(
        "--seed", type=whole_number(0), default=0, metavar="N", help=f"random seed of {purpose} (default 0)"
    )
