"""What an acceptance criterion is: a score, a decision, and a bound that lets growth stop early."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from honem.rules.params import ExtractionParams

ACCEPTANCE_MARGIN = 1e-9
"""By how much a score must exceed its threshold, so that engines that add in another order take the same decision."""

ComparedWith = Literal["reference", "parent"]
ScoreColumn = Literal["divergence", "evidence", "score"]
Counting = Literal["occurrences", "sequences"]


class Tests(NamedTuple):
    """How many contexts of order 2 or more were tested for evidence, and how many accepted ones a table holds."""

    n_tested: int
    n_accepted: int


NO_TESTS = Tests(0, 0)


class ComparedCounts(NamedTuple):
    """Successor counts of many contexts beside the counts they are compared with.

    Rows `offsets[c]:offsets[c + 1]` belong to context c, one row per successor; `compared` holds the count of the same
    successor in the context that c is compared with.
    """

    orders: NDArray[Any]
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    compared: NDArray[np.int64]
    supports: NDArray[np.int64]
    compared_supports: NDArray[np.int64]


def always_tested(
    numbers: Any,
    table: Any,
    order: int,
    support: int,
    compared_support: int,
    n_targets: int,
    targets: Any,
    counts: Any,
    compared: Any,
) -> bool:
    """Return True: for criteria that score every context."""
    return True


@dataclass(frozen=True)
class CompiledForm:
    """A criterion as plain Python functions that Numba compiles into the kernels when they are first needed.

    `numbers` are those of `Criterion.numbers`, `table` is `Criterion.table`. Counts are arrays indexed by node, and
    `targets[:n_targets]` are the successors of the context. The functions may call each other and `helpers` by name.

    score(numbers, table, order, support, compared_support, n_targets, targets, counts, compared) -> float
    is_tested(numbers, table, order, support, compared_support, n_targets, targets, counts, compared) -> bool
        Whether the context is scored at all; it must not depend on where growth stops early.
    passes(numbers, table, score, order, support) -> bool
        Whether the context is accepted, or remains a candidate where the decision is taken at the end.
    can_extend(numbers, table, order, support, compared_support, n_targets, targets, compared) -> bool
        False only if no context that extends this one, by any number of nodes, can pass. `compared` are the counts
        that its extensions are compared with.
    """

    score: Callable[..., Any]
    passes: Callable[..., Any]
    can_extend: Callable[..., Any]
    is_tested: Callable[..., Any]
    helpers: tuple[Callable[..., Any], ...] = ()

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """All functions of the form, helpers first."""
        return (*self.helpers, self.score, self.passes, self.can_extend, self.is_tested)


class Criterion(ABC):
    """Decides which contexts of order 2 and more are accepted; contexts of order 1 always are.

    A criterion holds its own parameters and is picklable and hashable, like a frozen dataclass. Three forms of the
    score are kept side by side and tested against each other: `score` is the definition, slow and obvious; `scores` is
    vectorised; `compiled` is what the kernels use.

    Attributes
    ----------
    name : str
        What users write, e.g. ``criterion="divergence"``.
    compared_with : {"reference", "parent"}
        The context that a score compares with. "reference" is the longest accepted suffix; the decision is then taken
        at once. "parent" is the context without its oldest node, counted only where it has an older node in its
        sequence, so that its extensions partition it; a criterion of this kind may take its decision after all contexts
        were scored.
    accepted_word : str, default "accepted"
        How accepted rules are called: "trusted" only if the criterion bounds the share of those due to chance.
    parameters : tuple of str
        Which of `tau` and `alpha` the criterion takes from the parameters of an extraction.
    score_column : {"divergence", "evidence", "score"}, default "score"
        The column of a RuleTable that holds the score: one that every table has, or one of its own.
    compiled : CompiledForm
        The functions that are compiled into the kernels.
    """

    name: ClassVar[str]
    compared_with: ClassVar[ComparedWith]
    accepted_word: ClassVar[str] = "accepted"
    parameters: ClassVar[tuple[str, ...]] = ()
    score_column: ClassVar[ScoreColumn] = "score"
    compiled: ClassVar[CompiledForm]

    @classmethod
    @abstractmethod
    def from_params(cls, params: ExtractionParams) -> Self:
        """Take the criterion's own parameters from those of the extraction."""

    @abstractmethod
    def score(self, counts: Mapping[int, int], compared: Mapping[int, int], order: int) -> float:
        """Return the score of one context: the definition."""

    @abstractmethod
    def scores(self, contexts: ComparedCounts) -> NDArray[np.float64]:
        """Return the scores of many contexts."""

    @abstractmethod
    def thresholds(self, orders: Any, supports: Any, tests: Tests) -> Any:
        """Return what the score of a context must exceed, for one context or for arrays of them.

        `tests` are all contexts tested, for criteria that decide in the end; others must not depend on it.
        """

    def is_tested(self, counts: Mapping[int, int], compared: Mapping[int, int], order: int) -> bool:
        """Return whether a context is scored at all; it is not accepted otherwise.

        A decision that depends on the number of tests needs this: contexts behind an early stop must be among those
        that are not tested, or the number would depend on the stop.
        """
        return True

    def passes(self, score: Any, order: Any, support: Any) -> Any:
        """Return whether a context is accepted, or remains a candidate where the decision is taken at the end."""
        return score - self.thresholds(order, support, NO_TESTS) > ACCEPTANCE_MARGIN

    def decide(self, scores: NDArray[np.float64], n_tested: int) -> NDArray[np.bool_]:
        """Return which candidates are accepted, given all their scores and how many contexts were tested.

        The default accepts all of them: the decision was taken when the context was scored.
        """
        return np.ones(len(scores), np.bool_)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Parameters of the compiled form, which may be empty."""
        return ()

    @property
    def table(self) -> NDArray[np.float64]:
        """Precomputed values for the compiled form, e.g. logarithms of small counts."""
        return np.zeros(0)

    @abstractmethod
    def verdict(self, score: float, threshold: float, accepted: bool) -> str:
        """Say in a few words why a context was accepted or not, e.g. ``"0.58 bits against a threshold of 0.46"``."""
