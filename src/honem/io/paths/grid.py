"""Positions to the cells of a grid: a cell is named `row_column` and keeps its centre."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# A position this close to a line of the grid, in cells, lies on it: 22.44 - 22.43 is a little less than 0.01 in floats.
ON_THE_LINE = 1e-9


def cell_of(positions: NDArray[np.float64], origin: float, side: float) -> NDArray[np.int64]:
    """The number of the cell along one axis; a position on the line between two cells belongs to the higher.

    >>> cell_of(np.array([22.43, 22.44, 22.4399]), origin=22.43, side=0.01).tolist()
    [0, 1, 0]
    """
    exact = (positions - origin) / side
    nearest = np.rint(exact)
    on_line = np.abs(exact - nearest) <= ON_THE_LINE * np.maximum(1, np.abs(exact))
    return np.where(on_line, nearest, np.floor(exact)).astype(np.int64)


def cell_name(row: int, column: int) -> str:
    """How a cell is called."""
    return f"{row}_{column}"


def cell_centres(names: Sequence[str], origin: tuple[float, float], side: float) -> NDArray[np.float64]:
    """The (lon, lat) of each cell's centre.

    >>> cell_centres(["0_0", "2_1"], (113.75, 22.43), 0.01).round(3).tolist()
    [[113.755, 22.435], [113.765, 22.455]]
    """
    cells = np.array([[int(part) for part in name.split("_")] for name in names], np.float64).reshape(-1, 2)
    return np.asarray(origin) + (cells[:, ::-1] + 0.5) * side
