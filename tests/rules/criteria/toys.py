"""Two small criteria, plugged in from outside: one decides at once, the other after all contexts were scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from honem import ExtractionParams
from honem.rules.criteria import ComparedCounts, CompiledForm, Criterion, Tests
from honem.rules.criteria.base import ACCEPTANCE_MARGIN, ComparedWith


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
    """Return the sum of |P(t|c) - P(t|compared)| over the successors of c."""
    total = 0.0
    for i in range(n_targets):
        total += abs(counts[targets[i]] / support - compared[targets[i]] / compared_support)
    return total


def exceeds(numbers: Any, table: Any, score: float, order: int, support: int) -> Any:
    """Return whether the score exceeds a constant."""
    return score - numbers[0] > ACCEPTANCE_MARGIN


def can_differ(
    numbers: Any,
    table: Any,
    order: int,
    support: int,
    compared_support: int,
    n_targets: int,
    targets: Any,
    compared: Any,
) -> Any:
    """Return whether what extensions are compared with has a second successor; they can differ only then."""
    return n_targets > 1 or compared[targets[0]] < compared_support


def may_differ(
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
    """Return whether what the context is compared with has a second successor."""
    return n_targets > 1 or compared[targets[0]] < compared_support


@dataclass(frozen=True)
class LargeShift(Criterion):
    """Accept a context whose probabilities differ from its reference's by more than a constant, in sum."""

    least: float = 0.4

    name: ClassVar[str] = "large-shift"
    compared_with: ClassVar[ComparedWith] = "reference"
    compiled: ClassVar[CompiledForm] = CompiledForm(score, exceeds, can_differ, may_differ)

    @classmethod
    def from_params(cls, params: ExtractionParams) -> Self:
        """Take the default."""
        return cls()

    def score(self, counts: Mapping[int, int], compared: Mapping[int, int], order: int) -> float:
        """Return the definition."""
        support, compared_support = sum(counts.values()), sum(compared.values())
        return float(sum(abs(n / support - compared[t] / compared_support) for t, n in counts.items()))

    def is_tested(self, counts: Mapping[int, int], compared: Mapping[int, int], order: int) -> bool:
        """Return whether what the context is compared with has a second successor."""
        return len(compared) > 1

    def scores(self, contexts: ComparedCounts) -> NDArray[np.float64]:
        """Return the scores of many contexts."""
        if not len(contexts.supports):
            return np.zeros(0)
        n_rows = np.diff(contexts.offsets)
        own = contexts.counts / np.repeat(contexts.supports, n_rows)
        other = contexts.compared / np.repeat(contexts.compared_supports, n_rows)
        totals: NDArray[np.float64] = np.add.reduceat(np.abs(own - other), contexts.offsets[:-1])
        return totals

    def thresholds(self, orders: Any, supports: Any, tests: Tests) -> Any:
        """Return the constant."""
        return np.full(np.shape(orders), self.least)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Return the constant for the compiled form."""
        return (self.least,)

    def verdict(self, score: float, threshold: float, accepted: bool) -> str:
        """Say it in words."""
        return f"shifted by {score:.2f}"


@dataclass(frozen=True)
class AboveMeanShift(LargeShift):
    """Accept, after all contexts were scored, candidates that are shifted from their parent by more than the mean."""

    least: float = 0.1

    name: ClassVar[str] = "above-mean-shift"
    compared_with: ClassVar[ComparedWith] = "parent"

    def decide(self, scores: NDArray[np.float64], n_tested: int) -> NDArray[np.bool_]:
        """Compare each candidate with the sum of all scores over the number of contexts tested."""
        accepted: NDArray[np.bool_] = scores - scores.sum() / max(n_tested, 1) > ACCEPTANCE_MARGIN
        return accepted
