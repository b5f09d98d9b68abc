"""Exact tests of single successors, the idea of HYPA (LaRock et al. 2020) for contexts of any order."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from criteria.counting import Level, count_contexts, rule_table
from criteria.discoveries import FALSE_DISCOVERY_RATE, false_discoveries_bounded
from honem import Corpus, RuleTable
from honem._internal.ragged import gather_ranges, offsets_of

NEGLIGIBLE = 1e-12


def by_hypergeometric_tests(corpus: Corpus) -> RuleTable:
    """Accept contexts after which a successor is more or less frequent than chance allows, given the parent's counts.

    Only the occurrences of the parent that have an older node count. The p-value of a context is the least of the upper
    and lower hypergeometric tails of all successors of the parent, times the number of these tails (Bonferroni).
    Benjamini-Hochberg is applied to each order at 0.05, to the contexts whose margins allow a p-value of 0.05 at all
    (Tarone).
    """
    levels = count_contexts(corpus)
    accepted = [np.ones(levels[0].n_contexts, np.bool_)]
    for previous, level in pairwise(levels):
        n_tails = 2 * previous.by_context((level.margins > 0).astype(np.int64))[level.parents]
        p_values, least = smallest_tails(previous, level, FALSE_DISCOVERY_RATE / n_tails)
        is_tested = (least * n_tails <= FALSE_DISCOVERY_RATE) & (n_tails > 2)
        is_accepted = np.zeros(level.n_contexts, np.bool_)
        is_accepted[is_tested] = false_discoveries_bounded(np.minimum(p_values * n_tails, 1.0)[is_tested])
        accepted.append(is_accepted)
    return rule_table(corpus, levels, accepted)


def smallest_tails(
    previous: Level, level: Level, limits: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest tail of each context, or 1 where it exceeds its limit, and the least that is possible."""
    n_pairs = previous.n_targets[level.parents]
    starts = previous.offsets[level.parents]
    pairs = offsets_of(n_pairs)
    context = np.repeat(np.arange(level.n_contexts), n_pairs)
    margin = level.margins[gather_ranges(starts, n_pairs)]
    count = np.zeros(len(margin), np.int64)
    count[pairs[level.context_of_row] + level.parent_rows - starts[level.context_of_row]] = level.totals
    support = level.supports[context]
    drawn_from = previous.by_context(level.margins)[level.parents][context]
    # Few of a successor are many of all others.
    sides = ((count, margin), (support - count, drawn_from - margin))
    tails = [upper_tails(x, m, support, drawn_from, limits[context]) for x, m in sides]
    extremes = [np.exp(log_probability(np.minimum(support, m), m, support, drawn_from)) for _, m in sides]
    smallest, least = (np.minimum.reduceat(np.minimum(*both), pairs[:-1]) for both in (tails, extremes))
    return smallest, least


def log_probability(count: Any, margin: Any, support: Any, drawn_from: Any) -> NDArray[np.float64]:
    """Return the logarithm of the hypergeometric probability of a count."""
    total = log_binomial(margin, count) + log_binomial(drawn_from - margin, support - count)
    result: NDArray[np.float64] = total - log_binomial(drawn_from, support)
    return result


def log_binomial(n: Any, k: Any) -> Any:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def upper_tails(
    count: NDArray[Any], margin: NDArray[Any], support: NDArray[Any], drawn_from: NDArray[Any], least: NDArray[Any]
) -> NDArray[np.float64]:
    """Return P(X >= count), or 1 where it exceeds `least`, by adding terms until they no longer matter."""
    tails = np.ones(len(count))
    first = np.exp(log_probability(count, margin, support, drawn_from))
    # The first term is less than the tail, and counts below the mean have tails of about a half or more.
    active: NDArray[Any] = np.flatnonzero((first <= least) & (count * drawn_from > support * margin))
    x, m, s, n = (column[active].astype(np.float64) for column in (count, margin, support, drawn_from))
    term: NDArray[Any] = first[active]
    total: NDArray[Any] = term.copy()
    while len(active):
        term = term * (m - x) * (s - x) / ((x + 1) * (n - m - s + x + 1))
        total = total + term
        x = x + 1
        matters = (term > NEGLIGIBLE * total) & (total <= least[active])
        tails[active[~matters]] = total[~matters]
        active, x, m, s, n, term, total = (column[matters] for column in (active, x, m, s, n, term, total))
    return np.where(tails <= least, tails, 1.0)
