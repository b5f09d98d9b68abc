"""A method without vectors: a pair scores by the steps between its nodes, in either direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem import Corpus, Vocabulary, first_order_network
from honem.evaluation import RegisteredMethod, register_method


@dataclass(frozen=True, eq=False)
class Matrix:
    vocabulary: Vocabulary
    scores: NDArray[np.float64]

    def scores_from(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.scores[nodes]


@register_method
@dataclass(frozen=True, kw_only=True)
class StepsBothWays(RegisteredMethod):
    name = "toy-steps"
    kind = "scores"

    def fit(self, corpus: Corpus) -> Matrix:
        network = first_order_network(corpus)
        scores = np.zeros((corpus.n_nodes, corpus.n_nodes))
        scores[network.sources, network.targets] = network.counts
        return Matrix(corpus.vocabulary, scores + scores.T)
