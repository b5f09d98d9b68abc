"""Cells in rows and columns, named `row_column`: of a side in degrees, or about square with a side in metres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem.io.paths.grids.base import Degrees

# A position this close to a grid line, in cells, is on it: 22.44 - 22.43 is slightly less than 0.01 in floats.
ON_THE_LINE = 1e-9
# In a fine grid, no more than this, or every position would be on a line.
FARTHEST_FROM_LINE = 1e-4
SMALLEST_CELL = 1e-9
"""In degrees, a tenth of a millimetre: in a finer grid, 64-bit floats could not tell the cells apart."""
METRES_PER_DEGREE = np.pi / 180 * 6_371_008.8
"""Along a meridian, on a sphere with the mean radius of the earth."""


@dataclass(frozen=True)
class DegreeGrid:
    """Cells with a side in degrees; rows are counted northwards and columns eastwards from the origin."""

    side: float
    origin: tuple[float, float]

    def cells(self, longitudes: Degrees, latitudes: Degrees) -> tuple[NDArray[np.int64], list[str]]:
        """Return the number of the cell of each position, and the name of each of these cells."""
        west, south = self.origin
        return named_cells(cell_of(latitudes, south, self.side), cell_of(longitudes, west, self.side))

    def centres(self, names: Sequence[str]) -> Degrees:
        """Return longitude and latitude of the centre of each cell.

        >>> DegreeGrid(0.01, (113.75, 22.43)).centres(["0_0", "2_1"]).round(3).tolist()
        [[113.755, 22.435], [113.765, 22.455]]
        """
        centres: Degrees = np.asarray(self.origin) + (rows_and_columns(names)[:, ::-1] + 0.5) * self.side
        return centres


@dataclass(frozen=True)
class MetreGrid:
    """Cells with a side in metres: rows of equal height, each with columns as wide as they are high in its middle.

    Columns of neighbouring rows are not exactly above each other, as meridians converge. Sizes are those on a sphere;
    on the earth, which is flattened, they differ by up to 0.6 %.
    """

    side: float
    origin: tuple[float, float]

    @property
    def height(self) -> float:
        """The height of a row in degrees."""
        return self.side / METRES_PER_DEGREE

    def cells(self, longitudes: Degrees, latitudes: Degrees) -> tuple[NDArray[np.int64], list[str]]:
        """Return the number of the cell of each position, and the name of each of these cells."""
        west, south = self.origin
        rows = cell_of(latitudes, south, self.height)
        return named_cells(rows, cell_of(longitudes, west, self._widths(rows)))

    def centres(self, names: Sequence[str]) -> Degrees:
        """Return longitude and latitude of the centre of each cell.

        >>> MetreGrid(500, (113.75, 22.43)).centres(["0_0", "2_1"]).round(4).tolist()
        [[113.7524, 22.4322], [113.7573, 22.4412]]
        """
        rows, columns = rows_and_columns(names).T
        return np.column_stack((self.origin[0] + (columns + 0.5) * self._widths(rows), self._middles(rows)))

    def _middles(self, rows: NDArray[np.int64]) -> Degrees:
        return np.clip(self.origin[1] + (rows + 0.5) * self.height, -90.0, 90.0)

    def _widths(self, rows: NDArray[np.int64]) -> Degrees:
        """Return the width of the cells of each row in degrees; around a pole, a row may be one cell."""
        shares = np.maximum(np.cos(np.deg2rad(self._middles(rows))), 1e-12)
        return np.minimum(self.height / shares, 360.0)


def cell_of(positions: Degrees, origin: float, side: float | Degrees) -> NDArray[np.int64]:
    """Return the number of the cell along one axis; a position between two cells belongs to the higher one.

    >>> cell_of(np.array([22.43, 22.44, 22.4399]), origin=22.43, side=0.01).tolist()
    [0, 1, 0]
    """
    exact = (positions - origin) / side
    nearest = np.rint(exact)
    tolerance = np.minimum(ON_THE_LINE * np.maximum(1, np.abs(exact)), FARTHEST_FROM_LINE)
    on_line = np.abs(exact - nearest) <= tolerance
    return np.where(on_line, nearest, np.floor(exact)).astype(np.int64)


def named_cells(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
    """Return the number of the cell of each position, and the names of the cells, south to north.

    >>> numbers, names = named_cells(np.array([7, 2, 7]), np.array([1, 5, 1]))
    >>> numbers.tolist(), names
    ([1, 0, 1], ['2_5', '7_1'])
    """
    # Numbers of rows and columns that occur: those of a fine grid, multiplied, would not fit into 64 bits.
    known_rows, row_numbers = np.unique(rows, return_inverse=True)
    known_columns, column_numbers = np.unique(columns, return_inverse=True)
    width = max(len(known_columns), 1)
    cells, numbers = np.unique(row_numbers * width + column_numbers, return_inverse=True)
    names = zip(known_rows[cells // width].tolist(), known_columns[cells % width].tolist(), strict=True)
    return numbers, [f"{row}_{column}" for row, column in names]


def rows_and_columns(names: Sequence[str]) -> NDArray[np.int64]:
    """Return row and column of cells, by their names."""
    return np.array([[int(part) for part in name.split("_")] for name in names], np.int64).reshape(-1, 2)
