"""Times of visits: numbers, dates or timestamps, kept in the unit they came in so that no order is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_between
from honem.errors import ParameterError

SECONDS: dict[str, int | Fraction] = {"ms": Fraction(1, 1000), "s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
DURATION = re.compile(rf"\s*(\d+(?:\.\d+)?)\s*({'|'.join(SECONDS)})\s*")


@dataclass(frozen=True, eq=False)
class Times:
    """One time a visit; `ticks` says how many units make a second, None for plain numbers of an unknown unit."""

    values: NDArray[Any]
    ticks: int | None = None

    def select(self, chosen: NDArray[Any]) -> Times:
        """Some of them, by mask or by place."""
        return replace(self, values=self.values[chosen])

    def jumps(self, max_gap: str | float) -> NDArray[np.bool_]:
        """Where more than `max_gap` passed since the visit before; the first is never a jump."""
        jumps = np.zeros(len(self.values), bool)
        np.greater(np.diff(self.values), self._in_ticks(max_gap), out=jumps[1:])
        return jumps

    def _in_ticks(self, max_gap: str | float) -> float | int:
        gap = parse_duration(max_gap)
        if self.ticks is not None:
            in_ticks = gap * self.ticks
            # A whole number stays one: comparing 64-bit ticks with a float would round them.
            return int(in_ticks) if self.values.dtype.kind == "i" else float(in_ticks)
        if isinstance(max_gap, str):
            raise ParameterError(
                f"max_gap={max_gap!r}: the time column holds plain numbers, whose unit nobody told; "
                "give max_gap as a number in that unit"
            )
        return float(gap) if self.values.dtype.kind == "f" else int(gap)


def parse_duration(given: str | float) -> Fraction:
    """Seconds in "90s", "30min", "6h", "2d"; a number is taken as it is.

    >>> parse_duration("1.5h"), parse_duration(20)
    (Fraction(5400, 1), Fraction(20, 1))
    """
    if not isinstance(given, str):
        require_between("max_gap", given, 0)
        return Fraction(given)
    match = DURATION.fullmatch(given)
    if match is None or not Fraction(match[1]):
        raise ParameterError(
            f"max_gap must be a number above 0, alone or with a unit ({', '.join(SECONDS)}), not {given!r}"
        )
    return Fraction(match[1]) * SECONDS[match[2]]
