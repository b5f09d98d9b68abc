"""Parts of different lengths that stand one after the other in a flat array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def offsets_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Where parts of these lengths begin and end when they stand one after the other."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def gather_ranges(starts: NDArray[np.int64], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers start, start + 1, ... of every range, one range after the other."""
    offsets = offsets_of(lengths)
    return np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])


def steps_of(lengths: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each step within parts arrives, and how many places of its part stand before it.

    >>> [found.tolist() for found in steps_of(np.array([3, 1, 2]))]
    [[1, 2, 5], [1, 2, 1]]
    """
    place = gather_ranges(np.zeros(len(lengths), np.int64), lengths)
    ends = np.flatnonzero(place)
    return ends, place[ends]
