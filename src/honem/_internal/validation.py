"""Refusing option values that have no meaning, in the same words everywhere."""

from __future__ import annotations

import math
from numbers import Integral, Real

from honem.errors import ParameterError


def require_whole(name: str, value: object, least: int) -> None:
    """Refuse what is not a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, not {value!r}")


def require_one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    """Refuse an option value that is not one of the known ones, and list those."""
    if value not in known:
        raise ParameterError(f"{name} must be one of {', '.join(map(repr, known))}, not {value!r}")


def require_number(name: str, value: object, *, at_least: float = -math.inf) -> None:
    """Raise ParameterError unless the value is a finite number of at least `at_least`."""
    if isinstance(value, bool) or not isinstance(value, Real) or not at_least <= float(value) < math.inf:
        raise ParameterError(f"{name} must be a finite number of at least {at_least:g}, not {value!r}")
