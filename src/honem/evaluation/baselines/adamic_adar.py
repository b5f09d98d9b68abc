"""Adamic-Adar (2003): common neighbours, those with few neighbours of their own counting more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honem.corpus import Corpus
from honem.evaluation.baselines.base import out_strengths
from honem.evaluation.baselines.pair_products import ProductScorer, neighbors, scaled_common_neighbors
from honem.evaluation.methods import RegisteredMethod, register_method


@register_method
@dataclass(frozen=True)
class AdamicAdar(RegisteredMethod):
    """Score a pair by the sum of 1 / log(degree) over the common neighbours of its nodes.

    Neighbours are nodes with a step between them in either direction; how often does not matter.
    """

    name = "adamic-adar"
    kind = "scores"
    position = 24

    def fit(self, corpus: Corpus) -> ProductScorer:
        """Count the neighbours of each node."""
        adjacency = neighbors(corpus)
        degrees = out_strengths(adjacency)
        # A node with one neighbour, log 1 = 0, is a common neighbour of no pair.
        weights = np.where(degrees > 1, 1 / np.log(np.maximum(degrees, 2)), 0.0)
        return scaled_common_neighbors(adjacency, weights, corpus.vocabulary)
