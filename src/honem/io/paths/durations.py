"""Durations such as "90s" or "6h"."""

from __future__ import annotations

import re
from fractions import Fraction

from honem._internal.option_names import option
from honem._internal.validation import require_between
from honem.errors import ParameterError

SECONDS: dict[str, int | Fraction] = {"ms": Fraction(1, 1000), "s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
DURATION = re.compile(rf"\s*(\d{{1,18}}(?:\.\d{{1,18}})?)\s*({'|'.join(SECONDS)})\s*")


def parse_duration(name: str, given: str | float) -> Fraction:
    """Return the seconds in "90s", "30min", "6h" or "2d"; a number is returned as it is.

    >>> parse_duration("max_gap", "1.5h"), parse_duration("max_gap", 20)
    (Fraction(5400, 1), Fraction(20, 1))
    """
    if not isinstance(given, str):
        require_between(name, given, 0)
        return Fraction(given)
    match = DURATION.fullmatch(given)
    if match is None or not Fraction(match[1]):
        raise ParameterError(
            f"{option(name)} must be a number above 0, alone or with a unit ({', '.join(SECONDS)}), not {given!r:.60}"
        )
    return Fraction(match[1]) * SECONDS[match[2]]
