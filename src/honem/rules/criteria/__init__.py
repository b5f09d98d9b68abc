"""Acceptance criteria: which contexts change what comes next. A new one is a module that registers its class."""

from __future__ import annotations

from honem._internal.validation import require_one_of
from honem.rules.criteria.base import NO_TESTS, ComparedCounts, CompiledForm, Counting, Criterion, Tests
from honem.rules.criteria.divergence import Divergence
from honem.rules.criteria.significance import Significance, log_q_values

CRITERIA: dict[str, type[Criterion]] = {}


def register_criterion(criterion: type[Criterion]) -> type[Criterion]:
    """Make a criterion available by its name; can be used as a class decorator.

    Parameters
    ----------
    criterion : type of Criterion
        The class; its `name` is what users write.

    Returns
    -------
    type of Criterion
        The same class.
    """
    CRITERIA[criterion.name] = criterion
    return criterion


def criterion_class(name: str) -> type[Criterion]:
    """Return the criterion of that name.

    Raises
    ------
    ParameterError
        If no criterion of that name is registered.
    """
    require_one_of("criterion", name, tuple(CRITERIA))
    return CRITERIA[name]


register_criterion(Significance)
register_criterion(Divergence)

__all__ = [
    "CRITERIA",
    "NO_TESTS",
    "ComparedCounts",
    "CompiledForm",
    "Counting",
    "Criterion",
    "Divergence",
    "Significance",
    "Tests",
    "criterion_class",
    "log_q_values",
    "register_criterion",
]
