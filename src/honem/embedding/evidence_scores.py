"""Scores that add the direct evidence for a pair to the score of its vectors."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_whole
from honem.corpus import Vocabulary
from honem.embedding.embedding import Embedding, Neighbor, Vectors, highest_scores

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True, eq=False)
class EvidenceScores:
    """The score of the vectors plus the entry of the proximity matrix, for ranking candidates.

    Vectors of few dimensions generalize: they say which nodes are alike. The matrix remembers: what was observed in the
    other direction, or two steps apart. With few dimensions or on large sparse networks, both together rank better than
    either. The matrix is needed at hand, so this is a property of a model and not of its vectors.

    Parameters
    ----------
    embedding : Embedding
        The vectors, compared by their default score.
    matrix : csr_array of shape (n_nodes, n_nodes)
        The matrix that was factorized.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> embedding = Embedding(Vocabulary(("a", "b", "c")), np.array([[1.0], [2.0], [1.0]]))
    >>> scores = EvidenceScores(embedding, csr_array([[0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> scores.score("a", "c"), scores.neighbors("a", 1)
    (4.0, [Neighbor(node='c', score=4.0)])
    """

    embedding: Embedding
    matrix: Matrix

    @property
    def vocabulary(self) -> Vocabulary:
        """The nodes, in the order of rows and columns."""
        return self.embedding.vocabulary

    def scores_from(self, nodes: NDArray[np.int64]) -> Vectors:
        """Return the scores of some nodes, given by row number, to all nodes.

        Parameters
        ----------
        nodes : ndarray of int
            Row numbers of the nodes.

        Returns
        -------
        ndarray of shape (n_nodes_given, n_nodes)
        """
        blocks = [scores for _, scores in self.embedding.score_blocks(nodes)]
        of_vectors = np.vstack(blocks) if blocks else np.zeros((0, len(self.vocabulary)))
        scores: Vectors = of_vectors + self.matrix[nodes].toarray()
        return scores

    def score(self, a: Hashable, b: Hashable) -> float:
        """Return the score of the ordered pair (a, b).

        Parameters
        ----------
        a, b : node
            The nodes.

        Returns
        -------
        float

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        """
        first, second = self.vocabulary.id(a), self.vocabulary.id(b)
        return self.embedding.score(a, b) + float(self.matrix[first, second])

    def neighbors(self, node: Hashable, n: int = 10) -> list[Neighbor]:
        """Return the nodes with the highest scores from a node, without the node itself.

        Parameters
        ----------
        node : node
            The node.
        n : int, default=10
            Number of neighbours.

        Returns
        -------
        list of Neighbor
            Pairs of node and score, highest score first; equal scores in the order of the nodes.

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        ParameterError
            If `n` is less than 1.
        """
        require_whole("n", n, least=1)
        number = self.vocabulary.id(node)
        scores = self.scores_from(np.array([number]))
        scores[0, number] = -np.inf
        ids, best = highest_scores(scores, min(n, len(self.vocabulary) - 1))
        return [Neighbor(self.vocabulary[i], value) for i, value in zip(ids[0].tolist(), best[0].tolist(), strict=True)]
