"""HON+'s criterion: a Kullback-Leibler divergence that exceeds `tau * order / log2(1 + support)`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import log2
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_number
from honem.rules.criteria.base import (
    ACCEPTANCE_MARGIN,
    NO_TESTS,
    ComparedCounts,
    ComparedWith,
    CompiledForm,
    Criterion,
    ScoreColumn,
    Tests,
    always_tested,
)

if TYPE_CHECKING:
    from honem.rules.params import ExtractionParams

N_LOGARITHMS = 2048


def log2_count(count: int, table: Any) -> Any:
    """Return the binary logarithm of a count; small ones are looked up."""
    if count < len(table):
        return table[count]
    return np.log2(np.float64(count))


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
    """Return KL(P(.|c) || P(.|reference)) in bits."""
    bits = 0.0
    for i in range(n_targets):
        count = counts[targets[i]]
        bits += count * (log2_count(count, table) - log2_count(compared[targets[i]], table))
    return max(bits / support + np.log2(compared_support / support), 0.0)


def passes(numbers: Any, table: Any, score: float, order: int, support: int) -> Any:
    """Return whether the divergence exceeds the threshold."""
    return score - numbers[0] * order / log2_count(support + 1, table) > ACCEPTANCE_MARGIN


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
    """Return whether the divergence of an extension can exceed its threshold.

    An extension cannot diverge by more than its least likely successor allows. Its successors are among those of the
    context, its support is not larger and its order is higher, so its threshold is at least the one used here.
    """
    least = compared[targets[0]]
    for i in range(1, n_targets):
        least = min(least, compared[targets[i]])
    return np.log2(compared_support / least) > numbers[0] * (order + 1) / log2_count(support + 1, table)


@dataclass(frozen=True)
class Divergence(Criterion):
    """Accept a context whose successors diverge from those of its reference by more than a threshold.

    ``KL(P(.|c) || P(.|ref)) - tau * k / log2(1 + s(c)) > 1e-9``, in bits, where k is the order of c, s(c) its support
    and ref its longest accepted suffix. This is the criterion of HON+ and of the HONEM paper. The threshold is not an
    error rate: on data without memory it accepts many contexts by chance.

    Parameters
    ----------
    tau : float, default 1.0
        Factor of the threshold; a smaller value accepts more contexts.

    Examples
    --------
    >>> round(Divergence().score({0: 3}, {0: 3, 1: 1}, order=2), 3)
    0.415
    >>> float(Divergence(tau=0.5).thresholds(orders=2, supports=3))
    0.5
    """

    tau: float = 1.0

    name: ClassVar[str] = "divergence"
    compared_with: ClassVar[ComparedWith] = "reference"
    parameters: ClassVar[tuple[str, ...]] = ("tau",)
    score_column: ClassVar[ScoreColumn] = "divergence"
    compiled: ClassVar[CompiledForm] = CompiledForm(score, passes, can_extend, always_tested, (log2_count,))

    def __post_init__(self) -> None:
        require_number("tau", self.tau, at_least=0)

    @classmethod
    def from_params(cls, params: ExtractionParams) -> Self:
        """Take `tau` from the parameters of the extraction."""
        return cls() if params.tau is None else cls(tau=params.tau)

    def score(self, counts: Mapping[int, int], compared: Mapping[int, int], order: int) -> float:
        """Return the divergence of one context: the definition."""
        support, compared_support = sum(counts.values()), sum(compared.values())
        return sum(n / support * log2(n / support / (compared[t] / compared_support)) for t, n in counts.items())

    def scores(self, contexts: ComparedCounts) -> NDArray[np.float64]:
        """Return the divergences of many contexts."""
        if not len(contexts.supports):
            return np.zeros(0)
        bits = contexts.counts * (np.log2(contexts.counts) - np.log2(contexts.compared))
        means = np.add.reduceat(bits, contexts.offsets[:-1]) / contexts.supports
        return np.maximum(means + np.log2(contexts.compared_supports / contexts.supports), 0.0)

    def thresholds(self, orders: Any, supports: Any, tests: Tests = NO_TESTS) -> Any:
        """Return `tau * k / log2(1 + s)`, in bits."""
        return self.tau * orders / np.log2(1 + supports)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Parameters of the compiled form."""
        return (float(self.tau),)

    @property
    def table(self) -> NDArray[np.float64]:
        """Binary logarithms of small counts."""
        return _logarithms()

    def verdict(self, score: float, threshold: float, accepted: bool) -> str:
        """Say how the divergence compares with its threshold."""
        return f"{score:.2f} bits against a threshold of {threshold:.2f}"


@cache
def _logarithms() -> NDArray[np.float64]:
    return np.log2(np.maximum(np.arange(N_LOGARITHMS, dtype=np.float64), 1))
