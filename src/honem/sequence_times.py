"""SequenceTimes: when the sequences of a corpus began and ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honem.errors import CorpusError

TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""Units of time in which dates are kept, as the number of them in a second."""


@dataclass(frozen=True, eq=False)
class SequenceTimes:
    """When each sequence began and ended: the times of its first and last node.

    Parameters
    ----------
    starts, ends : array of int64 or float64
        One number per sequence. An empty sequence has the time of a neighbouring one.
    ticks : int or None, default=None
        For dates, which are counted from 1970: the number of units in a second. None for numbers of an unknown unit.

    Raises
    ------
    CorpusError
        If there are not as many ends as starts, or a sequence ends before it begins.

    Examples
    --------
    >>> times = SequenceTimes.of(np.array(["2024-05-01", "2024-05-03"], "datetime64[D]"))
    >>> times.ticks, (times.starts[1] - times.starts[0]).item()
    (1, 172800)
    """

    starts: NDArray[Any]
    ends: NDArray[Any]
    ticks: int | None = None

    def __post_init__(self) -> None:
        if self.starts.ndim != 1 or self.starts.shape != self.ends.shape:
            raise CorpusError(f"there are {self.starts.size} start times and {self.ends.size} end times of sequences")
        backwards = np.flatnonzero(self.ends < self.starts)
        if len(backwards):
            raise CorpusError(f"sequence {backwards[0] + 1} ends before it begins")

    @classmethod
    def of(cls, starts: ArrayLike, ends: ArrayLike | None = None) -> SequenceTimes:
        """Return times given as numbers or dates.

        Parameters
        ----------
        starts, ends : array-like of numbers, datetime64 or datetime
            When each sequence began and ended; by default it ends when it begins.

        Returns
        -------
        SequenceTimes

        Raises
        ------
        CorpusError
            If a value is neither a finite number nor a date, or starts are dates and ends are not.
        """
        first = _as_numbers(starts)
        last = first if ends is None else _as_numbers(ends)
        if (first.ticks is None) != (last.ticks is None):
            raise CorpusError("start times and end times of sequences must both be dates, or both be numbers")
        ticks = None if first.ticks is None else max(first.ticks, last.ticks or 1)
        return cls(first.in_ticks(ticks), last.in_ticks(ticks), ticks)

    def __len__(self) -> int:
        return len(self.starts)

    def select(self, chosen: NDArray[Any]) -> SequenceTimes:
        """Return the times of some sequences.

        Parameters
        ----------
        chosen : array of bool or int
            Which ones.

        Returns
        -------
        SequenceTimes
        """
        return replace(self, starts=self.starts[chosen], ends=self.ends[chosen])


@dataclass(frozen=True)
class _Numbers:
    values: NDArray[Any]
    ticks: int | None = None

    def in_ticks(self, ticks: int | None) -> NDArray[Any]:
        return self.values if ticks == self.ticks or ticks is None else self.values * (ticks // (self.ticks or 1))


def _as_numbers(values: ArrayLike) -> _Numbers:
    """Return dates as whole numbers in their unit, or in seconds if it is longer; and numbers as they are."""
    given = np.asarray(values)
    if given.dtype.kind in "OU":
        try:
            given = given.astype("datetime64[us]")
        except (TypeError, ValueError):
            raise CorpusError(f"times of sequences must be numbers or dates, not {given[:1].tolist()}") from None
    if given.dtype.kind == "M":
        unit, count = np.datetime_data(given.dtype)
        if unit not in TICKS or count != 1:
            given, unit = given.astype("datetime64[s]"), "s"
        if np.isnat(given).any():
            raise CorpusError(f"the time of sequence {int(np.argmax(np.isnat(given))) + 1} is missing")
        return _Numbers(given.astype(np.int64), TICKS[unit])
    if given.dtype.kind not in "iuf" or not np.isfinite(given).all():
        raise CorpusError("times of sequences must be finite numbers or dates")
    return _Numbers(given.astype(np.float64 if given.dtype.kind == "f" else np.int64))
