"""A predictor of the next node that gives all nodes the same chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honem import Corpus
from honem.evaluation import RegisteredMethod, register_method
from honem.prediction import StepScores


class Uniform:
    def score(self, corpus: Corpus) -> StepScores:
        chances = np.full(corpus.n_steps, -np.log2(corpus.n_nodes))
        return StepScores(chances, np.full(corpus.n_steps, corpus.n_nodes))


@register_method
@dataclass(frozen=True, kw_only=True)
class UniformMethod(RegisteredMethod):
    name = "toy-uniform"
    kind = "predictions"

    def fit(self, corpus: Corpus) -> Uniform:
        return Uniform()
