"""Times of visits: numbers, dates or timestamps, kept in their unit so that no order is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.option_names import option
from honem.errors import ParameterError
from honem.io.paths.durations import parse_duration


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
        np.greater(np.diff(self.values), self._in_ticks(max_gap), out=jumps[1:])
        return jumps

    def _in_ticks(self, max_gap: str | float) -> float | int:
        gap = parse_duration("max_gap", max_gap)
        if self.ticks is not None:
            in_ticks = gap * self.ticks
            # A whole number stays one: comparing 64-bit ticks with a float would round them.
            return int(in_ticks) if self.values.dtype.kind == "i" else float(in_ticks)
        if isinstance(max_gap, str):
            raise ParameterError(
                f"{option('max_gap', max_gap)}: the time column is numeric and its unit is not known; "
                f"give {option('max_gap')} as a number in that unit"
            )
        return float(gap) if self.values.dtype.kind == "f" else int(gap)
