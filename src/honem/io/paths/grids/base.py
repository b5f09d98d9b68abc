"""What every grid does: name the cell of each position, and return the centres of cells by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Degrees = NDArray[np.float64]


class Grid(Protocol):
    """Cells that cover the earth; to add a kind, write a class like this in a new module and list it in GRIDS."""

    def cells(self, longitudes: Degrees, latitudes: Degrees) -> tuple[NDArray[np.int64], list[str]]:
        """Return the number of the cell of each position, and the name of each of these cells."""

    def centres(self, names: Sequence[str]) -> Degrees:
        """Return longitude and latitude of the centre of each cell, as two columns."""


def distinct_positions(longitudes: Degrees, latitudes: Degrees) -> tuple[Degrees, NDArray[np.int64]]:
    """Return the distinct pairs of longitude and latitude, and the number of the pair of each position."""
    pairs, numbers = np.unique(np.column_stack((longitudes, latitudes)), axis=0, return_inverse=True)
    return pairs, numbers.reshape(-1)


def numbered_names(names: Sequence[str], numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
    """Return the number of the cell of each position, and each name once, given the names of distinct positions."""
    first = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([first[name] for name in names], np.int64)[numbers], list(first)
