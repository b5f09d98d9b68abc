"""The parser of all commands: short usage, errors in one line, suggestions for what was misspelt."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from honem._internal.similar_names import did_you_mean
from honem.cli.colour import painted, with_bold_headings

BAD_INPUT = 2
NAME_WIDTH = 12


class OneLineParser(argparse.ArgumentParser):
    """A parser that reports errors in one line, with a reference to the help."""

    color = False  # of Python 3.14, which would colour some of the text only

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; with --query, PATHS may be left out."""
        if any(given.partition("=")[0] == "--query" for given in args or ()):
            # Not "*" in general: `honem update DIR --json PATHS` would then be no PATHS and an unknown argument.
            for action in self._actions:
                action.nargs = "*" if action.dest == "paths" else action.nargs
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Print the error and exit."""
        sign = painted("error:", "red", sys.stderr)
        self.exit(BAD_INPUT, f"{self.prog}: {sign} {message} (see {self.prog} --help)\n")

    def refuse_unknown(self, words: Sequence[str]) -> NoReturn:
        """Print an error about arguments that no option takes, and exit."""
        first = words[0].partition("=")[0]
        is_option = first.startswith("-") and first != "-"
        self.error(
            f"unrecognized arguments: {' '.join(words)}{did_you_mean(first, flags_in(self)) if is_option else ''}"
        )

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise ArgumentError, with a suggestion, for a value that is not one of the choices."""
        if action.choices is None or value in action.choices:
            return
        known = list(map(str, action.choices))
        suggestion = did_you_mean(str(value), known)
        if isinstance(action, argparse._SubParsersAction):
            suggestion = suggestion or f"; commands are {', '.join(known)}"
            self.error(f"there is no command {value!r}{suggestion}")
        raise argparse.ArgumentError(action, f"invalid choice: {value!r}{suggestion} (choose from {', '.join(known)})")

    def format_help(self) -> str:
        """Return the help page, with a short usage: what is required, and [OPTIONS]."""
        if self.usage is None:
            self.usage = " ".join(usage_words(self)).replace("%", "%%")
        return super().format_help()

    def print_help(self, file: Any = None) -> None:
        """Print the help page; headings are bold on a terminal."""
        stream = file or sys.stdout
        self._print_message(with_bold_headings(self.format_help(), stream), stream)


class GroupedParser(OneLineParser):
    """The parser of `honem` itself, whose help lists commands by what they are for."""

    groups: Mapping[str, Iterable[str]]

    def format_help(self) -> str:
        """Return the help page."""
        action = next(one for one in self._actions if isinstance(one, argparse._SubParsersAction))
        summaries = {one.dest: one.help or "" for one in action._choices_actions}
        lines = [f"usage: {self.prog} COMMAND [OPTIONS] ...", "", str(self.description)]
        grouped = {name for names in self.groups.values() for name in names}
        others = [name for name in summaries if name not in grouped]
        for title, names in {**self.groups, **({"others": others} if others else {})}.items():
            lines += ["", f"{title}:", *(f"  {name:{NAME_WIDTH}}{summaries[name]}" for name in names)]
        options = [one for one in self._actions if one.option_strings]
        lines += ["", "options:"]
        lines += [f"  {', '.join(one.option_strings):{NAME_WIDTH + 4}}{one.help}" for one in options]
        return "\n".join([*lines, "", f"{self.prog} COMMAND --help explains a command", str(self.epilog)]) + "\n"


def flags_in(parser: argparse.ArgumentParser) -> list[str]:
    """Return all flags of a parser."""
    return [flag for action in parser._actions for flag in action.option_strings]


def usage_words(parser: argparse.ArgumentParser) -> list[str]:
    """Return the words of a usage line: the command, required options, [OPTIONS], arguments."""
    required = [
        f"{action.option_strings[0]} {action.metavar or action.dest.upper()}"
        for action in parser._actions
        if action.option_strings and action.required
    ]
    places = [_place(action) for action in parser._actions if not action.option_strings]
    return [parser.prog, *filter(None, places), *required, "[OPTIONS]"]


def _place(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}.get(str(action.nargs), name)
