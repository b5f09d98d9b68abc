"""A baseline that looks at the paths themselves: the mean position of a node in its sequences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honem import Corpus, Embedding
from honem.evaluation import RegisteredMethod, register_method


@register_method
@dataclass(frozen=True, kw_only=True)
class MeanPosition(RegisteredMethod):
    n_components: int = 128
    scale: float = 1.0

    name = "toy-position"
    kind = "vectors"

    def fit(self, corpus: Corpus) -> Embedding:
        position = np.concatenate([np.arange(length) for length in corpus.lengths])
        total = np.bincount(corpus.tokens, position, minlength=corpus.n_nodes)
        mean = self.scale * total / np.bincount(corpus.tokens, minlength=corpus.n_nodes)
        return Embedding(corpus.vocabulary, np.tile(mean[:, None], self.n_components))
