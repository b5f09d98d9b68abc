"""SequenceTimes: when the sequences of a corpus began and ended."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from datetime import datetime
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honem.errors import CorpusError

TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""Units of time in which dates are kept, as the number of them in a second."""
LARGEST = np.iinfo(np.int64).max
LARGEST_FLOAT = np.finfo(np.float64).max
LARGEST_EXACT = 2**53
"""Whole numbers up to this one are floating-point numbers, too."""
MIXED = "times of sequences above 2^53 must all be whole numbers, or all be fractions"


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
        If there are not as many ends as starts, a time is not finite, or a sequence ends before it begins.

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
        for times in (self.starts, self.ends):
            if not isinstance(times, np.ndarray) or times.dtype not in (np.int64, np.float64):
                raise CorpusError("times of sequences must be arrays of int64 or float64; see SequenceTimes.of")
            if not np.isfinite(times).all():
                raise CorpusError("times of sequences must be finite")
            if times.ndim != 1:
                raise CorpusError(f"times of sequences must be one number per sequence, not of shape {times.shape}")
        if self.starts.shape != self.ends.shape:
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
            If a value is neither a finite number nor a date, starts are dates and ends are not, or a time does not fit
            into 64 bits.
        """
        first = _as_numbers(starts)
        last = first if ends is None else _as_numbers(ends)
        if (first.ticks is None) != (last.ticks is None):
            raise CorpusError("start times and end times of sequences must both be dates, or both be numbers")
        if first.values.dtype != last.values.dtype:
            first, last = first.as_floats(), last.as_floats()
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

    def joined(self, other: SequenceTimes) -> SequenceTimes:
        """Return these times, followed by others.

        Parameters
        ----------
        other : SequenceTimes
            The times of the sequences that follow.

        Returns
        -------
        SequenceTimes

        Raises
        ------
        CorpusError
            If one are dates and the others are numbers of an unknown unit, or a time does not fit into 64 bits.
        """
        if (self.ticks is None) != (other.ticks is None):
            raise CorpusError("times of sequences that are joined must all be dates, or all be numbers")
        ticks = None if self.ticks is None else max(self.ticks, other.ticks or 1)
        sides = [[_Numbers(values, times.ticks) for values in (times.starts, times.ends)] for times in (self, other)]
        if self.starts.dtype != other.starts.dtype:
            sides = [[numbers.as_floats() for numbers in side] for side in sides]
        starts, ends = (
            np.concatenate([numbers.in_ticks(ticks) for numbers in pair]) for pair in zip(*sides, strict=True)
        )
        return SequenceTimes(starts, ends, ticks)


@dataclass(frozen=True)
class _Numbers:
    values: NDArray[Any]
    ticks: int | None = None

    @property
    def largest(self) -> int:
        """The largest absolute value of whole numbers; the least one of 64 bits has none in NumPy."""
        return max(-int(self.values.min(initial=0)), int(self.values.max(initial=0)))

    def in_ticks(self, ticks: int | None) -> NDArray[Any]:
        factor = 1 if ticks is None else ticks // (self.ticks or 1)
        if factor > 1 and self.largest > LARGEST // factor:
            raise CorpusError("times of sequences are too far from 1970 for their unit; use a longer one, such as s")
        return self.values * factor if factor > 1 else self.values

    def as_floats(self) -> _Numbers:
        """Return fractions; raise CorpusError if whole numbers would be rounded, which could change their order."""
        if self.values.dtype == np.int64 and self.largest > LARGEST_EXACT:
            raise CorpusError(MIXED)
        return _Numbers(self.values.astype(np.float64))


def _as_numbers(values: ArrayLike) -> _Numbers:
    """Return dates as whole numbers in their unit, or in seconds if it is longer; and numbers as they are."""
    try:
        given = _as_array(values)
    except CorpusError:
        raise
    except (TypeError, ValueError, Warning):
        raise CorpusError(f"times of sequences must be numbers or dates, not {_short(values)}") from None
    except OverflowError:
        raise CorpusError("a time of a sequence does not fit into 64 bits") from None
    if given.dtype.kind == "M":
        return _counted(given)
    if given.dtype.kind not in "iuf" or not np.isfinite(given).all() or np.abs(given).max(initial=0) > LARGEST_FLOAT:
        raise CorpusError("times of sequences must be finite numbers or dates")
    if given.dtype.kind == "u" and given.max(initial=0) > LARGEST:
        raise CorpusError(f"times of sequences must be at most {LARGEST}, not {given.max()}")
    return _Numbers(given.astype(np.float64 if given.dtype.kind == "f" else np.int64))


def _as_array(values: ArrayLike) -> NDArray[Any]:
    """Return an array; that of a list is made of its elements, because NumPy rounds whole numbers beside fractions."""
    if np.ma.is_masked(values):
        raise CorpusError(f"the time of sequence {int(np.argmax(np.ma.getmaskarray(values))) + 1} is missing")  # type: ignore[arg-type]
    given = np.asarray(values, None if hasattr(values, "dtype") else object)
    return _of_objects(given.astype(object)) if given.dtype.kind in "OU" else given


def _of_objects(given: NDArray[np.object_]) -> NDArray[Any]:
    objects = given.ravel().tolist()
    if all(map(_is_whole, objects)):
        return given.astype(np.int64)
    if not any(isinstance(one, Real) for one in objects):
        return _of_dates(given)
    if any(isinstance(one, bool) or not isinstance(one, Real) for one in objects):
        raise TypeError("neither all numbers nor all dates")
    if any(_is_whole(one) and abs(int(one)) > LARGEST_EXACT for one in objects):
        raise CorpusError(MIXED)
    return given.astype(np.float64)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _of_dates(given: NDArray[np.object_]) -> NDArray[np.datetime64]:
    """Return dates in UTC, or raise CorpusError if only some have a time zone."""
    dates = [one for one in given.ravel().tolist() if isinstance(one, datetime) and one == one]
    with_zone = {one.tzinfo is not None for one in dates}
    if len(with_zone) > 1:
        raise CorpusError("times of sequences must all have a time zone, or none of them")
    with warnings.catch_warnings():
        # NumPy converts to UTC, and warns; text with a time zone is refused, because other text would be in no zone.
        warnings.simplefilter("ignore" if with_zone == {True} else "error")
        return given.astype("datetime64[us]")


def _counted(dates: NDArray[np.datetime64]) -> _Numbers:
    """Return dates as numbers of the longest unit in TICKS that is not longer than theirs, or of nanoseconds."""
    if np.isnat(dates).any():
        raise CorpusError(f"the time of sequence {int(np.argmax(np.isnat(dates))) + 1} is missing")
    unit = np.datetime_data(dates.dtype)[0]
    unit = unit if unit in TICKS else "ns" if unit in ("ps", "fs", "as") else "s"
    counted = dates.astype(f"datetime64[{unit}]")
    if unit == "s" and (counted.astype(dates.dtype) != dates).any():  # years, for example: seconds wrapped around
        raise CorpusError("a time of a sequence is too far from 1970 to be counted in seconds")
    return _Numbers(counted.astype(np.int64), TICKS[unit])


def _short(values: object) -> str:
    text = " ".join(repr(values).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
