"""Checks of parameter values, with the same wording everywhere."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from honem._internal.option_names import option
from honem.errors import ParameterError

MOST_THREADS = 1024
LARGEST = 2**63 - 1
"""The largest whole number that arrays and kernels take."""


def is_number(value: object) -> bool:
    """Whether a value is a real number; booleans are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def as_float(value: Any) -> float:
    """Return a real number as a float, infinite if it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _shown(value: object) -> str:
    """Return a value for a message; Python refuses to write integers of thousands of digits."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"a number of about {round(value.bit_length() * math.log10(2))} digits"
    return f"{value!r:.300}"


def require_whole(name: str, value: object, least: int, most: int = LARGEST) -> None:
    """Raise ParameterError unless the value is a whole number of at least `least` and at most `most`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ParameterError(f"{option(name)} must be a whole number of at least {least}, not {_shown(value)}")
    if int(value) > most:
        raise ParameterError(f"{option(name)} must be a whole number of at most {most}, not {_shown(value)}")


def require_one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    """Raise ParameterError, listing the known values, unless the value is one of them."""
    if not isinstance(value, str) or value not in known:
        raise ParameterError(f"{option(name)} must be one of {', '.join(map(repr, known))}, not {value!r}")


def require_number(name: str, value: object, *, at_least: float = -math.inf) -> None:
    """Raise ParameterError unless the value is a finite number of at least `at_least`."""
    if not is_number(value) or not at_least <= as_float(value) < math.inf:
        raise ParameterError(f"{option(name)} must be a finite number of at least {at_least:g}, not {_shown(value)}")


def require_between(name: str, value: object, low: float, high: float = math.inf) -> None:
    """Raise ParameterError unless the value is a number above `low` and below `high`."""
    if not is_number(value) or not low < as_float(value) < high:
        limits = f"above {low:g}" if high == math.inf else f"above {low:g} and below {high:g}"
        raise ParameterError(f"{option(name)} must be a finite number {limits}, not {_shown(value)}")


def require_switch(name: str, value: object) -> None:
    """Raise ParameterError unless the value is True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{option(name)} must be True or False, not {value!r}")


def require_seed(name: str, value: object) -> None:
    """Raise ParameterError unless the value is None or a whole number of at least 0."""
    if value is not None:
        require_whole(name, value, least=0)


def require_n_jobs(name: str, value: object) -> None:
    """Raise ParameterError unless the value is None or -1 (all cores) or a number of threads."""
    if value is not None and not (isinstance(value, Integral) and int(value) == -1):
        require_whole(name, value, least=1, most=MOST_THREADS)
