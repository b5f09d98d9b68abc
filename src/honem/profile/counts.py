"""NodeCounts: what the columns of a profile are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from honem.corpus import VisitCounts
from honem.rules import RuleTable

EndOfContext: TypeAlias = Literal["newest", "oldest"]


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """The rules of a corpus and the visits to its nodes, summed by node.

    A rule is trusted if it is accepted and of order 2 or more.

    Attributes
    ----------
    rules : RuleTable
        The rules.
    visited : VisitCounts
        How often nodes are visited, and how often sequences start and end there.
    """

    rules: RuleTable
    visited: VisitCounts

    @cached_property
    def steps(self) -> Any:
        """The number of steps from each node to each other, a sparse matrix: the counts of the rules of order 1."""
        from scipy.sparse import coo_array

        rules, rows = self.rules, self.rules.rows_of_order(1)
        where = (rules.newest[rules.rule_of_row[rows]], rules.targets[rows])
        n_nodes = len(rules.vocabulary)
        return coo_array((rules.counts[rows].astype(np.float64), where), shape=(n_nodes, n_nodes)).tocsr()

    @cached_property
    def steps_back(self) -> Any:
        """The transpose of `steps`."""
        return self.steps.T.tocsr()

    @cached_property
    def strength_out(self) -> NDArray[np.float64]:
        """The number of steps from each node."""
        return np.asarray(self.steps.sum(axis=1))

    @cached_property
    def strength_in(self) -> NDArray[np.float64]:
        """The number of steps to each node."""
        return np.asarray(self.steps_back.sum(axis=1))

    @cached_property
    def matched_steps(self) -> NDArray[np.float64]:
        """Sum over neighbours j of 2 min(steps to j, steps from j); a step from a node to itself matches itself."""
        return 2.0 * np.asarray(self.steps.minimum(self.steps_back).sum(axis=1))

    def degrees(self, steps: Any) -> NDArray[np.float64]:
        """Return the number of entries in each row of a sparse matrix."""
        return np.asarray(np.diff(steps.indptr), np.float64)

    def entropies(self, steps: Any) -> NDArray[np.float64]:
        """Return the entropy in bits of each row of a sparse matrix of counts; 0 for empty rows."""
        entries = steps.tocoo()
        shares = entries.data / np.asarray(steps.sum(axis=1))[entries.row]
        return self._sums(entries.row, -shares * np.log2(shares))

    @cached_property
    def trusted(self) -> NDArray[np.bool_]:
        """Whether each rule is trusted."""
        return self.rules.accepted & (self.rules.orders > 1)

    def trusted_rules(self, place: EndOfContext, least: int, most: int | None) -> NDArray[np.float64]:
        """Count the trusted rules of the orders from `least` to `most` by the newest or oldest node."""
        orders = self.rules.orders
        chosen = self.trusted & (orders >= least) & (orders <= (orders.max(initial=0) if most is None else most))
        return self._sums(self._nodes(place)[chosen])

    @cached_property
    def highest_order(self) -> NDArray[np.float64]:
        """The highest order of an accepted rule whose newest node is the node; 0 if there is none."""
        highest = np.zeros(len(self.rules.vocabulary))
        np.maximum.at(highest, self.rules.newest[self.rules.accepted], self.rules.orders[self.rules.accepted])
        return highest

    @cached_property
    def changed_steps(self) -> NDArray[np.float64]:
        """The number of steps from each node after a history that ends in the context of a trusted rule.

        The shortest such context is unique, so its support counts each of these steps once.
        """
        rules = self.rules
        shortest = self.trusted & (rules.orders[rules.references] == 1)
        return self._sums(rules.newest[shortest], rules.supports[shortest])

    def bits(self, place: EndOfContext) -> NDArray[np.float64]:
        """Sum support times divergence of the trusted rules by the newest or oldest node.

        A divergence is measured from the longest trusted suffix, so these sums telescope: by newest node they are the
        bits saved when every step is coded by the longest trusted context before it instead of the node alone.
        """
        saved = self.rules.supports * self.rules.divergences
        return self._sums(self._nodes(place)[self.trusted], saved[self.trusted])

    def _nodes(self, place: EndOfContext) -> NDArray[np.int32]:
        return self.rules.newest if place == "newest" else self.rules.oldest

    def _sums(self, nodes: NDArray[Any], values: NDArray[Any] | None = None) -> NDArray[np.float64]:
        return np.bincount(nodes, values, len(self.rules.vocabulary)).astype(np.float64)


def divided(parts: NDArray[np.float64], wholes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide element by element; 0 where the divisor is 0.

    >>> divided(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    return np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0)
