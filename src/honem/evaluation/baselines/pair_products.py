"""Scores of pairs of nodes from the undirected first-order network: products of sparse matrices, rows on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus, Vocabulary
from honem.embedding import Vectors
from honem.evaluation.baselines.base import edge_weights
from honem.network import first_order_network

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix


@dataclass(frozen=True, eq=False)
class ProductScorer:
    """Scores of all pairs as the product of sparse matrices, which is never computed as a whole."""

    vocabulary: Vocabulary
    factors: tuple[Matrix, ...]

    def scores_from(self, nodes: NDArray[np.int64]) -> Vectors:
        """Return one row of the product per node."""
        rows = self.factors[0][nodes]
        for factor in self.factors[1:]:
            rows = rows @ factor
        return np.asarray(rows.toarray(), np.float64)


def undirected_counts(corpus: Corpus) -> Matrix:
    """Return n + n^T, where n_ij is the number of steps i -> j."""
    return edge_weights(first_order_network(corpus), directed=False)


def neighbors(corpus: Corpus) -> Matrix:
    """Return 1 for every two different nodes with a step between them in either direction."""
    from scipy.sparse import csr_array

    counts = undirected_counts(corpus).tocoo()
    between = counts.row != counts.col
    pairs = (np.ones(np.count_nonzero(between)), (counts.row[between], counts.col[between]))
    return csr_array(pairs, shape=counts.shape)


def scaled_columns(matrix: Matrix, factors: Vectors) -> Matrix:
    """Return the matrix with each column multiplied by a factor."""
    from scipy.sparse import csr_array, diags_array

    return csr_array(matrix @ diags_array(factors))


def scaled_common_neighbors(adjacency: Matrix, weights: Vectors, vocabulary: Vocabulary) -> ProductScorer:
    """Score a pair by the sum of the weights of its common neighbours."""
    return ProductScorer(vocabulary, (scaled_columns(adjacency, weights), adjacency))
