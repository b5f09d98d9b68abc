"""An entry of the proximity matrix, explained by orders, rules and transforms."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from honem.embedding.neighborhood import NeighborhoodMatrix
from honem.embedding.transforms import Numbers, Transform
from honem.embedding.weighting import Weighting
from honem.rules import RuleTable

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True)
class RulePart:
    """A rule from a to b, and its part of S[a, b].

    Attributes
    ----------
    context : tuple
        The nodes of its context, oldest first; the first one is a.
    count : int
        How often b followed the context.
    support : int
        How often the context was followed by any node.
    probability : float
        count / support.
    part : float
        What the rule contributes to S[a, b].
    """

    context: tuple[Hashable, ...]
    count: int
    support: int
    probability: float
    part: float


@dataclass(frozen=True)
class OrderPart:
    """One order, and its part of S[a, b].

    If S is a mean, the weights sum to 1 and every order contributes weight times value. If S is a maximum, the order
    with the largest product contributes all of it and the others nothing.

    Attributes
    ----------
    order : int
        The order v.
    weight : float
        Its weight in S.
    value : float
        D^v[a, b].
    part : float
        What the order contributes to S[a, b].
    rules : tuple of RulePart
        The rules from a to b of this order, largest part first.
    words : str
        How the value comes from the rules.
    """

    order: int
    weight: float
    value: float
    part: float
    rules: tuple[RulePart, ...]
    words: str = ""

    @property
    def count(self) -> int:
        """The sum of the counts of the rules."""
        return sum(rule.count for rule in self.rules)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as a dict that JSON can hold."""
        numbers = asdict(self)
        del numbers["words"]
        return numbers


def order_parts(
    rules: RuleTable, near: NeighborhoodMatrix, weighting: Weighting, a: Hashable, b: Hashable
) -> tuple[OrderPart, ...]:
    """Divide S[a, b] among the orders, lowest first; orders without a rule from a to b have the value 0."""
    entry = (rules.vocabulary.id(a), rules.vocabulary.id(b))
    values = [float(matrix[entry]) for matrix in near.by_order]
    weights = near.combination.effective_weights(near.order_weights)
    parts = near.combination.parts(weights, values)
    beginning = rules.for_node(a, "oldest")
    rows = np.flatnonzero(beginning.targets == entry[1])
    orders = beginning.orders[beginning.rule_of_row[rows]]
    found = []
    for order, (weight, value, part) in enumerate(zip(weights, values, parts, strict=True), start=1):
        of_order = rule_parts(beginning, rows[orders == order].tolist(), weighting, part)
        words = weighting.describe(value, sum(rule.count for rule in of_order))
        found.append(OrderPart(order, weight, value, part, of_order, words))
    return tuple(found)


def rule_parts(table: RuleTable, rows: list[int], weighting: Weighting, whole: float) -> tuple[RulePart, ...]:
    """Divide the part of an order among its rules, by their shares in the entry; largest first."""
    shares = weighting.shares(table, rows)
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
    """What one transform made of the entry (a, b).

    Attributes
    ----------
    name : str
        The transform.
    before, after : float
        The entry before and after it.
    numbers : dict
        The other numbers that the transform took into account.
    words : str
        What it did.
    """

    name: str
    before: float
    after: float
    numbers: Numbers
    words: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as a dict that JSON can hold."""
        return {"name": self.name, "before": self.before, "after": self.after, "numbers": dict(self.numbers)}

    def __str__(self) -> str:
        return f"{self.name}: {self.words}"


def steps(matrices: Sequence[Matrix], transforms: Sequence[Transform], a: int, b: int) -> tuple[Step, ...]:
    """Follow the entry (a, b) through the transforms; `matrices` are those before the first and after each."""
    return tuple(
        _step(transform, matrices[place], matrices[place + 1], a, b) for place, transform in enumerate(transforms)
    )


def _step(transform: Transform, matrix: Matrix, transformed: Matrix, a: int, b: int) -> Step:
    before, after = float(matrix[a, b]), float(transformed[a, b])
    numbers = transform.numbers(matrix, a, b)
    return Step(transform.name, before, after, numbers, transform.describe(before, after, numbers))
