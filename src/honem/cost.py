"""Estimate time and memory of a fit by fitting a sample of the sequences."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from honem.corpus import Corpus
from honem.estimator import HONEM

SAMPLE_STEPS = 300_000
ENGINE_BYTES_PER_STEP = 13  # trail, packed entries and split marks of the local engine
COPIES_OF_RULES = 3  # rules exist in batches, concatenated, and in their final order
VECTOR_SETS = 6  # source and target vectors, the same in the solver, and its extra directions


@dataclass(frozen=True)
class Estimate:
    """Estimated time and memory of a fit.

    Attributes
    ----------
    steps, nodes : int
        Size of the corpus.
    sampled_steps : int
        Steps of the sample that was fitted.
    seconds : float
        Estimated time.
    memory_bytes : int
        Estimated memory.
    """

    steps: int
    nodes: int
    sampled_steps: int
    seconds: float
    memory_bytes: int

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as a dict."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.steps:,} steps over {self.nodes:,} nodes: about {self.seconds:,.0f} s and "
            f"{self.memory_bytes / 2**30:.2f} GiB, extrapolated from {self.sampled_steps:,} steps"
        )


def estimate(model: HONEM, corpus: Corpus) -> Estimate:
    """Estimate time and memory of `model.fit(corpus)`.

    A sample of about 300,000 steps is fitted and the result is scaled up linearly. Time and the number of rules grow
    more slowly than the number of steps once most contexts have been observed, so this tends to overestimate.

    Parameters
    ----------
    model : HONEM
        The model with its parameters; it is not fitted.
    corpus : Corpus
        The sequences to fit.

    Returns
    -------
    Estimate
    """
    sample = thin_out(corpus, SAMPLE_STEPS)
    trial = clone(model).set_params(verbose=False)
    trial.fit(thin_out(corpus, 1000))  # compiles the kernels or loads them from the cache
    started = time.perf_counter()
    trial.fit(sample)
    share = corpus.n_steps / sample.n_steps
    rules = trial.rules_
    columns = (rules.context_nodes, rules.context_offsets, rules.target_offsets, rules.targets, rules.counts)
    memory = (
        corpus.tokens.nbytes
        + corpus.offsets.nbytes
        + corpus.weights.nbytes
        + corpus.n_steps * (ENGINE_BYTES_PER_STEP + 8 * corpus.is_weighted)
        + COPIES_OF_RULES * share * sum(column.nbytes for column in columns)
        + VECTOR_SETS * corpus.n_nodes * model.n_components * 8
    )
    return Estimate(
        corpus.n_steps, corpus.n_nodes, sample.n_steps, (time.perf_counter() - started) * share, int(memory)
    )


def thin_out(corpus: Corpus, n_steps: int) -> Corpus:
    """Return every k-th sequence and the longest one, with k such that about `n_steps` steps remain.

    Parameters
    ----------
    corpus : Corpus
        The sequences.
    n_steps : int
        Wanted number of steps.

    Returns
    -------
    Corpus
        The sample, with the vocabulary of the corpus and at least one step if the corpus has one.
    """
    every = max(1, round(corpus.n_steps / n_steps))
    is_chosen = np.arange(corpus.n_sequences) % every == 0
    is_chosen[np.argmax(corpus.lengths)] = True
    return corpus.reweighted(np.where(is_chosen, corpus.weights, 0))
