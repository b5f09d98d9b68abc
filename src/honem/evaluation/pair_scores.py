"""Scores of pairs of nodes, from vectors or from anything else that can rank pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Vocabulary
from honem.embedding import Embedding, Score, Vectors
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

OWN_SCORE = "own score"
"""How tables call the score of a scorer without vectors."""


class PairScorer(Protocol):
    """Scores for all ordered pairs of nodes, without vectors; a higher score ranks higher."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The nodes, in the order of rows and columns."""

    def scores_from(self, nodes: NDArray[np.int64]) -> Vectors:
        """Return one row per node given by its id, with its score to every node of the vocabulary."""
        ...


Scored = Embedding | PairScorer
"""What link prediction and reconstruction can judge."""
RowsOfScores = Callable[[NDArray[np.int64]], Vectors]


@dataclass(frozen=True)
class SelectedScorer:
    """The scores of another scorer for some of its nodes, given by their ids, in another order."""

    scorer: PairScorer
    vocabulary: Vocabulary
    rows: NDArray[np.int64]

    def scores_from(self, nodes: NDArray[np.int64]) -> Vectors:
        """Return one row of scores per node."""
        return self.scorer.scores_from(self.rows[nodes])[:, self.rows]


@overload
def select_nodes(model: Embedding, vocabulary: Vocabulary, rows: NDArray[np.int64]) -> Embedding: ...
@overload
def select_nodes(model: Scored, vocabulary: Vocabulary, rows: NDArray[np.int64]) -> Scored: ...
def select_nodes(model: Scored, vocabulary: Vocabulary, rows: NDArray[np.int64]) -> Scored:
    """Return the model for the nodes in these rows, under the names of a vocabulary; row -1 is a vector of zeros."""
    if not isinstance(model, Embedding):
        return SelectedScorer(model, vocabulary, rows)
    target = None if model.target is None else _selected(model.target, rows)
    evidence = None if model.evidence is None else _selected_entries(model.evidence, rows)
    return replace(model, vocabulary=vocabulary, source=_selected(model.source, rows), target=target, evidence=evidence)


def _selected(vectors: Vectors, rows: NDArray[np.int64]) -> Vectors:
    if (rows < 0).any():
        vectors = np.vstack((vectors, np.zeros((1, vectors.shape[1]))))
    return vectors[rows]


def _selected_entries(matrix: Matrix, rows: NDArray[np.int64]) -> Matrix:
    from scipy.sparse import block_diag, csr_array  # slow to import, and seldom needed

    if (rows < 0).any():
        matrix = block_diag((matrix, csr_array((1, 1))), format="csr")  # an empty row and column for row -1
    return matrix[rows][:, rows]


def rows_of_scores(model: Scored, score: Score | None = None) -> RowsOfScores:
    """Return the function from ids of nodes to rows of scores, of vectors or of a scorer; its results may be modified.

    `score` is how vectors are compared; a PairScorer has only its own score.
    """
    if isinstance(model, Embedding):
        return model._comparison(score or model.default_score)
    return lambda nodes: checked_scores(model, nodes)


def checked_scores(scorer: PairScorer, nodes: NDArray[np.int64]) -> Vectors:
    """Return a copy of the scores from some nodes; raise ParameterError if they cannot be ranked."""
    scores = np.array(scorer.scores_from(nodes), np.float64)
    expected = (len(nodes), len(scorer.vocabulary))
    if scores.shape != expected:
        raise ParameterError(f"the scores from {len(nodes)} nodes have shape {scores.shape}, not {expected}")
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
        raise ParameterError(f"the scores from {scorer.vocabulary[int(nodes[row])]!r} are not all finite")
    return scores
