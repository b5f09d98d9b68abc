"""Formatting of explanations for people: names, paths, numbers and lines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Hashable, Sequence

WIDTH = 96
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters, also those of Unicode that end lines or change the direction of text."""
LONGEST_NAME = 48


def name_of(node: Hashable) -> str:
    r"""Format a node: on one line, not too long, and without control characters.

    >>> name_of("New York"), name_of("a\n\x1b[31m"), len(name_of("x" * 10_000))
    ('New York', 'a\\n\\x1b[31m', 48)
    """
    text = str(node)
    if len(text) > LONGEST_NAME:
        text = f"{text[: LONGEST_NAME - 1]}…"
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def whole_name_of(node: Hashable) -> str:
    r"""Format a node in full; only what could move the cursor of a terminal or turn text around is escaped.

    >>> whole_name_of("a\n\x1b[31m"), whole_name_of("x" * 10_000) == "x" * 10_000
    ('a\\n\\x1b[31m', True)
    """
    return CONTROLS.sub(lambda found: repr(found[0])[1:-1], str(node))


def listed_names(nodes: Sequence[Hashable]) -> str:
    """Format several nodes, separated by commas."""
    return ", ".join(map(name_of, nodes))


def history_of(nodes: Sequence[Hashable]) -> str:
    """Format a context, such as `Paris, then Lyon`."""
    return ", then ".join(map(name_of, nodes))


def path_of(nodes: Sequence[Hashable]) -> str:
    """Format a path, such as `Paris > Lyon > Nice`."""
    return " > ".join(map(name_of, nodes))


def percent(share: float) -> str:
    """Format a share as a percentage; small shares are not rounded to 0.

    >>> percent(0.624), percent(0.0), percent(0.0004), percent(0.999), percent(1.0)
    ('62 %', '0 %', '< 1 %', '> 99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "< 1 %"
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{share:.0%}".replace("%", " %")


def number(value: float) -> str:
    """Format a number with four significant digits.

    >>> number(1234567), number(0.000123456), number(2), number(-0.0)
    ('1,234,567', '0.0001235', '2', '0')
    """
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def times(count: int) -> str:
    """Format a count, such as `twice`."""
    return "once" if count == 1 else "twice" if count == 2 else f"{count:,} times"


def amount(count: int, noun: str) -> str:
    """Format a number of things, such as `2 rules`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def wrapped(text: str, indent: str = "") -> str:
    """Wrap a sentence; all lines but the first are indented."""
    unbreakable = text.replace(" %", "\u00a0%")
    lines = textwrap.fill(
        unbreakable, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    ", break_on_hyphens=False
    )
    return lines.replace("\u00a0%", " %")


def and_more(hidden: int, noun: str) -> list[str]:
    """Return a line that says how many items are not shown, if any."""
    return [f"... and {amount(hidden, f'more {noun}')}"] if hidden > 0 else []
