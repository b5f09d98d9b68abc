"""Sequences of different lengths that are concatenated in one flat array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def offsets_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return where sequences of these lengths begin and end when they are concatenated.

    >>> offsets_of(np.array([3, 0, 2])).tolist()
    [0, 3, 3, 5]
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def gather_ranges(starts: NDArray[np.int64], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return the numbers start, start + 1, ... of every range, concatenated.

    >>> gather_ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    offsets = offsets_of(lengths)
    return np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])


def steps_of(lengths: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the position where each step of the sequences ends, and how many positions of its sequence precede it.

    >>> [found.tolist() for found in steps_of(np.array([3, 1, 2]))]
    [[1, 2, 5], [1, 2, 1]]
    """
    place = gather_ranges(np.zeros(len(lengths), np.int64), lengths)
    ends = np.flatnonzero(place)
    return ends, place[ends]
