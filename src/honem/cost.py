"""Estimate time and memory of a fit from samples of the sequences."""

from __future__ import annotations

import os
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from honem.corpus import Corpus
from honem.errors import HonemWarning
from honem.estimator import HONEM
from honem.rules.engines import make_engine
from honem.rules.engines.local.layout import layout_bytes
from honem.rules.table import RuleTable
from honem.tuning.sampling import neighborhood_sample, paths_among

SAMPLE_STEPS = (250_000, 1_000_000)
MOST_NODES = 20_000
WARM_UP_STEPS, WARM_UP_NODES = 20_000, 200
TUNING_EXTRACTIONS, NEXT_STEP_EXTRACTIONS = 2.5, 3.0
"""What more steps cost tuning and the next-step model, in extractions of rules from these steps; measured on planted
paths over 500 and 20,000 nodes."""
NEXT_STEP_BYTES = 160
"""Memory per step while contexts are counted; measured on the same paths."""
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


def estimate(model: HONEM, corpus: Corpus, *, with_next_step: bool = True) -> Estimate:
    """Estimate time and memory of `model.fit(corpus)` and of the next-step model.

    A sample is fitted, of at most 1 million steps over 20,000 nodes, so that the estimate takes no longer than that.
    The time of vectors grows with the number of nodes. The time of extraction, which is measured on the same number of
    steps over all nodes, grows with the number of steps; so does the time for counting the contexts of the next-step
    model and of the splits of tuning. The number of rules grows more slowly, by the power of the number of steps that
    a second, smaller sample suggests.

    Parameters
    ----------
    model : HONEM
        The model with its parameters; it is not fitted.
    corpus : Corpus
        The sequences to fit.
    with_next_step : bool, default=True
        Whether the next-step model is fitted, too, as `honem embed` and `HONEM.save` do.

    Returns
    -------
    Estimate
    """
    corpus = model._decayed(model._recent(corpus))
    trial = clone(model).set_params(half_life=None, window=None, verbose=False)
    small, large = (thin_out(corpus, n_steps) for n_steps in SAMPLE_STEPS)
    part = neighborhood_sample(large, MOST_NODES)
    part = part if part.n_steps else large
    _fit(trial, _first_steps(part), with_next_step)  # compiles the kernels or loads them from the cache
    n_few_rows = _extract(model, small)[0].n_rows
    rules, extracting = _extract(model, large)
    tuning, others = _fit(trial, part, with_next_step)
    share, node_share = corpus.n_steps / large.n_steps, corpus.n_nodes / part.n_nodes
    extractions = 1 + TUNING_EXTRACTIONS * (trial.tuning_ is not None) + NEXT_STEP_EXTRACTIONS * with_next_step
    seconds = tuning + node_share * others + extractions * (share - 1) * extracting
    more_rules = share ** _power((small.n_steps, n_few_rows), (large.n_steps, rules.n_rows))
    columns = (rules.context_nodes, rules.context_offsets, rules.target_offsets, rules.targets, rules.counts)
    memory = (
        _resident_bytes(corpus)
        + max(layout_bytes(corpus), NEXT_STEP_BYTES * corpus.n_steps * with_next_step)
        + COPIES_OF_RULES * more_rules * sum(column.nbytes for column in columns)
        + VECTOR_SETS * corpus.n_nodes * model.n_components * 8
    )
    return Estimate(corpus.n_steps, corpus.n_nodes, part.n_steps, seconds, int(memory))


def _fit(model: HONEM, corpus: Corpus, with_next_step: bool) -> tuple[float, float]:
    """Fit a model to a sample, and return the seconds of tuning and of everything else."""
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonemWarning)  # they are about the sample
        model.fit(corpus)
        if with_next_step:
            model.stored_next_step()
    seconds = time.perf_counter() - started
    tuning = 0.0 if model.tuning_ is None else model.tuning_.seconds
    return tuning, seconds - tuning


def _first_steps(corpus: Corpus) -> Corpus:
    """Return the paths among the first few nodes of a corpus, or all of them if none has a step."""
    is_kept = np.zeros(corpus.n_nodes, np.bool_)
    is_kept[corpus.tokens[:WARM_UP_NODES]] = True
    few = paths_among(thin_out(corpus, WARM_UP_STEPS), is_kept)
    return few if few.n_steps else corpus


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
