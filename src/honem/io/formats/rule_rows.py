"""The rows of a rule table as Python values, a part of the table at a time; shared by the formats for rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

from honem.rules import RuleTable

ROWS_AT_ONCE = 1 << 16
TRUTH = {True: "true", False: "false"}

Facts: TypeAlias = tuple[int, float, float, float, float, bool]
"""Support, divergence, threshold, evidence, q-value, and whether the rule was accepted."""
Row: TypeAlias = tuple[int, int, float]
"""Target, count, probability."""


def each_rule(rules: RuleTable) -> Iterator[tuple[list[int], Facts, Iterable[Row]]]:
    """Yield the context, the facts and the rows of each rule; Python lists are made for one part at a time."""
    for part in parts(rules):
        nodes, columns = part.context_nodes.tolist(), (part.targets, part.counts, part.probabilities)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        facts = (part.supports, part.divergences, part.thresholds, part.evidence, part.q_values, part.accepted)
        each_fact = zip(*(fact.tolist() for fact in facts), strict=True)
        offsets = zip(pairwise(part.context_offsets.tolist()), pairwise(part.target_offsets.tolist()), strict=True)
        for ((first, last), (start, stop)), fact in zip(offsets, each_fact, strict=True):
            yield nodes[first:last], fact, rows[start:stop]


def parts(rules: RuleTable) -> Iterator[RuleTable]:
    """Yield the table in tables of about `ROWS_AT_ONCE` rows; an empty table yields one empty part."""
    start = 0
    while start < rules.n_rules or start == 0:
        last_row = rules.target_offsets[start] + ROWS_AT_ONCE
        stop = max(start + 1, int(rules.target_offsets.searchsorted(last_row, side="right")) - 1)
        yield _between(rules, start, min(stop, rules.n_rules))
        start = stop


def _between(rules: RuleTable, start: int, stop: int) -> RuleTable:
    """Return the rules start, ..., stop - 1, without copying their columns."""
    nodes = slice(rules.context_offsets[start], rules.context_offsets[stop])
    rows = slice(rules.target_offsets[start], rules.target_offsets[stop])
    return RuleTable(
        vocabulary=rules.vocabulary,
        params=rules.params,
        context_nodes=rules.context_nodes[nodes],
        context_offsets=rules.context_offsets[start : stop + 1] - rules.context_offsets[start],
        target_offsets=rules.target_offsets[start : stop + 1] - rules.target_offsets[start],
        targets=rules.targets[rows],
        counts=rules.counts[rows],
        divergences=rules.divergences[start:stop],
        evidence=rules.evidence[start:stop],
        q_values=rules.q_values[start:stop],
        accepted=rules.accepted[start:stop],
        tests=rules.tests,
        own_scores=None if rules.own_scores is None else rules.own_scores[start:stop],
    )


def number_or(unknown: str, number: float) -> str:
    """Return a number as text that reads back as the same number, or the given text if it is not known (NaN)."""
    return repr(number) if number == number else unknown
