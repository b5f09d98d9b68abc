"""Cells of H3, mostly hexagons, from the package `h3`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem._internal.optional_packages import require_package
from honem.io.paths.grids.base import Degrees, distinct_positions, numbered_names

RESOLUTIONS = range(16)


@dataclass(frozen=True)
class H3Grid:
    """Cells of a resolution of H3: 7 for about 5 km2, 8 for 0.7 km2, 9 for 0.1 km2. Names are H3 indexes."""

    level: int

    def __post_init__(self) -> None:
        require_package("h3", "h3", "a grid of H3 cells")

    def cells(self, longitudes: Degrees, latitudes: Degrees) -> tuple[NDArray[np.int64], list[str]]:
        """Return the number of the cell of each position, and the name of each of these cells."""
        h3 = require_package("h3", "h3", "a grid of H3 cells")
        pairs, numbers = distinct_positions(longitudes, latitudes)
        return numbered_names([h3.latlng_to_cell(lat, lon, self.level) for lon, lat in pairs.tolist()], numbers)

    def centres(self, names: Sequence[str]) -> Degrees:
        """Return longitude and latitude of the centre of each cell."""
        h3 = require_package("h3", "h3", "a grid of H3 cells")
        return np.array([h3.cell_to_latlng(name)[::-1] for name in names], np.float64).reshape(-1, 2)
