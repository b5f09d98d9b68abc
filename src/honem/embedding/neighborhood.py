"""Neighbourhood matrices: D^v of the rules of each order v, and their combination S (section 4 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from honem.corpus import Vocabulary
from honem.embedding.combining import COMBINATIONS, Combination, Mean, default_combination
from honem.embedding.order_weights import OrderWeights, order_weighting, require_weights
from honem.embedding.pieces import piece_of
from honem.embedding.weighting import WEIGHTINGS, Weighting
from honem.errors import ParameterError
from honem.rules import Rules

if TYPE_CHECKING:
    from honem.embedding.matrices import Array, Matrix


@dataclass(frozen=True, eq=False)
class NeighborhoodMatrix:
    """How strongly each node leads to each other node, order by order and combined.

    Rows are the nodes where contexts begin, columns the nodes they lead to; both are all nodes of the corpus, in order
    of first appearance.

    Attributes
    ----------
    vocabulary : Vocabulary
        The nodes.
    by_order : tuple of csr_array
        `by_order[v - 1]` is D^v.
    order_weights : ndarray
        `order_weights[v - 1]` is w_k, k = v - 1, of the paper's equation 1.
    combination : Combination
        How the weighted matrices become S: their mean, or their maximum.
    """

    vocabulary: Vocabulary
    by_order: tuple[Matrix, ...]
    order_weights: Array
    combination: Combination = field(default_factory=Mean)

    def order(self, order: int) -> Matrix:
        """Return the matrix of one order.

        Parameters
        ----------
        order : int
            The order v, from 1 to the highest order of the rules.

        Returns
        -------
        csr_array of shape (n_nodes, n_nodes)
            D^v.

        Raises
        ------
        ParameterError
            If there are no rules of that order.
        """
        if not 1 <= order <= len(self.by_order):
            raise ParameterError(f"there are orders 1 to {len(self.by_order)}, not {order!r}")
        return self.by_order[order - 1]

    @cached_property
    def matrix(self) -> Matrix:
        """S, the combination of all D^v."""
        return self.combination.matrix(self.by_order, self.order_weights, len(self.vocabulary))

    def __repr__(self) -> str:
        entries = ", ".join(f"D^{order}: {matrix.nnz}" for order, matrix in enumerate(self.by_order, start=1))
        return f"NeighborhoodMatrix({len(self.vocabulary)} nodes; entries: {entries or 'none'}; S: {self.matrix.nnz})"


def neighborhood(
    rules: Rules,
    order_weights: OrderWeights = "exponential",
    weighting: str | Weighting = "probability",
    combination: str | Combination | None = None,
) -> NeighborhoodMatrix:
    """Compute the neighbourhood matrices of rules; with the defaults, those of the paper.

    Parameters
    ----------
    rules : RuleTable or other Rules
        The rules, in memory or still on a cluster.
    order_weights : str, sequence of float, callable or OrderWeighting, default="exponential"
        How much each order counts. "exponential": w_k = exp(-k), k being the order minus 1. "constant": 1.
        "increasing": k + 1. "similarity": the cosine similarity of D^v to D^1 off their diagonals, but at least
        exp(-1.5 k). "learnt": short for "similarity" with `combination="maximum"`. Or one number per order, or a
        function of k.
    weighting : str or Weighting, default="probability"
        What a rule contributes to D^v(i, j). "probability": the mean of P(j|c) over the rules c from i to j. "count":
        the sum n of their counts. "evidence": log10(1 + 9 n).
    combination : str, Combination or None, default=None
        "mean": S is the weighted mean of all D^v. "maximum": S(i, j) is the largest of w_k D^v(i, j). None means
        "maximum" with `order_weights="learnt"` and "mean" otherwise.

    Returns
    -------
    NeighborhoodMatrix

    Raises
    ------
    ParameterError
        For unknown names, weights that are negative or all 0, or fewer weights than orders.

    Examples
    --------
    >>> from honem import Corpus, extract_rules
    >>> rules = extract_rules(Corpus.from_sequences([list("ACDEACDBCE")] * 5), engine="reference")
    >>> near = neighborhood(rules)
    >>> a, d = rules.vocabulary.id("A"), rules.vocabulary.id("D")
    >>> float(near.order(2)[a, d])
    1.0
    """
    weigh = piece_of("weighting", weighting, WEIGHTINGS, Weighting)  # type: ignore[type-abstract]
    weigh_orders = order_weighting(order_weights)
    chosen = default_combination(order_weights) if combination is None else combination
    combine = piece_of("combination", chosen, COMBINATIONS, Combination)  # type: ignore[type-abstract]
    matrices = tuple(weigh.matrix(rules, order) for order in range(1, rules.max_order + 1))
    weights = weigh_orders.weights(matrices)
    require_weights(weights)
    return NeighborhoodMatrix(rules.vocabulary, matrices, weights, combine)
