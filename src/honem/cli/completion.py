"""`honem completion`: completion of commands, options and choices in bash, zsh and fish, from the same definitions.

Written out here rather than with a package: shtab, the usual one, has no fish, and the definitions are all in argparse.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import NamedTuple

from honem.cli.options import Subparsers, new_command
from honem.cli.streams import show


class Flag(NamedTuple):
    """An option of a command: its spellings, its choices, whether a value follows, and its help."""

    spellings: tuple[str, ...]
    choices: tuple[str, ...]
    takes_value: bool
    help: str


class Command(NamedTuple):
    """A command with its options."""

    name: str
    help: str
    flags: tuple[Flag, ...]


def add_command(subparsers: Subparsers) -> None:
    """Add `honem completion`."""
    parser = new_command(
        subparsers,
        "completion",
        "print a script that completes commands in a shell",
        'eval "$(honem completion bash)"; honem completion fish > ~/.config/fish/completions/honem.fish',
    )
    parser.add_argument("shell", choices=tuple(SCRIPTS), help="the shell: bash, zsh or fish")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the script."""
    from honem.cli.main import build_parser

    show(SCRIPTS[args.shell](list(commands_of(build_parser()))))


def commands_of(parser: argparse.ArgumentParser) -> Iterator[Command]:
    """Yield all commands of a parser."""
    action = next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    summaries = {one.dest: one.help or "" for one in action._choices_actions}
    for name, command in action.choices.items():
        yield Command(name, summaries[name], tuple(map(_flag, command._actions)))


def _flag(action: argparse.Action) -> Flag:
    choices = tuple(map(str, action.choices or ()))
    text = " ".join((action.help or "").replace("%%", "%").split())
    return Flag(tuple(action.option_strings), choices, action.nargs != 0, text)


def _bash(commands: list[Command]) -> str:
    """Return a script for bash: words of the command, or choices of the option before; files otherwise."""
    cases = []
    for command in commands:
        options = [flag for flag in command.flags if flag.spellings]
        places = [choice for flag in command.flags if not flag.spellings for choice in flag.choices]
        words = " ".join([*(spelling for flag in options for spelling in flag.spellings), *places])
        cases.append(f'    {command.name}) words="{words}" ;;')
        cases += [
            f'    "{command.name} {spelling}") words="{" ".join(flag.choices)}" ;;'
            for flag in options
            for spelling in flag.spellings
            if flag.takes_value
        ]
    body = "\n".join(cases)
    names = " ".join(command.name for command in commands)
    return f"""_honem() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words="" name key
  name="${{COMP_WORDS[1]}}"
  if [ "$COMP_CWORD" -le 1 ]; then
    COMPREPLY=($(compgen -W "{names} --help --version --quiet" -- "$current")); return
  fi
  for key in "$name $previous" "$name"; do
    case "$key" in
{body}
    *) continue ;;
    esac
    break
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _honem honem"""


def _zsh(commands: list[Command]) -> str:
    """Return a script for zsh."""
    names = " ".join(_quoted(f"{command.name}:{command.help}") for command in commands)
    cases = []
    for command in commands:
        lines = [line for flag in command.flags for line in _zsh_lines(flag)]
        cases.append(f"    {command.name}) _arguments {' '.join(lines)} '*:file:_files' ;;")
    return f"""#compdef honem
_honem() {{
  if (( CURRENT == 2 )); then
    local -a commands=({names})
    _describe command commands
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
{chr(10).join(cases)}
  esac
}}
compdef _honem honem"""


def _zsh_lines(flag: Flag) -> Iterator[str]:
    values = f":value:({' '.join(flag.choices)})" if flag.choices else ":value:_files"
    text = flag.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    for spelling in flag.spellings:
        yield _quoted(f"{spelling}[{text}]{values if flag.takes_value else ''}")
    if not flag.spellings and flag.choices:
        yield _quoted(f"1{values}")


def _fish(commands: list[Command]) -> str:
    """Return a script for fish."""
    lines = [
        f"complete -c honem -n __fish_use_subcommand -f -a {command.name} -d {_fish_quoted(command.help)}"
        for command in commands
    ]
    for command in commands:
        start = f"complete -c honem -n '__fish_seen_subcommand_from {command.name}'"
        for flag in command.flags:
            spelled = "".join(f" -{'l' if one.startswith('--') else 's'} {one.lstrip('-')}" for one in flag.spellings)
            values = f" -x -a {_fish_quoted(' '.join(flag.choices))}" if flag.choices else " -r" * flag.takes_value
            if flag.spellings or flag.choices:
                lines.append(f"{start}{spelled}{values} -d {_fish_quoted(flag.help)}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    """Quote a text as fish does, where a backslash escapes within single quotes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS: dict[str, Callable[[list[Command]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
