"""Weighting: what a rule contributes to D^v, the neighbourhood matrix of its order.

To add a weighting, add a subclass of `Weighting` and list it in `WEIGHTINGS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from honem._internal.words import number
from honem.rules import PairSums, Rules, RuleTable

if TYPE_CHECKING:
    from honem.embedding.matrices import Array, Matrix


class Weighting(ABC):
    """How the rules of one order fill the entries of D^v.

    A rule with context c and target j contributes to the entry (i, j), where i is the oldest node of c.
    """

    name: ClassVar[str]

    @abstractmethod
    def matrix(self, rules: Rules, order: int) -> Matrix:
        """Compute D^v for v = `order`."""

    @abstractmethod
    def contributions(self, table: RuleTable, rows: list[int]) -> NDArray[Any]:
        """Return what each of some rows of a rule table adds to an entry, up to a common factor."""

    def shares(self, table: RuleTable, rows: list[int]) -> Array:
        """Return the share that each row has in the entry that all of them fill; the shares sum to 1."""
        contributions = self.contributions(table, rows)
        shares: Array = contributions / contributions.sum()
        return shares

    def describe(self, value: float, count: int) -> str:
        """Describe an entry of D^v, given its value and the sum of the counts of its rules."""
        return number(value)


@dataclass(frozen=True)
class Probability(Weighting):
    """D^v(i, j) is the mean of P(j|c) over the rules c of order v that begin at i and have j as a target (the paper).

    A context that was observed once has the same weight as one that was observed a thousand times.
    """

    name = "probability"

    def matrix(self, rules: Rules, order: int) -> Matrix:
        """Compute the mean probability of each pair."""
        pairs = rules.pair_sums(order)
        total = sum_by_pair(rules, pairs, pairs.probabilities)
        total.data /= sum_by_pair(rules, pairs, pairs.amounts).data
        return total

    def contributions(self, table: RuleTable, rows: list[int]) -> NDArray[Any]:
        """Return the probability of each row."""
        return table.probabilities[rows]


@dataclass(frozen=True)
class Count(Weighting):
    """D^v(i, j) is the sum of the counts n(c -> j) over the rules c of order v that begin at i."""

    name = "count"

    def matrix(self, rules: Rules, order: int) -> Matrix:
        """Compute the summed counts of each pair."""
        pairs = rules.pair_sums(order)
        return sum_by_pair(rules, pairs, pairs.counts)

    def contributions(self, table: RuleTable, rows: list[int]) -> NDArray[Any]:
        """Return the count of each row."""
        return table.counts[rows]

    def describe(self, value: float, count: int) -> str:
        """Return the sum of the counts, which is the entry itself."""
        return f"{count:,}"


@dataclass(frozen=True)
class Evidence(Count):
    """D^v(i, j) is log10(1 + 9 n) of the sum n of the counts: 1 for one observation, about 2 for ten, 3 for a hundred.

    That a transition was observed at all says most about two nodes; how often says more about their traffic.
    """

    name = "evidence"

    def matrix(self, rules: Rules, order: int) -> Matrix:
        """Compute the logarithm of the summed counts of each pair."""
        counts = super().matrix(rules, order)
        counts.data = np.log1p(9 * counts.data) / np.log(10)
        return counts

    def describe(self, value: float, count: int) -> str:
        """Show the logarithm of the sum of the counts."""
        return f"log10(1 + 9 x {count:,})"


def sum_by_pair(rules: Rules, pairs: PairSums, values: NDArray[Any]) -> Matrix:
    """Sum one value per entry of `pairs` over the pairs (oldest node, target)."""
    from scipy.sparse import coo_array

    n_nodes = len(rules.vocabulary)
    where: Any = (pairs.oldest, pairs.targets)
    total: Matrix = coo_array((values.astype(np.float64), where), shape=(n_nodes, n_nodes)).tocsr()
    total.sum_duplicates()
    return total


WEIGHTINGS: dict[str, Weighting] = {weighting.name: weighting for weighting in (Probability(), Count(), Evidence())}
