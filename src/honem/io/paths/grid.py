"""Grid cells of positions: names of cells (`row_column`) and their centres."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# A position this close to a grid line, in cells, is on it: 22.44 - 22.43 is slightly less than 0.01 in floats.
ON_THE_LINE = 1e-9
# In a fine grid, no more than this, or every position would be on a line.
FARTHEST_FROM_LINE = 1e-4
SMALLEST_CELL = 1e-9
"""In degrees, a tenth of a millimetre: in a finer grid, 64-bit floats could not tell the cells apart."""


def cell_of(positions: NDArray[np.float64], origin: float, side: float) -> NDArray[np.int64]:
    """Return the number of the cell along one axis; a position between two cells belongs to the higher one.

    >>> cell_of(np.array([22.43, 22.44, 22.4399]), origin=22.43, side=0.01).tolist()
    [0, 1, 0]
    """
    exact = (positions - origin) / side
    nearest = np.rint(exact)
    tolerance = np.minimum(ON_THE_LINE * np.maximum(1, np.abs(exact)), FARTHEST_FROM_LINE)
    on_line = np.abs(exact - nearest) <= tolerance
    return np.where(on_line, nearest, np.floor(exact)).astype(np.int64)


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell."""
    return f"{row}_{column}"


def cell_centres(names: Sequence[str], origin: tuple[float, float], side: float) -> NDArray[np.float64]:
    """Return the (lon, lat) of the centre of each cell.

    >>> cell_centres(["0_0", "2_1"], (113.75, 22.43), 0.01).round(3).tolist()
    [[113.755, 22.435], [113.765, 22.455]]
    """
    cells = np.array([[int(part) for part in name.split("_")] for name in names], np.float64).reshape(-1, 2)
    return np.asarray(origin) + (cells[:, ::-1] + 0.5) * side
