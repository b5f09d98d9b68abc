"""S[a, b] by orders and rules, and what each transform makes of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from honem.embedding.neighborhood import NeighborhoodMatrix, Weighting
from honem.embedding.transforms import SELF_SHARE, Transform, proximity, reciprocity
from honem.explain.words import number
from honem.rules import RuleTable

if TYPE_CHECKING:
    from honem.embedding.transforms import Matrix


@dataclass(frozen=True)
class RulePart:
    """A rule from a to b: its whole history, what was counted, and its part of S[a, b]."""

    context: tuple[Hashable, ...]
    count: int
    support: int
    probability: float
    part: float


@dataclass(frozen=True)
class OrderPart:
    """One order: its weight, the value of D^v[a, b], its part of S[a, b], and the rules that share it.

    Where S is a mean the weights sum to 1 and every order brings weight times value. Where S is the largest of these
    the order that has it brings all, and the others nothing.
    """

    order: int
    weight: float
    value: float
    part: float
    rules: tuple[RulePart, ...]

    @property
    def count(self) -> int:
        """How often b came so many steps after a, by the rules."""
        return sum(rule.count for rule in self.rules)


def order_parts(
    rules: RuleTable, near: NeighborhoodMatrix, weighting: Weighting, a: Hashable, b: Hashable
) -> tuple[OrderPart, ...]:
    """S[a, b] by orders, first order first; orders that have no rule from a to b are there with a value of 0."""
    entry = (rules.vocabulary.id(a), rules.vocabulary.id(b))
    values = [float(matrix[entry]) for matrix in near.by_order]
    weights, parts = weights_and_parts(near, values)
    beginning = rules.for_node(a, "oldest")
    rows = np.flatnonzero(beginning.targets == entry[1])
    orders = beginning.orders[beginning.rule_of_row[rows]]
    return tuple(
        OrderPart(order, weight, value, part, rule_parts(beginning, rows[orders == order].tolist(), weighting, part))
        for order, (weight, value, part) in enumerate(zip(weights, values, parts, strict=True), start=1)
    )


def weights_and_parts(near: NeighborhoodMatrix, values: list[float]) -> tuple[list[float], list[float]]:
    """The weight of each order, and what it brings to S: to the mean its term, to the largest all or nothing."""
    whole = 1.0 if near.learnt else float(near.order_weights.sum())
    weights = [float(weight) / whole for weight in near.order_weights]
    parts = [weight * value for weight, value in zip(weights, values, strict=True)]
    if near.learnt:
        largest = parts.index(max(parts)) if parts else 0
        parts = [part if place == largest else 0.0 for place, part in enumerate(parts)]
    return weights, parts


def rule_parts(table: RuleTable, rows: list[int], weighting: Weighting, whole: float) -> tuple[RulePart, ...]:
    """What each rule has of an order's part, largest first: its share of the probabilities or counts that made it."""
    column = table.probabilities if weighting == "probability" else table.counts
    shares = column[rows] / column[rows].sum()
    parts = [_rule_part(table, row, whole * float(share)) for row, share in zip(rows, shares, strict=True)]
    return tuple(sorted(parts, key=lambda rule: (-rule.part, -rule.count)))


def _rule_part(table: RuleTable, row: int, part: float) -> RulePart:
    rule = int(table.rule_of_row[row])
    return RulePart(
        context=table.context(rule),
        count=int(table.counts[row]),
        support=int(table.supports[rule]),
        probability=float(table.probabilities[row]),
        part=part,
    )


@dataclass(frozen=True)
class Step:
    """What one transform made of the entry [a, b], and the numbers it took for that."""

    name: str
    before: float
    after: float
    numbers: dict[str, float]

    def __str__(self) -> str:
        words = WORDS.get(self.name)
        return f"{self.name}: {words(self) if words else f'{number(self.before)} becomes {number(self.after)}'}"


def transform_name(transform: str | Transform) -> str:
    """The name of a transform; of one's own, that of the function."""
    return transform if isinstance(transform, str) else getattr(transform, "__name__", repr(transform))


def stages(matrix: Matrix, transforms: Sequence[str | Transform]) -> tuple[Matrix, ...]:
    """S, and the matrix after each transform; the last one is what is factorised."""
    found = [matrix]
    for transform in transforms:
        found.append(proximity(found[-1], [transform]))
    return tuple(found)


def steps(matrices: Sequence[Matrix], transforms: Sequence[str | Transform], a: int, b: int) -> tuple[Step, ...]:
    """The way of the entry [a, b] through the transforms."""
    return tuple(
        _step(transform, matrices[place], matrices[place + 1], a, b) for place, transform in enumerate(transforms)
    )


def _step(transform: str | Transform, before: Matrix, after: Matrix, a: int, b: int) -> Step:
    numbers_of = NUMBERS.get(transform) if isinstance(transform, str) else None
    numbers = numbers_of(before, a, b) if numbers_of else {}
    return Step(transform_name(transform), float(before[a, b]), float(after[a, b]), numbers)


def _both_ways_numbers(matrix: Matrix, a: int, b: int) -> dict[str, float]:
    return {"reverse": float(matrix[b, a]), "reciprocity": reciprocity(matrix)}


def _near_itself_numbers(matrix: Matrix, a: int, b: int) -> dict[str, float]:
    if a != b:
        return {}
    others = [matrix[[a], :].toarray().ravel(), matrix[:, [a]].toarray().ravel()]
    return {"largest": max(float(np.delete(entries, a).max(initial=0.0)) for entries in others)}


def _scale_by_degree_numbers(matrix: Matrix, a: int, b: int) -> dict[str, float]:
    return {"row_sum": float(matrix[[a], :].sum()), "column_sum": float(matrix[:, [b]].sum())}


def _both_ways_words(step: Step) -> str:
    reverse, reciprocity = step.numbers["reverse"], step.numbers["reciprocity"]
    told = f"the way back is {number(reverse)}, and {number(reciprocity)} of it {number(reciprocity * reverse)}"
    if step.after > step.before:
        return f"{told}, more than {number(step.before)}: taken"
    return f"{told}, not more than {number(step.before)}: stays"


def _near_itself_words(step: Step) -> str:
    if "largest" not in step.numbers:
        return "changes only how near a node is to itself: stays"
    return f"{number(SELF_SHARE)} of its largest other entry, {number(step.numbers['largest'])} = {number(step.after)}"


def _scale_by_degree_words(step: Step) -> str:
    sums = f"{number(step.numbers['row_sum'])} x {number(step.numbers['column_sum'])}"
    return f"{number(step.before)} / ({sums}) ^ 1/5, the sums of row and column = {number(step.after)}"


NUMBERS: dict[str, Callable[[Any, int, int], dict[str, float]]] = {
    "both_ways": _both_ways_numbers,
    "near_itself": _near_itself_numbers,
    "scale_by_degree": _scale_by_degree_numbers,
}
WORDS: dict[str, Callable[[Step], str]] = {
    "both_ways": _both_ways_words,
    "near_itself": _near_itself_words,
    "scale_by_degree": _scale_by_degree_words,
}
