"""Estimate time and memory of a fit from samples of the sequences."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from honem.corpus import Corpus
from honem.estimator import HONEM
from honem.rules.engines import make_engine
from honem.rules.engines.local.layout import layout_bytes
from honem.rules.table import RuleTable

SAMPLE_STEPS = (250_000, 1_000_000)
COPIES_OF_RULES = 3  # rules exist in batches, concatenated, and in their final order
VECTOR_SETS = 6  # source and target vectors, the same in the solver, and its extra directions
LIBRARIES = 300 * 2**20  # what NumPy, SciPy, Numba and Arrow take, where it cannot be measured


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
        Estimated peak memory of the process.
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

    Rules are extracted from two samples, of 250,000 and 1 million steps, and vectors are computed for the larger one.
    The time of extraction grows with the number of steps. The number of rules grows more slowly, by the power of it
    that the two samples suggest. The time of the factorization hardly depends on the number of steps, since nodes
    that are not in a sample count as well.

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
    trial = clone(model).set_params(verbose=False)
    trial.fit(thin_out(corpus, 1000))  # compiles the kernels or loads them from the cache
    small, large = (thin_out(corpus, n_steps) for n_steps in SAMPLE_STEPS)
    n_few_rows = _extract(model, small)[0].n_rows
    rules, extracting = _extract(model, large)
    started = time.perf_counter()
    member, _ = model.choose_member(large, *model.plan())
    member.recipe.embed(
        rules, member.n_components, solver=model.solver, random_state=model.random_state, n_jobs=model.n_jobs
    )
    embedding = time.perf_counter() - started
    share = corpus.n_steps / large.n_steps
    more_rules = share ** _power((small.n_steps, n_few_rows), (large.n_steps, rules.n_rows))
    n_values = corpus.n_nodes * model.n_components
    more_values = (more_rules * rules.n_rows + n_values) / (rules.n_rows + n_values)
    columns = (rules.context_nodes, rules.context_offsets, rules.target_offsets, rules.targets, rules.counts)
    memory = (
        _resident_bytes(corpus)
        + layout_bytes(corpus)
        + COPIES_OF_RULES * more_rules * sum(column.nbytes for column in columns)
        + VECTOR_SETS * n_values * 8
    )
    seconds = share * extracting + more_values * embedding
    return Estimate(corpus.n_steps, corpus.n_nodes, large.n_steps, seconds, int(memory))


def _extract(model: HONEM, corpus: Corpus) -> tuple[RuleTable, float]:
    """Return the rules of a sample, and the seconds that they took."""
    started = time.perf_counter()
    rules = make_engine(model.engine, model.n_jobs).extract_rules(corpus, model.plan()[0])
    return rules, time.perf_counter() - started


def _power(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Return p, from 0 to 1, of y = c x^p through two points."""
    (x, y), (other_x, other_y) = first, second
    return float(np.clip(np.log(other_y / y) / np.log(other_x / x), 0, 1)) if other_x > x else 1.0


def _resident_bytes(corpus: Corpus) -> int:
    """Return the memory of this process, in which the corpus is already."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return LIBRARIES + corpus.tokens.nbytes + corpus.offsets.nbytes + corpus.weights.nbytes
    return pages * os.sysconf("SC_PAGE_SIZE")


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
