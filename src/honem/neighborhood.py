"""RuleTable -> D^v, one matrix an order, and S, their weighted mean (section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from honem.checks import require_one_of
from honem.corpus import Vocabulary
from honem.errors import ParameterError
from honem.rules import RuleTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64, tuple[int, int]]

Weighting = Literal["probability", "evidence"]
OrderWeights = Literal["exponential", "steep", "constant", "increasing"] | Sequence[float] | Callable[[int], float]

DECAYS: dict[str, Callable[[int], float]] = {
    "exponential": lambda steps: float(np.exp(-steps)),
    "steep": lambda steps: float(np.exp(-4 * steps)),
    "constant": lambda steps: 1.0,
    "increasing": lambda steps: steps + 1.0,
}


@dataclass(frozen=True, eq=False)
class NeighborhoodMatrix:
    """How strongly each node leads to each other, by what is known of the paths between them.

    `by_order[v - 1]` is D^v and `order_weights[v - 1]` its weight w_k, k = v - 1, of the paper's eq. 1. Rows are
    where a history begins, columns where it goes; both are all nodes of the corpus, in order of first appearance.
    """

    vocabulary: Vocabulary
    by_order: tuple[Matrix, ...]
    order_weights: NDArray[np.float64]

    def order(self, order: int) -> Matrix:
        """D^v."""
        if not 1 <= order <= len(self.by_order):
            raise ParameterError(f"there are orders 1 to {len(self.by_order)}, not {order!r}")
        return self.by_order[order - 1]

    @cached_property
    def matrix(self) -> Matrix:
        """S: the mean of all D^v by their weights."""
        from scipy.sparse import csr_array

        n_nodes = len(self.vocabulary)
        total = csr_array((n_nodes, n_nodes), dtype=np.float64)
        for weight, matrix in zip(self.order_weights, self.by_order, strict=True):
            total = total + weight * matrix
        if len(self.order_weights):
            total = total / self.order_weights.sum()
        return csr_array(total)

    def __repr__(self) -> str:
        entries = ", ".join(f"D^{order}: {matrix.nnz}" for order, matrix in enumerate(self.by_order, start=1))
        return f"NeighborhoodMatrix({len(self.vocabulary)} nodes; entries: {entries or 'none'}; S: {self.matrix.nnz})"


def neighborhood(
    rules: RuleTable, order_weights: OrderWeights = "exponential", weighting: Weighting = "probability"
) -> NeighborhoodMatrix:
    """The neighbourhood matrices of a rule table.

    With `weighting="probability"`, the paper's, D^v is made of `P(j|c)`: a context seen once says as much as one seen a
    thousand times. With "evidence" it is made of counts: D^v(i, j) is how often j came v steps after i, by the rules.

    >>> from honem import Corpus, extract_rules
    >>> rules = extract_rules(Corpus.from_sequences([list("ACDEACDBCE")] * 5), engine="reference")
    >>> near = neighborhood(rules)
    >>> a, d = rules.vocabulary.id("A"), rules.vocabulary.id("D")
    >>> float(near.order(2)[a, d])
    1.0
    """
    require_one_of("weighting", weighting, get_args(Weighting))
    weights = decay_weights(order_weights, rules.max_order)
    matrix_of = mean_probabilities if weighting == "probability" else summed_counts
    matrices = tuple(matrix_of(rules, order) for order in range(1, rules.max_order + 1))
    return NeighborhoodMatrix(rules.vocabulary, matrices, weights)


def mean_probabilities(rules: RuleTable, order: int) -> Matrix:
    """D^v(i, j): the mean of `P(j|c)` over the rules c of order v that begin at i and have j as a target."""
    rows = rules.rows_of_order(order)
    total = sum_by_pair(rules, rows, rules.probabilities[rows])
    amount = sum_by_pair(rules, rows, np.ones(rows.stop - rows.start))
    total.data /= amount.data
    return total


def summed_counts(rules: RuleTable, order: int) -> Matrix:
    """D^v(i, j): the sum of `n(c -> j)` over the rules c of order v that begin at i."""
    rows = rules.rows_of_order(order)
    return sum_by_pair(rules, rows, rules.counts[rows].astype(np.float64))


def sum_by_pair(rules: RuleTable, rows: slice, values: NDArray[np.float64]) -> Matrix:
    """A value a row of the rules, summed by where the history begins and where it leads."""
    from scipy.sparse import coo_array

    n_nodes = len(rules.vocabulary)
    where: Any = (rules.oldest[rules.rule_of_row[rows]], rules.targets[rows])
    total: Matrix = coo_array((values, where), shape=(n_nodes, n_nodes)).tocsr()
    total.sum_duplicates()
    return total


def decay_weights(order_weights: OrderWeights, max_order: int) -> NDArray[np.float64]:
    """w_k of eq. 1 for k = 0 .. max_order - 1."""
    if isinstance(order_weights, str):
        require_one_of("order_weights", order_weights, tuple(DECAYS))
        order_weights = DECAYS[order_weights]
    if callable(order_weights):
        weights = np.array([order_weights(steps) for steps in range(max_order)], dtype=np.float64)
    else:
        weights = np.array(order_weights, dtype=np.float64)[:max_order]
        if len(weights) < max_order:
            raise ParameterError(
                f"order_weights has {len(weights)} values, but there are rules up to order {max_order}"
            )
    if not (np.isfinite(weights).all() and (weights >= 0).all() and (max_order == 0 or weights.sum() > 0)):
        raise ParameterError(f"order_weights must be at least 0 and not all 0, not {weights.tolist()}")
    return weights
