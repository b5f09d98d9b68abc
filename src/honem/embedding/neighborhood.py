"""RuleTable -> D^v, one matrix an order, and S, what they say together (section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_one_of
from honem.corpus import Vocabulary
from honem.errors import ParameterError
from honem.rules import PairSums, Rules

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64, tuple[int, int]]

Weighting = Literal["probability", "count", "evidence"]
OrderWeights = Literal["learnt", "exponential", "constant", "increasing"] | Sequence[float] | Callable[[int], float]

DECAYS: dict[str, Callable[[int], float]] = {
    "exponential": lambda steps: float(np.exp(-steps)),
    "constant": lambda steps: 1.0,
    "increasing": lambda steps: steps + 1.0,
}


@dataclass(frozen=True, eq=False)
class NeighborhoodMatrix:
    """How strongly each node leads to each other, by what is known of the paths between them.

    `by_order[v - 1]` is D^v and `order_weights[v - 1]` its weight w_k, k = v - 1, of the paper's eq. 1. Rows are
    where a history begins, columns where it goes; both are all nodes of the corpus, in order of first appearance.
    S is their weighted mean, or, where the weights are `learnt`, the largest of the weighted entries.
    """

    vocabulary: Vocabulary
    by_order: tuple[Matrix, ...]
    order_weights: NDArray[np.float64]
    learnt: bool = False

    def order(self, order: int) -> Matrix:
        """D^v."""
        if not 1 <= order <= len(self.by_order):
            raise ParameterError(f"there are orders 1 to {len(self.by_order)}, not {order!r}")
        return self.by_order[order - 1]

    @cached_property
    def matrix(self) -> Matrix:
        """S: the mean of all D^v by their weights, or the largest of their weighted entries."""
        from scipy.sparse import csr_array

        n_nodes = len(self.vocabulary)
        total = csr_array((n_nodes, n_nodes), dtype=np.float64)
        for weight, matrix in zip(self.order_weights, self.by_order, strict=True):
            total = total.maximum(weight * matrix) if self.learnt else total + weight * matrix
        if len(self.order_weights) and not self.learnt:
            total = total / self.order_weights.sum()
        return csr_array(total)

    def __repr__(self) -> str:
        entries = ", ".join(f"D^{order}: {matrix.nnz}" for order, matrix in enumerate(self.by_order, start=1))
        return f"NeighborhoodMatrix({len(self.vocabulary)} nodes; entries: {entries or 'none'}; S: {self.matrix.nnz})"


def neighborhood(
    rules: Rules, order_weights: OrderWeights = "exponential", weighting: Weighting = "probability"
) -> NeighborhoodMatrix:
    """The neighbourhood matrices of a rule table, or of rules that are still on a cluster.

    With `weighting="probability"`, the paper's, D^v is made of `P(j|c)`: a context seen once says as much as one seen a
    thousand times. With "count", D^v(i, j) is how often j came v steps after i, by the rules. With "evidence" it is
    log10(1 + 9 n) of that: once counts 1, about ten times 2, about a hundred times 3; that a step was seen at all
    says most about two nodes, how often it was seen says more about their traffic.

    With `order_weights="learnt"` an order counts by as much as it foretells the first one: w_k is the cosine of D^v
    and D^1 off their diagonals, but at least exp(-1.5k), and S(i, j) the largest of w_k D^v(i, j). Otherwise S is a
    weighted mean.

    >>> from honem import Corpus, extract_rules
    >>> rules = extract_rules(Corpus.from_sequences([list("ACDEACDBCE")] * 5), engine="reference")
    >>> near = neighborhood(rules)
    >>> a, d = rules.vocabulary.id("A"), rules.vocabulary.id("D")
    >>> float(near.order(2)[a, d])
    1.0
    """
    require_one_of("weighting", weighting, get_args(Weighting))
    if isinstance(order_weights, str):
        require_one_of("order_weights", order_weights, ("learnt", *DECAYS))
    matrix_of = {"probability": mean_probabilities, "count": summed_counts, "evidence": damped_counts}[weighting]
    matrices = tuple(matrix_of(rules, order) for order in range(1, rules.max_order + 1))
    if isinstance(order_weights, str) and order_weights == "learnt":
        return NeighborhoodMatrix(rules.vocabulary, matrices, learnt_weights(matrices), learnt=True)
    return NeighborhoodMatrix(rules.vocabulary, matrices, decay_weights(order_weights, rules.max_order))


def mean_probabilities(rules: Rules, order: int) -> Matrix:
    """D^v(i, j): the mean of `P(j|c)` over the rules c of order v that begin at i and have j as a target."""
    pairs = rules.pair_sums(order)
    total = sum_by_pair(rules, pairs, pairs.probabilities)
    total.data /= sum_by_pair(rules, pairs, pairs.amounts).data
    return total


def summed_counts(rules: Rules, order: int) -> Matrix:
    """D^v(i, j): the sum of `n(c -> j)` over the rules c of order v that begin at i."""
    pairs = rules.pair_sums(order)
    return sum_by_pair(rules, pairs, pairs.counts)


def damped_counts(rules: Rules, order: int) -> Matrix:
    """D^v(i, j): log10(1 + 9 n) of those sums n."""
    counts = summed_counts(rules, order)
    counts.data = np.log1p(9 * counts.data) / np.log(10)
    return counts


def sum_by_pair(rules: Rules, pairs: PairSums, values: NDArray[Any]) -> Matrix:
    """A value an entry, summed by where the history begins and where it leads."""
    from scipy.sparse import coo_array

    n_nodes = len(rules.vocabulary)
    where: Any = (pairs.oldest, pairs.targets)
    total: Matrix = coo_array((values.astype(np.float64), where), shape=(n_nodes, n_nodes)).tocsr()
    total.sum_duplicates()
    return total


def learnt_weights(matrices: Sequence[Matrix]) -> NDArray[np.float64]:
    """The cosine of each D^v with D^1, off the diagonals, but at least exp(-1.5k); 1 for the first order.

    Where every path goes from origins by hubs to destinations, no history leads where one step does: the cosine is 0,
    and yet the second order says where from where. So no order counts for nothing.
    """
    others = [without_diagonal(matrix) for matrix in matrices]
    lengths = [np.sqrt(matrix.data @ matrix.data) for matrix in others]
    weights: NDArray[np.float64] = np.exp(-1.5 * np.arange(len(matrices)))
    for steps in range(1, len(matrices)):
        if lengths[0] and lengths[steps]:
            cosine = others[0].multiply(others[steps]).sum() / (lengths[0] * lengths[steps])
            weights[steps] = max(weights[steps], cosine)
    return weights


def without_diagonal(matrix: Matrix) -> Matrix:
    """The matrix with 0 on its diagonal."""
    from scipy.sparse import csr_array, diags_array

    return csr_array(matrix - diags_array(matrix.diagonal()))


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
