"""L3 (Kovacs et al. 2019): paths of three edges between two nodes, those through busy nodes counting less."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honem._internal.validation import require_switch
from honem.corpus import Corpus
from honem.evaluation.baselines.base import out_strengths
from honem.evaluation.baselines.pair_products import ProductScorer, scaled_columns, undirected_counts
from honem.evaluation.methods import RegisteredMethod, register_method


@register_method
@dataclass(frozen=True, kw_only=True)
class L3(RegisteredMethod):
    """Score a pair by A D^-1/2 A D^-1/2 A, where D are the row sums of A.

    A_ij = log10(1 + 9 (n_ij + n_ji)), where n_ij is the number of steps i -> j; steps from a node to itself included.

    Parameters
    ----------
    evidence : bool, default=True
        Whether the number of steps counts. False replaces every A_ij > 0 by 1, so that D are the degrees, as in the
        paper.
    """

    evidence: bool = True

    name = "l3"
    kind = "scores"
    position = 22

    def __post_init__(self) -> None:
        require_switch("evidence", self.evidence)

    def fit(self, corpus: Corpus) -> ProductScorer:
        """Compute A and A D^-1/2."""
        adjacency = undirected_counts(corpus)
        adjacency.data = np.log10(1 + 9 * adjacency.data) if self.evidence else np.ones_like(adjacency.data)
        sums = out_strengths(adjacency)
        halved = scaled_columns(adjacency, 1 / np.sqrt(np.where(sums > 0, sums, 1.0)))
        return ProductScorer(corpus.vocabulary, (halved, halved, adjacency))
