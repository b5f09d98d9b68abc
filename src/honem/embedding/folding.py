"""Folding in: vectors of nodes that the model does not know, from their steps to and from nodes that it knows.

The neighbourhood matrix gets one more row and column per new node, filled from first-order steps, and goes through the
transforms of the recipe. The vector of a new node is what the factorization, with all known vectors as they are, gives
for its row and column.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.words import amount, name_of
from honem.corpus import Corpus, Vocabulary
from honem.embedding.embedding import Embedding
from honem.embedding.neighborhood import NeighborhoodMatrix
from honem.embedding.recipe import Embedded, Recipe
from honem.errors import HonemWarning
from honem.rules import PairSums, Rules

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True, eq=False)
class ExtendedSteps:
    """The first-order steps of a model, and those of new paths that touch a new node, as Rules of order 1."""

    vocabulary: Vocabulary
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]
    max_order: int = 1

    @classmethod
    def of(cls, rules: Rules, corpus: Corpus) -> ExtendedSteps:
        """Add the steps of paths to and from new nodes to those of the rules; new nodes get the next numbers."""
        vocabulary = rules.vocabulary.extended(corpus.vocabulary)
        known, n_known = rules.pair_sums(1), len(rules.vocabulary)
        sources, targets, counts = distinct_steps(corpus, vocabulary)
        touched = (sources >= n_known) | (targets >= n_known)
        return cls(
            vocabulary,
            np.concatenate((known.oldest, sources[touched])).astype(np.int32),
            np.concatenate((known.targets, targets[touched])).astype(np.int32),
            np.concatenate((known.counts, counts[touched])),
        )

    def pair_sums(self, order: int) -> PairSums:
        """Return each step with its count and its share of the steps from the same node."""
        totals = np.bincount(self.sources, self.counts, len(self.vocabulary))
        shares = self.counts / totals[self.sources]
        return PairSums(self.sources, self.targets, np.ones(len(shares), np.int64), self.counts, shares)


def distinct_steps(
    corpus: Corpus, vocabulary: Vocabulary
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct steps of a corpus as numbers of a vocabulary, and how often each was taken."""
    numbers = np.array([vocabulary.id(node) for node in corpus.vocabulary], np.int64)[corpus.tokens]
    is_step = np.ones(max(len(numbers) - 1, 0), np.bool_)
    ends = corpus.offsets[1:-1]  # a step does not lead from one sequence to the next
    is_step[ends[(ends > 0) & (ends < len(numbers))] - 1] = False
    pairs = (numbers[:-1] * len(vocabulary) + numbers[1:])[is_step]
    distinct, places = np.unique(pairs, return_inverse=True)
    counts = np.zeros(len(distinct), np.int64)
    np.add.at(counts, places, np.repeat(corpus.weights, corpus.lengths)[:-1][is_step])
    return distinct // len(vocabulary), distinct % len(vocabulary), counts


def fold_in(corpus: Corpus, rules: Rules, recipe: Recipe, embedded: Embedded) -> Embedding:
    """Return the vectors of all known nodes, unchanged, followed by those of nodes that only the corpus has.

    Parameters
    ----------
    corpus : Corpus
        Paths of the new nodes. Steps between known nodes have no effect.
    rules : Rules
        The rules of the model; those of order 1 are used.
    recipe : Recipe
        How rules became vectors.
    embedded : Embedded
        What the recipe made of the rules.

    Returns
    -------
    Embedding
    """
    embedding, n_known = embedded.embedding, len(embedded.embedding)
    steps = ExtendedSteps.of(rules, corpus)
    if len(steps.vocabulary) == n_known:
        return embedding
    proximity = recipe.proximity(extended_neighborhood(embedded.neighborhood, steps, recipe))
    rows, columns = proximity[n_known:, :n_known], proximity[:n_known, n_known:].T.tocsr()
    warn_of_unconnected(steps.vocabulary.labels[n_known:], rows, columns)
    source, target = recipe.factorization.fold_in(embedding, embedded.proximity, rows, columns)
    assert embedding.target is not None
    return replace(
        embedding,
        vocabulary=steps.vocabulary,
        source=np.vstack((embedding.source, source)),
        target=np.vstack((embedding.target, target)),
    )


def extended_neighborhood(near: NeighborhoodMatrix, steps: ExtendedSteps, recipe: Recipe) -> NeighborhoodMatrix:
    """Return the neighbourhood with rows and columns of new nodes, in which entries of known pairs are unchanged."""
    n_known, n_nodes = len(near.vocabulary), len(steps.vocabulary)
    first = recipe.weighting_piece.matrix(steps, 1).tocoo()
    is_known = (first.row < n_known) & (first.col < n_known)
    first.data[is_known] = 0.0
    added = first.tocsr()
    added.eliminate_zeros()
    matrices = [_widened(matrix, n_nodes) for matrix in near.by_order]
    return NeighborhoodMatrix(
        steps.vocabulary, (matrices[0] + added, *matrices[1:]), near.order_weights, near.combination
    )


def _widened(matrix: Matrix, n_nodes: int) -> Matrix:
    """Return a copy with empty rows and columns at the end."""
    wide: Any = matrix.copy()
    wide.resize((n_nodes, n_nodes))
    widened: Matrix = wide
    return widened


def warn_of_unconnected(nodes: tuple[Hashable, ...], rows: Matrix, columns: Matrix) -> None:
    """Warn of new nodes without a step to or from a known one: their vectors are zeros."""
    alone = np.flatnonzero((np.diff(rows.indptr) == 0) & (np.diff(columns.indptr) == 0))
    if len(alone):
        warnings.warn(
            f"{amount(len(alone), 'new node')} ({name_of(nodes[alone[0]])}{', ...' if len(alone) > 1 else ''}) with no "
            "step to or from a known node: vectors of zeros",
            HonemWarning,
            stacklevel=3,
        )
