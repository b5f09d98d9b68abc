"""An exact criterion: e-values against the parent context, and a bound on the false discovery rate.

Null hypothesis for a context c and its parent p (c without its oldest node): the oldest node is irrelevant. Of the
occurrences of p that have an older node, those of c are then a uniformly random subset, so the successors of c are
drawn without replacement from those of p: exactly, at any sample size. The e-value of c is the likelihood ratio of a
Dirichlet-multinomial alternative that is centred on the distribution of p, averaged over several concentrations. Its
expectation under the null hypothesis is at most 1. The e-BH procedure (Wang and Ramdas 2022) turns the e-values of all
contexts into a decision with a bounded false discovery rate, however the contexts depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import comb, exp, lgamma, log
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_between, require_one_of
from honem.rules.criteria.base import (
    ACCEPTANCE_MARGIN,
    ComparedCounts,
    ComparedWith,
    CompiledForm,
    Counting,
    Criterion,
    ScoreColumn,
    Tests,
)

if TYPE_CHECKING:
    from honem.rules.params import ExtractionParams

CONCENTRATIONS = (0.5, 2.0, 8.0, 32.0)
"""Of the Dirichlet distributions: from contexts with a distribution of their own to slightly different ones."""

LEAST_E_VALUE = 20
"""A context is tested if its support and that of its parent allow an e-value of this size, and ranked if it has it."""

LEAST_PARENT_SUPPORT = next(n for n in range(2, 100) if comb(n, n // 2) >= LEAST_E_VALUE)
N_TABULATED = 2048
LONGEST_PRODUCT = 8
LARGE_PRODUCT = 1e150
LN_2 = log(2)


def log_rising(x: float, n: float) -> Any:
    """Return log(x (x + 1) ... (x + n - 1)), accurately also where x is much larger than n."""
    if x < 32.0:
        return lgamma(x + n) - lgamma(x)
    # The difference of two Stirling series: the logarithms of two gamma functions would cancel.
    u, v = 1.0 / (x + n), 1.0 / x
    tail = (u - v) / 12.0 - (u * u * u - v * v * v) / 360.0 + (u**5 - v**5) / 1260.0
    return n * np.log(x + n) + (x - 0.5) * np.log1p(n / x) - n + tail


def log_falling(x: float, n: float) -> Any:
    """Return log(x (x - 1) ... (x - n + 1))."""
    return log_rising(x - n + 1.0, n)


def log_e_value(
    concentration: float,
    log_base: float,
    parent_support: int,
    n_targets: int,
    targets: Any,
    counts: Any,
    compared: Any,
) -> Any:
    """Return the natural logarithm of the e-value of one concentration a.

    With N(t) and S the counts and the support of the parent, draw i of successor t contributes the factor
    (a N(t) + i S) / (N(t) - i), which is a for i = 0. `log_base` is the part that depends on the supports only.
    """
    total = log_base + n_targets * np.log(concentration)
    product = 1.0
    for k in range(n_targets):
        count = counts[targets[k]]
        if count == 1:
            continue
        known = np.float64(compared[targets[k]])
        if count <= LONGEST_PRODUCT:
            for i in range(1, count):
                product *= (concentration * known + i * np.float64(parent_support)) / (known - i)
            if product > LARGE_PRODUCT:
                total += np.log(product)
                product = 1.0
        else:
            share = concentration * known / parent_support
            total += (count - 1) * np.log(np.float64(parent_support)) + log_rising(share + 1.0, count - 1.0)
            total -= log_falling(known - 1.0, count - 1.0)
    return total + np.log(product)


def score(
    numbers: Any,
    table: Any,
    order: int,
    support: int,
    compared_support: int,
    n_targets: int,
    targets: Any,
    counts: Any,
    compared: Any,
) -> Any:
    """Return the evidence: the binary logarithm of the e-value."""
    log_draws = log_falling(np.float64(compared_support), np.float64(support)) - support * np.log(compared_support)
    largest, total = -np.inf, 0.0
    for a in range(len(CONCENTRATIONS)):
        concentration = CONCENTRATIONS[a]
        if support < N_TABULATED:
            log_all = table[a * N_TABULATED + support]
        else:
            log_all = log_rising(concentration, np.float64(support))
        value = log_e_value(concentration, log_draws - log_all, compared_support, n_targets, targets, counts, compared)
        if value > largest:
            total, largest = total * np.exp(largest - value) + 1.0, value
        else:
            total += np.exp(value - largest)
    return (largest + np.log(total / len(CONCENTRATIONS))) / LN_2


def is_tested(
    numbers: Any,
    table: Any,
    order: int,
    support: int,
    compared_support: int,
    n_targets: int,
    targets: Any,
    counts: Any,
    compared: Any,
) -> Any:
    """Return whether supports allow an e-value of LEAST_E_VALUE, which the binomial coefficient (S over s) bounds.

    A parent with one successor has nothing to distinguish.
    """
    fewer = min(support, compared_support - support)
    if support < 2 or fewer < 1 or (n_targets == 1 and compared[targets[0]] == compared_support):
        return False
    subsets = 1.0
    for i in range(min(fewer, LEAST_PARENT_SUPPORT)):
        subsets *= (compared_support - i) / (i + 1)
        if subsets > LEAST_E_VALUE - 0.5:
            return True
    return False


def passes(numbers: Any, table: Any, score: float, order: int, support: int) -> Any:
    """Return whether the evidence is enough to be ranked."""
    return score >= numbers[0]


def can_extend(
    numbers: Any,
    table: Any,
    order: int,
    support: int,
    compared_support: int,
    n_targets: int,
    targets: Any,
    compared: Any,
) -> Any:
    """Return whether an extension can be tested: as a parent, it is to have support and more than one successor."""
    return n_targets > 1 and support >= LEAST_PARENT_SUPPORT


@dataclass(frozen=True)
class Significance(Criterion):
    """Accept contexts whose evidence against chance is strong enough for a false discovery rate of `alpha`.

    The evidence of a context is the binary logarithm of its e-value against its parent (see the module). With M tested
    contexts, the R strongest are accepted where ``E_(R) >= M / (alpha R)``, for the largest such R. Of the accepted
    contexts, at most the share `alpha` is expected to be due to chance.

    Parameters
    ----------
    alpha : float, default 0.05
        The false discovery rate, between 0 and 1, both exclusive.
    count : {"occurrences", "sequences"}, default "occurrences"
        What counts as one observation: every occurrence of a context, or only its first one in each sequence.

    Examples
    --------
    >>> round(Significance().score({0: 10}, {0: 10, 1: 10}, order=2), 2)
    14.12
    """

    alpha: float = 0.05
    count: Counting = "occurrences"

    name: ClassVar[str] = "significance"
    compared_with: ClassVar[ComparedWith] = "parent"
    accepted_word: ClassVar[str] = "trusted"
    parameters: ClassVar[tuple[str, ...]] = ("alpha",)
    score_column: ClassVar[ScoreColumn] = "evidence"
    compiled: ClassVar[CompiledForm] = CompiledForm(
        score, passes, can_extend, is_tested, (log_rising, log_falling, log_e_value)
    )

    def __post_init__(self) -> None:
        require_between("alpha", self.alpha, 0, 1)
        require_one_of("count", self.count, get_args(Counting))

    @classmethod
    def from_params(cls, params: ExtractionParams) -> Self:
        """Take `alpha` and `count` from the parameters of the extraction."""
        return cls(count=params.count) if params.alpha is None else cls(alpha=params.alpha, count=params.count)

    def score(self, counts: Mapping[int, int], compared: Mapping[int, int], order: int) -> float:
        """Return the evidence of one context in bits: the definition."""
        support, parent_support = sum(counts.values()), sum(compared.values())
        log_null = sum(log_falling(compared[t], n) for t, n in counts.items()) - log_falling(parent_support, support)
        e_values = []
        for a in CONCENTRATIONS:
            shares = {t: a * compared[t] / parent_support for t in counts}
            log_alternative = sum(log_rising(shares[t], n) for t, n in counts.items()) - log_rising(a, support)
            e_values.append(log_alternative - log_null)
        largest = max(e_values)
        return float((largest + log(sum(exp(value - largest) for value in e_values) / len(e_values))) / LN_2)

    def is_tested(self, counts: Mapping[int, int], compared: Mapping[int, int], order: int) -> bool:
        """Return whether the supports allow an e-value of 20, and the parent has more than one successor."""
        support, parent_support = sum(counts.values()), sum(compared.values())
        fewer = min(support, parent_support - support)
        n_subsets = comb(parent_support, min(fewer, LEAST_PARENT_SUPPORT))
        return support >= 2 and len(compared) > 1 and n_subsets >= LEAST_E_VALUE

    def scores(self, contexts: ComparedCounts) -> NDArray[np.float64]:
        """Return the evidence of many contexts in bits."""
        supports, parent_supports = contexts.supports.astype(np.float64), contexts.compared_supports.astype(np.float64)
        counts, compared = contexts.counts.astype(np.float64), contexts.compared.astype(np.float64)
        if not len(supports):
            return np.zeros(0)

        def total(of_rows: NDArray[np.float64]) -> NDArray[np.float64]:
            totals: NDArray[np.float64] = np.add.reduceat(of_rows, contexts.offsets[:-1])
            return totals

        log_null = total(_log_fallings(compared, counts)) - _log_fallings(parent_supports, supports)
        shares = compared / np.repeat(parent_supports, np.diff(contexts.offsets))
        e_values = [
            total(_log_risings(a * shares, counts)) - _log_risings(np.full(len(supports), a), supports) - log_null
            for a in CONCENTRATIONS
        ]
        evidence: NDArray[np.float64] = (np.logaddexp.reduce(e_values) - log(len(CONCENTRATIONS))) / LN_2
        return evidence

    def thresholds(self, orders: Any, supports: Any, tests: Tests) -> Any:
        """Return the evidence needed to be accepted, in bits; it is the same for all contexts.

        It is ``log2(M / (alpha R))``, and at least that of an e-value of 20.
        """
        cut_off = np.log2(max(tests.n_tested / (self.alpha * max(tests.n_accepted, 1)), LEAST_E_VALUE))
        return np.full(np.shape(orders), cut_off)

    def passes(self, score: Any, order: Any, support: Any) -> Any:
        """Return whether the evidence is enough to be ranked."""
        return score >= self.numbers[0]

    def decide(self, scores: NDArray[np.float64], n_tested: int) -> NDArray[np.bool_]:
        """Return which candidates the e-BH procedure accepts; a q-value equal to `alpha` but for rounding is not."""
        accepted: NDArray[np.bool_] = log_q_values(scores, scores, n_tested) < np.log2(self.alpha) - ACCEPTANCE_MARGIN
        return accepted

    @property
    def numbers(self) -> tuple[float, ...]:
        """The evidence from which contexts are ranked; none with less is accepted."""
        return (float(np.log2(LEAST_E_VALUE)),)

    @property
    def table(self) -> NDArray[np.float64]:
        """Logarithms of rising factorials of the concentrations."""
        return _log_rising_table()

    def verdict(self, score: float, threshold: float, accepted: bool) -> str:
        """Say how much evidence there is."""
        return f"{round(score, 1) + 0.0:.1f} bits of evidence"  # without the sign of -0.0


def log_q_values(evidence: NDArray[np.float64], ranked: NDArray[np.float64], n_tested: int) -> NDArray[np.float64]:
    """Return the binary logarithms of q-values, at most 0.

    The q-value of a context is the least false discovery rate at which it is accepted, given the evidence of all
    ranked contexts and the number of tested ones: the minimum of ``M / (r E_(r))`` over its own rank and larger ones.
    It is 1 for contexts with less evidence than all ranked ones.

    Parameters
    ----------
    evidence : ndarray of float
        The contexts whose q-values are wanted, in bits.
    ranked : ndarray of float
        The evidence of all ranked contexts, in any order.
    n_tested : int
        Number of tested contexts.
    """
    descending = np.sort(ranked)[::-1]
    at_rank = np.log2(max(n_tested, 1)) - np.log2(np.arange(1, len(descending) + 1)) - descending
    least = np.minimum.accumulate(at_rank[::-1])[::-1]
    # The margin makes equal what is equal but for rounding.
    ranks = np.searchsorted(-descending, -(np.asarray(evidence) + ACCEPTANCE_MARGIN))
    found: NDArray[np.float64] = np.minimum(np.append(least, 0.0)[ranks], 0.0)
    return found


_lgammas = np.vectorize(lgamma, otypes=[np.float64])


def _log_risings(x: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `log_rising` of many numbers, with the same formulas."""
    large = np.maximum(x, 32.0)
    u, v = 1.0 / (large + n), 1.0 / large
    tails = (u - v) / 12.0 - (u * u * u - v * v * v) / 360.0 + (u**5 - v**5) / 1260.0
    risings: NDArray[np.float64] = n * np.log(large + n) + (large - 0.5) * np.log1p(n / large) - n + tails
    is_small = x < 32.0
    risings[is_small] = _lgammas(x[is_small] + n[is_small]) - _lgammas(x[is_small])
    return risings


def _log_fallings(x: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    return _log_risings(x - n + 1.0, n)


@cache
def _log_rising_table() -> NDArray[np.float64]:
    supports = np.arange(N_TABULATED, dtype=np.float64)
    return np.concatenate([_log_risings(np.full(N_TABULATED, a), supports) for a in CONCENTRATIONS])
