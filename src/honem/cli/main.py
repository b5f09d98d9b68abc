"""`honem`: the parser of all commands, and exit codes and messages of errors."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

import honem
from honem._internal.option_names import command_line_words
from honem.cli import (
    compare,
    demo,
    drift,
    embed,
    evaluate,
    explain,
    explore,
    export,
    info,
    neighbors,
    network,
    profile,
    reproduce,
    rules,
    sample,
    snapshots,
    tune,
    update,
)
from honem.cli import next as next_command
from honem.cli.messages import messages_on_stderr
from honem.cli.options import flags_of
from honem.cli.streams import release, require_streams, say
from honem.errors import HonemError, HonemWarning

BAD_INPUT, BROKEN_PIPE = 2, 141

COMMANDS = (
    *(embed, update, tune, rules, network, info, neighbors, export, next_command, sample, explain, profile, compare),
    *(snapshots, drift, explore, evaluate, reproduce, demo),
)
"""The modules of the commands, in the order of the help; each has `add_command(subparsers)` and `run(args)`."""


class OneLineParser(argparse.ArgumentParser):
    """A parser that reports errors in one line, with a reference to the help."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; with --query, PATHS may be left out."""
        if any(given.partition("=")[0] == "--query" for given in args or ()):
            # Not "*" in general: `honem update DIR --json PATHS` would then be no PATHS and an unknown argument.
            for action in self._actions:
                action.nargs = "*" if action.dest == "paths" else action.nargs
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Print the error and exit."""
        self.exit(BAD_INPUT, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    try:
        require_streams()
        args = build_parser().parse_args(arguments)
        require_values(args)
        with messages_on_stderr(), warnings.catch_warnings(), command_line_words(flags_of(args.parser)):
            warnings.simplefilter("always", HonemWarning)
            warnings.showwarning = show_warning
            args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output closed it
        release(sys.stdout)
        return BROKEN_PIPE
    except (HonemError, OSError, MemoryError) as error:
        say(f"honem: error: {one_line(error)}")
        if sys.stdout is not None:
            release(sys.stdout)
        return BAD_INPUT
    return 0


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of `honem` and all its commands."""
    parser = OneLineParser(
        prog="honem",
        description="Learn vectors for the nodes of a network from the paths that run through it.",
        epilog="example: honem embed paths.txt -o vectors; honem neighbors vectors Paris",
    )
    parser.add_argument("--version", action="version", version=f"honem {honem.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_command(subparsers)
    return parser


def require_values(args: argparse.Namespace) -> None:
    """Exit with an error if argparse took `--` for the separator where it is the only value of an argument."""
    for action in args.parser._actions:
        if not action.option_strings and action.nargs in (None, "+") and getattr(args, action.dest) == []:
            args.parser.error(f"argument {action.metavar}: '--' cannot be given as a value")


def one_line(error: Exception) -> str:
    """Return an error as one line."""
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}" if str(error) else "not enough memory"
    if isinstance(error, OSError) and not isinstance(error, HonemError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


def show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning in one line, without the line of code that raised it."""
    say(f"honem: warning: {message}")
