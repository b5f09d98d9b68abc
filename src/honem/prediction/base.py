"""The distribution below order 1: what is popular, and what vectors say about nodes that were never seen to follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus
from honem.prediction.smoothing import Blend, Smoothing
from honem.prediction.trie import ContextTrie

Values = NDArray[np.float64]


class StepVectors(NamedTuple):
    """Source and target vectors of all nodes; the score of a step is the scalar product of both."""

    source: Values
    target: Values

    @classmethod
    def of(cls, source: Values, target: Values | None) -> StepVectors:
        """Return vectors in which nodes have the same vector in both roles if there are no target vectors."""
        return cls(source, source if target is None else target)

    def scores(self, nodes: NDArray[np.integer[Any]]) -> Values:
        """Return the scores of all steps from some nodes, one row per node."""
        from honem.prediction.base_kernel import score_steps

        return np.asarray(score_steps(self.source[nodes], self.target))


Embed = Callable[[Corpus], StepVectors]
"""Learns vectors of the nodes of a corpus."""


@dataclass(frozen=True, eq=False)
class Base:
    """The distribution that contexts of order 1 back off to.

    After node i it is `share * softmax_t(popularity * ln p(t) + affinity * source_i . target_t) + (1 - share) * p(t)`,
    where p is the distribution of order 0.

    Attributes
    ----------
    order_zero : array of float
        p: the probability of each node after no known context.
    smoothing : Smoothing
        The factors.
    vectors : StepVectors or None
        The vectors; None if their share is 0.
    """

    order_zero: Values
    smoothing: Smoothing
    vectors: StepVectors | None = None

    @classmethod
    def of(cls, trie: ContextTrie, blend: Blend, smoothing: Smoothing, vectors: StepVectors | None) -> Base:
        """Return the base of a model."""
        return cls(order_zero(trie, blend), smoothing, vectors if smoothing.base_share else None)

    def after(self, nodes: NDArray[np.int64]) -> Values:
        """Return the distributions after some last nodes, one row per node; -1 is no node."""
        from honem.prediction.base_kernel import guess_rows

        rows = np.tile(self.order_zero, (len(nodes), 1))
        if self.vectors is not None:
            known = np.flatnonzero(nodes >= 0)
            factors, share = self.smoothing, self.smoothing.base_share
            scores = self.vectors.scores(nodes[known])
            guesses = guess_rows(scores, np.log(self.order_zero), factors.popularity, factors.affinity)
            rows[known] = share * guesses + (1.0 - share) * rows[known]
        return rows


def order_zero(trie: ContextTrie, blend: Blend) -> Values:
    """Return the distribution of the empty context, interpolated with the uniform one."""
    found = np.full(trie.n_nodes, blend.left_over[0] / trie.n_nodes)
    n_rows = trie.row_offsets[1]
    found[trie.targets[:n_rows]] += blend.shares[:n_rows]
    return found
