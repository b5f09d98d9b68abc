"""How explanations are printed: names, histories, numbers and lines."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Sequence

from honem._internal.wording import amount

WIDTH = 96
LONGEST_NAME = 48


def name_of(node: Hashable) -> str:
    r"""A node as it is printed: in one line, not too long, and without what would steer a terminal.

    >>> name_of("New York"), name_of("a\n\x1b[31m"), len(name_of("x" * 10_000))
    ('New York', 'a\\n\\x1b[31m', 48)
    """
    text = str(node)
    if len(text) > LONGEST_NAME:
        text = f"{text[: LONGEST_NAME - 1]}…"
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def names_of(nodes: Sequence[Hashable]) -> str:
    """Several nodes in a row."""
    return ", ".join(map(name_of, nodes))


def history_of(nodes: Sequence[Hashable]) -> str:
    """`Paris, then Lyon`."""
    return ", then ".join(map(name_of, nodes))


def path_of(nodes: Sequence[Hashable]) -> str:
    """`Paris > Lyon > Nice`."""
    return " > ".join(map(name_of, nodes))


def percent(share: float) -> str:
    """A share as people say it; what is little is not called nothing.

    >>> percent(0.624), percent(0.0), percent(0.0004), percent(0.999), percent(1.0)
    ('62 %', '0 %', '< 1 %', '> 99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "< 1 %"
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{share:.0%}".replace("%", " %")


def number(value: float) -> str:
    """Four digits that matter.

    >>> number(1234567), number(0.000123456), number(2), number(-0.0)
    ('1,234,567', '0.0001235', '2', '0')
    """
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def times(count: int) -> str:
    """How often something was seen."""
    return "once" if count == 1 else "twice" if count == 2 else f"{count:,} times"


def wrapped(text: str, indent: str = "") -> str:
    """A sentence in lines of a readable width; what does not fit in the first is set in."""
    unbreakable = text.replace(" %", "\u00a0%")
    lines = textwrap.fill(
        unbreakable, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    ", break_on_hyphens=False
    )
    return lines.replace("\u00a0%", " %")


def and_more(hidden: int, noun: str) -> list[str]:
    """A line that says what is not shown, if anything is not."""
    return [f"... and {amount(hidden, f'more {noun}')}"] if hidden > 0 else []
