"""`honem`: the parser of all commands, and what becomes of their errors."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

import honem
from honem.cli import commands, demo, evaluating, explaining, exploring, exporting, predicting
from honem.cli.messages import messages_on_stderr
from honem.errors import HonemError, HonemWarning

BAD_INPUT, BROKEN_PIPE = 2, 141


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line, with the way to the help."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; -> the exit code."""
    args = build_parser().parse_args(arguments)
    try:
        with messages_on_stderr(), warnings.catch_warnings():
            warnings.simplefilter("always", HonemWarning)
            warnings.showwarning = show_warning
            args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has had enough; Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (HonemError, OSError, MemoryError) as error:
        print(f"honem: error: {explain(error)}", file=sys.stderr)
        return BAD_INPUT
    return 0


def build_parser() -> argparse.ArgumentParser:
    """The parser of `honem` and all its commands."""
    parser = OneLineParser(
        prog="honem",
        description="Vectors for the nodes of a network, learnt from the paths that run through it.",
        epilog="example: honem embed paths.txt -o vectors; honem neighbors vectors Paris",
    )
    parser.add_argument("--version", action="version", version=f"honem {honem.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    commands.add_commands(subparsers)
    exporting.add_export_command(subparsers)
    predicting.add_command(subparsers)
    explaining.add_commands(subparsers)
    exploring.add_command(subparsers)
    evaluating.add_commands(subparsers)
    demo.add_command(subparsers)
    return parser


def explain(error: Exception) -> str:
    """An error in one line."""
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}" if str(error) else "not enough memory"
    if isinstance(error, OSError) and not isinstance(error, HonemError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


def show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """A warning in one line, without the line of code that raised it."""
    print(f"honem: warning: {message}", file=sys.stderr)
