"""Findings: accepted rules, strongest first, as a table for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from honem._internal.html_tables import html_paragraph, html_table
from honem._internal.words import amount, name_of, path_of, percent
from honem.rules.rule import Rule

FindingOrder = Literal["evidence", "bits_saved", "divergence", "support"]
COLUMNS = ("context", "next", "share", "without oldest", "seen", "evidence", "q")
LEFT_ALIGNED = 2


class Findings(tuple[Rule, ...]):
    """Some rules in a chosen order. Print it, or let a notebook show it, for a table.

    The column `share` is the probability of the successor in the column `next` after the context; `without oldest` is
    its probability after the shorter context that the rule is compared with. Shown is the successor whose probability
    the context raises most.
    """

    __slots__ = ()

    def rows(self) -> list[tuple[str, ...]]:
        """Return the cells of the table as text, without the header."""
        return [row_of(rule) for rule in self]

    def __repr__(self) -> str:
        return f"Findings({amount(len(self), 'rule')})\n{self}" if self else "Findings(no rules)"

    def __str__(self) -> str:
        if not self:
            return "no accepted rule of order 2 or more"
        rows = [COLUMNS, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(aligned(row, widths) for row in rows)

    def _repr_html_(self) -> str:
        if not self:
            return html_paragraph(str(self))
        return html_table(COLUMNS, self.rows(), n_texts=LEFT_ALIGNED)


def row_of(rule: Rule) -> tuple[str, ...]:
    """Return the cells of one rule."""
    next = rule.largest_change
    evidence, q_value = "", ""
    if rule.evidence == rule.evidence:  # not NaN, which means unknown
        evidence, q_value = f"{rule.evidence:,.1f}", f"{rule.q_value:.1g}" if rule.q_value else "< 1e-300"
    return (
        path_of(rule.context),
        name_of(next.node),
        percent(next.probability),
        percent(next.shorter),
        f"{rule.support:,}",
        evidence,
        q_value,
    )


def aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return one line of a table in which texts are aligned to the left and numbers to the right."""
    sides: list[Callable[[str, int], str]] = [str.ljust, str.ljust, *[str.rjust] * (len(row) - LEFT_ALIGNED)]
    return "  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)).rstrip()
