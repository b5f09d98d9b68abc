"""Cross-validated divergence, the idea of DIVOP (Secchini, Garcia-Bernardo and Jansky 2025)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from criteria.counting import Level, count_contexts, rule_table
from honem import Corpus, RuleTable

N_FOLDS = 4
SEED = 0


def by_cross_validation(corpus: Corpus) -> RuleTable:
    """Accept contexts that predict every held-out fold better than their reference, the longest accepted suffix.

    Steps are assigned to four folds at random. For each fold the distributions are estimated from the other three; a
    context gets one additional observation that is distributed as its reference, an order-1 context one that is
    distributed equally over its successors. A context is accepted if the steps of each of the four folds have a higher
    likelihood under it than under its reference, so it must have been seen in all of them.
    """
    n_steps = int(np.maximum(corpus.lengths - 1, 0).sum())
    levels = count_contexts(corpus, folds=np.random.default_rng(SEED).integers(N_FOLDS, size=n_steps))
    first = levels[0]
    accepted = [np.ones(first.n_contexts, np.bool_)]
    uniform = np.broadcast_to((1 / first.n_targets)[first.context_of_row, None], first.counts.shape)
    reference = smoothed(first, uniform)
    for level in levels[1:]:
        expected = reference[level.parent_rows]
        own = smoothed(level, expected)
        saved = level.by_context(level.counts * np.log(own / expected))
        is_accepted = np.all(saved > 0, axis=1)
        reference = np.where(is_accepted[level.context_of_row, None], own, expected)
        accepted.append(is_accepted)
    return rule_table(corpus, levels, accepted)


def smoothed(level: Level, expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of each row without each fold, with one additional observation as expected."""
    others = level.totals[:, None] - level.counts
    estimates: NDArray[np.float64] = (others + expected) / (level.by_context(others)[level.context_of_row] + 1)
    return estimates
