"""A task about vectors: their mean length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from honem import Corpus, Embedding
from honem.evaluation import Measure, RegisteredTask, register_task


@register_task
@dataclass(frozen=True, eq=False)
class MeanLength(RegisteredTask):
    command = "toy-length"
    summary = "the mean length of vectors"
    judges = ("vectors",)
    main_metrics = ("mean_length",)
    shown_metrics = ("mean_length",)
    default_methods = ("popularity",)

    corpus: Corpus
    dataset: str = "corpus"
    name: str = "toy_length"

    def training_corpus(self, seed: int) -> Corpus:
        return self.corpus

    def judge(self, fitted: Embedding, seed: int) -> Iterator[Measure]:
        yield Measure("source", "mean_length", float(np.linalg.norm(fitted.source, axis=1).mean()))
