"""Popularity: every node leads to the most visited nodes; what any method has to beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honem._internal.validation import require_whole
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.evaluation.methods import RegisteredMethod, register_method


@register_method
@dataclass(frozen=True, kw_only=True)
class Popularity(RegisteredMethod):
    """Score a pair by the number of visits of its target: one column of the vectors, the others are 0.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    """

    n_components: int = 128

    name = "popularity"
    kind = "vectors"
    position = 20
    describes_nodes = False

    def __post_init__(self) -> None:
        require_whole("n_components", self.n_components, least=1)

    def fit(self, corpus: Corpus) -> Embedding:
        """Count the visits of each node."""
        source, target = np.zeros((2, corpus.n_nodes, self.n_components))
        source[:, 0] = 1.0
        weights = np.repeat(corpus.weights, corpus.lengths)
        target[:, 0] = np.bincount(corpus.tokens, weights, minlength=corpus.n_nodes)
        return Embedding(corpus.vocabulary, source, target)
