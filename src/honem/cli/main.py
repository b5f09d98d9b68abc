"""`honem`: the parser of all commands, and exit codes and messages of errors."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence

import honem
from honem._internal.option_names import command_line_words
from honem.cli import (
    compare,
    completion,
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
from honem.cli.options import add_quiet_option, flags_of
from honem.cli.parser import BAD_INPUT, GroupedParser, OneLineParser
from honem.cli.streams import complain, quietly, release, require_streams
from honem.errors import HonemError, HonemWarning

BROKEN_PIPE = 141

COMMANDS = (
    *(embed, update, tune, rules, network, info, neighbors, export, next_command, sample, explain, profile, compare),
    *(snapshots, drift, explore, evaluate, reproduce, demo, completion),
)
"""The modules of the commands, in the order of the help; each has `add_command(subparsers)` and `run(args)`."""


GROUPS = {
    "learn from paths": ("embed", "update", "tune", "snapshots"),
    "look into paths": ("info", "rules", "network"),
    "ask a model": ("neighbors", "next", "sample", "explain", "profile", "compare", "drift"),
    "show it, use it elsewhere": ("explore", "export"),
    "judge it": ("evaluate", "reproduce", "demo"),
    "shell": ("completion",),
}
"""The commands by what they are for, as `honem --help` lists them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    try:
        require_streams()
        args = parsed(build_parser(), sys.argv[1:] if arguments is None else arguments)
        if args is None:
            return 0
        require_values(args)
        with (
            quietly(getattr(args, "quiet", False)),
            messages_on_stderr(),
            warnings.catch_warnings(),
            command_line_words(flags_of(args.parser)),
        ):
            warnings.simplefilter("always", HonemWarning)
            warnings.showwarning = show_warning
            args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output closed it
        release(sys.stdout)
        return BROKEN_PIPE
    except (HonemError, OSError, MemoryError) as error:
        complain("error", one_line(error))
        if sys.stdout is not None:
            release(sys.stdout)
        return BAD_INPUT
    return 0


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of `honem` and all its commands."""
    parser = GroupedParser(
        prog="honem",
        description="Learn vectors for the nodes of a network from the paths that run through it.",
        epilog="example: honem embed paths.txt -o vectors; honem neighbors vectors Paris",
    )
    parser.groups = GROUPS
    version = f"honem {honem.__version__}"
    parser.add_argument("-V", "--version", action="version", version=version, help="print the version and exit")
    add_quiet_option(parser)
    subparsers = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=OneLineParser, dest="command"
    )
    for command in COMMANDS:
        command.add_command(subparsers)
    for command_parser in subparsers.choices.values():
        add_quiet_option(command_parser)
    return parser


def parsed(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace | None:
    """Return the arguments; `honem` alone prints the help, and None is returned."""
    if not words:
        parser.print_help()
        return None
    args, unknown = parser.parse_known_args(words)
    if unknown:
        args.parser.refuse_unknown(unknown)
    return args


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
    complain("warning", message)
