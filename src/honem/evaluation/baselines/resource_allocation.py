"""Resource allocation (Zhou, Lu and Zhang 2009): what one node sends to another through their common neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honem.corpus import Corpus
from honem.evaluation.baselines.base import out_strengths
from honem.evaluation.baselines.pair_products import ProductScorer, neighbors, scaled_common_neighbors
from honem.evaluation.methods import RegisteredMethod, register_method


@register_method
@dataclass(frozen=True)
class ResourceAllocation(RegisteredMethod):
    """Score a pair by the sum of 1 / degree over the common neighbours of its nodes.

    Neighbours are nodes with a step between them in either direction; how often does not matter.
    """

    name = "resource-allocation"
    kind = "scores"
    position = 26

    def fit(self, corpus: Corpus) -> ProductScorer:
        """Count the neighbours of each node."""
        adjacency = neighbors(corpus)
        return scaled_common_neighbors(adjacency, 1 / np.maximum(out_strengths(adjacency), 1.0), corpus.vocabulary)
