"""EASE (Steck 2019): a linear model that predicts the nodes of a sequence from its other nodes, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_between
from honem.corpus import Corpus, Vocabulary
from honem.embedding import Vectors
from honem.errors import ParameterError
from honem.evaluation.baselines.base import MAX_DENSE_NODES
from honem.evaluation.methods import RegisteredMethod, register_method

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix


@dataclass(frozen=True, eq=False)
class MatrixScorer:
    """Scores of all pairs as a dense matrix."""

    vocabulary: Vocabulary
    scores: Vectors

    def scores_from(self, nodes: NDArray[np.int64]) -> Vectors:
        """Return one row of the matrix per node."""
        return self.scores[nodes]


@register_method
@dataclass(frozen=True, kw_only=True)
class Ease(RegisteredMethod):
    """Score a pair by B_ij = -P_ij / P_jj with P = (X^T X + regularization I)^-1.

    X is a matrix of sequences x nodes, 1 where the sequence visits the node; a sequence of weight w is w rows. B has
    the least squared error of X - X B with a diagonal of 0. Only X^T X and its inverse, N x N, are in memory.

    Parameters
    ----------
    regularization : float, default=500
        Weight of the squared entries of B, lambda in the paper.
    """

    regularization: float = 500.0

    name = "ease"
    kind = "scores"
    position = 28

    def __post_init__(self) -> None:
        require_between("regularization", self.regularization, 0)

    def fit(self, corpus: Corpus) -> MatrixScorer:
        """Invert the regularized Gram matrix.

        Raises
        ------
        ParameterError
            If the corpus has more than 12,000 nodes.
        """
        if corpus.n_nodes > MAX_DENSE_NODES:
            raise ParameterError(
                f"ease makes dense N x N matrices, and N = {corpus.n_nodes} is more than {MAX_DENSE_NODES}; "
                "use l3, adamic-adar or resource-allocation"
            )
        return MatrixScorer(corpus.vocabulary, item_weights(gram_matrix(corpus), self.regularization))


def gram_matrix(corpus: Corpus) -> Matrix:
    """Return X^T X: how many sequences visit both of two nodes."""
    from scipy.sparse import csr_array, diags_array

    sequences = np.repeat(np.arange(corpus.n_sequences), corpus.lengths)
    shape = (corpus.n_sequences, corpus.n_nodes)
    visited = csr_array((np.ones(len(corpus.tokens)), (sequences, corpus.tokens)), shape=shape)
    visited.sum_duplicates()
    visited.data[:] = 1.0
    return csr_array(visited.T @ diags_array(corpus.weights.astype(np.float64)) @ visited)


def item_weights(gram: Matrix, regularization: float) -> Vectors:
    """Return B of a Gram matrix."""
    from scipy.linalg import inv
    from threadpoolctl import threadpool_limits

    inverse = gram.toarray(order="F")
    inverse[np.diag_indices_from(inverse)] += regularization
    with threadpool_limits(1):  # sums of several threads differ in the last bits
        inverse = inv(inverse, overwrite_a=True)
    weights: Vectors = np.divide(inverse, -inverse.diagonal(), out=inverse)
    np.fill_diagonal(weights, 0.0)
    return weights
