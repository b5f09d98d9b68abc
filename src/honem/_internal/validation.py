"""Checks of parameter values, with the same wording everywhere."""

from __future__ import annotations

import math
from numbers import Integral, Real

from honem._internal.option_names import option
from honem.errors import ParameterError


def is_number(value: object) -> bool:
    """Whether a value is a real number; booleans are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def require_whole(name: str, value: object, least: int) -> None:
    """Raise ParameterError unless the value is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ParameterError(f"{option(name)} must be a whole number of at least {least}, not {value!r}")


def require_one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    """Raise ParameterError, listing the known values, unless the value is one of them."""
    if not isinstance(value, str) or value not in known:
        raise ParameterError(f"{option(name)} must be one of {', '.join(map(repr, known))}, not {value!r}")


def require_number(name: str, value: object, *, at_least: float = -math.inf) -> None:
    """Raise ParameterError unless the value is a finite number of at least `at_least`."""
    if isinstance(value, bool) or not isinstance(value, Real) or not at_least <= float(value) < math.inf:
        raise ParameterError(f"{option(name)} must be a finite number of at least {at_least:g}, not {value!r}")


def require_between(name: str, value: object, low: float, high: float = math.inf) -> None:
    """Raise ParameterError unless the value is a number above `low` and below `high`."""
    if isinstance(value, bool) or not isinstance(value, Real) or not low < float(value) < high:
        limits = f"above {low:g}" if high == math.inf else f"above {low:g} and below {high:g}"
        raise ParameterError(f"{option(name)} must be a finite number {limits}, not {value!r}")


def require_switch(name: str, value: object) -> None:
    """Raise ParameterError unless the value is True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{option(name)} must be True or False, not {value!r}")


def require_seed(name: str, value: object) -> None:
    """Raise ParameterError unless the value is None or a whole number of at least 0."""
    if value is not None:
        require_whole(name, value, least=0)


def require_n_jobs(name: str, value: object) -> None:
    """Raise ParameterError unless the value is None or -1 (all cores) or a whole number of at least 1."""
    if value is not None and not (isinstance(value, Integral) and int(value) == -1):
        require_whole(name, value, least=1)
