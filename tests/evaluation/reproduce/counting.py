"""A method that tells how often it was asked."""

from __future__ import annotations

import numpy as np

from honem import Corpus, Embedding


class Counting:
    """Random vectors, and a count of the fits."""

    name = "counting"

    def __init__(self) -> None:
        self.fits = 0

    def fit(self, corpus: Corpus, dimension: int, seed: int) -> Embedding:
        self.fits += 1
        return Embedding(corpus.vocabulary, np.random.default_rng(seed).normal(size=(corpus.n_nodes, dimension)))
