"""Times of visits: numbers, dates or timestamps, kept in their unit so that no order is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.option_names import option
from honem._internal.validation import as_float
from honem.errors import ParameterError
from honem.io.paths.durations import parse_duration

LONGEST = np.iinfo(np.uint64).max


@dataclass(frozen=True, eq=False)
class Times:
    """One time per visit; `ticks` is the number of units per second, None for numbers of an unknown unit."""

    values: NDArray[Any]
    ticks: int | None = None

    def select(self, chosen: NDArray[Any]) -> Times:
        """Select times by mask or by index."""
        return replace(self, values=self.values[chosen])

    def jumps(self, max_gap: str | float) -> NDArray[np.bool_]:
        """Return where more than `max_gap` passed since the previous visit; the first visit is never a jump."""
        jumps = np.zeros(len(self.values), bool)
        np.greater(self._gaps(), self._in_ticks(max_gap), out=jumps[1:])
        return jumps

    def _gaps(self) -> NDArray[Any]:
        """Return the time since the previous visit, where time does not go back."""
        if self.values.dtype.kind == "f":
            return np.diff(self.values)
        # Differences of 64-bit numbers need an unsigned type; what wraps around in it comes out right.
        return np.diff(np.ascontiguousarray(self.values, np.int64).view(np.uint64))

    def _in_ticks(self, max_gap: str | float) -> np.float64 | np.uint64:
        gap = parse_duration("max_gap", max_gap)
        if self.ticks is not None:
            return self._as_time(gap * self.ticks)
        if isinstance(max_gap, str):
            raise ParameterError(
                f"{option('max_gap', max_gap)}: the time column is numeric and its unit is not known; "
                f"state its unit, e.g. {option('time_unit', 's')}, or give {option('max_gap')} as a number in that unit"
            )
        return self._as_time(gap)

    def _as_time(self, gap: Fraction) -> np.float64 | np.uint64:
        """Return a duration in the type of gaps: comparing 64-bit ticks with a float would round them."""
        if self.values.dtype.kind == "f":
            return np.float64(as_float(gap))
        return np.uint64(min(int(gap), LONGEST))
