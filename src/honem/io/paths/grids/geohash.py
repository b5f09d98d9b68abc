"""Geohash cells: halve longitude and latitude in turn, and write the sides taken as digits of five bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem.io.paths.grids.base import Degrees, distinct_positions, numbered_names

ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"
LENGTHS = range(1, 13)


@dataclass(frozen=True)
class GeohashGrid:
    """Cells whose names have a given number of characters: 5 for about 5 km, 6 for 1 km, 7 for 150 m."""

    level: int

    def cells(self, longitudes: Degrees, latitudes: Degrees) -> tuple[NDArray[np.int64], list[str]]:
        """Return the number of the cell of each position, and the name of each of these cells."""
        pairs, numbers = distinct_positions(longitudes, latitudes)
        return numbered_names([geohash(lon, lat, self.level) for lon, lat in pairs.tolist()], numbers)

    def centres(self, names: Sequence[str]) -> Degrees:
        """Return longitude and latitude of the centre of each cell."""
        return np.array([geohash_centre(name) for name in names], np.float64).reshape(-1, 2)


def geohash(longitude: float, latitude: float, length: int) -> str:
    """Return the geohash of a position.

    >>> geohash(-5.6, 42.6, 5)
    'ezs42'
    """
    bits, sides = 0, [[-180.0, 180.0], [-90.0, 90.0]]
    position = ((longitude + 180) % 360 - 180 if longitude > 180 else longitude, latitude)
    for number in range(5 * length):
        low, high = sides[number % 2]
        middle = (low + high) / 2
        is_upper = position[number % 2] >= middle
        sides[number % 2] = [middle, high] if is_upper else [low, middle]
        bits = 2 * bits + is_upper
    return "".join(ALPHABET[bits >> 5 * place & 31] for place in reversed(range(length)))


def geohash_centre(name: str) -> tuple[float, float]:
    """Return longitude and latitude of the centre of a geohash.

    >>> [round(degrees, 2) for degrees in geohash_centre("ezs42")]
    [-5.6, 42.6]
    """
    sides = [[-180.0, 180.0], [-90.0, 90.0]]
    bits = "".join(f"{ALPHABET.index(letter):05b}" for letter in name)
    for number, bit in enumerate(bits):
        low, high = sides[number % 2]
        middle = (low + high) / 2
        sides[number % 2] = [middle, high] if bit == "1" else [low, middle]
    return sum(sides[0]) / 2, sum(sides[1]) / 2
