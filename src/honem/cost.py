"""What a fit will take, before it starts: measured on a sample of the sequences and scaled up."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from honem._internal.ragged import gather_ranges
from honem.corpus import Corpus
from honem.estimator import HONEM

SAMPLE_STEPS = 300_000
ENGINE_BYTES_A_STEP = 13  # trail, packed entries and split marks of the local engine
COPIES_OF_RULES = 3  # rules stand as batches, joined, and in their final order
VECTOR_SETS = 6  # source and target, the same in the solver, and its spare directions


@dataclass(frozen=True)
class Estimate:
    """Memory and time of a fit, and what they were scaled up from."""

    steps: int
    nodes: int
    sampled_steps: int
    seconds: float
    memory_bytes: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.steps:,} steps over {self.nodes:,} nodes: about {self.seconds:,.0f} s and "
            f"{self.memory_bytes / 2**30:.2f} GiB, scaled up from {self.sampled_steps:,} steps"
        )


def estimate(model: HONEM, corpus: Corpus) -> Estimate:
    """What `model.fit(corpus)` will take.

    Time grows about as the steps do, and less than that once most histories have been seen; rules likewise. So this
    errs to the high side.
    """
    sample = thin_out(corpus, SAMPLE_STEPS)
    trial = clone(model).set_params(verbose=False)
    trial.fit(thin_out(corpus, 1000))  # compiles, or loads, the kernels
    started = time.perf_counter()
    trial.fit(sample)
    share = corpus.n_steps / sample.n_steps
    rules = trial.rules_
    columns = (rules.context_nodes, rules.context_offsets, rules.target_offsets, rules.targets, rules.counts)
    memory = (
        corpus.tokens.nbytes
        + corpus.offsets.nbytes
        + corpus.weights.nbytes
        + corpus.n_steps * (ENGINE_BYTES_A_STEP + 8 * corpus.is_weighted)
        + COPIES_OF_RULES * share * sum(column.nbytes for column in columns)
        + VECTOR_SETS * corpus.n_nodes * model.n_components * 8
    )
    return Estimate(
        corpus.n_steps, corpus.n_nodes, sample.n_steps, (time.perf_counter() - started) * share, int(memory)
    )


def thin_out(corpus: Corpus, n_steps: int) -> Corpus:
    """Every so-manieth sequence, so that about `n_steps` are left, and at least one step."""
    every = max(1, round(corpus.n_steps / n_steps))
    longest = int(np.argmax(corpus.lengths))
    chosen = np.unique(np.append(np.arange(0, corpus.n_sequences, every), longest))
    tokens = corpus.tokens[gather_ranges(corpus.offsets[chosen], corpus.lengths[chosen])]
    return Corpus.from_arrays(corpus.vocabulary.labels, tokens, corpus.lengths[chosen], corpus.weights[chosen])
