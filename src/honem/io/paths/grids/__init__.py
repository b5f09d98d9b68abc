"""Grids that turn positions into nodes, by options such as `0.01` (degrees), `500m`, `h3:8` and `geohash:6`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from honem._internal.option_names import option
from honem._internal.validation import as_float, is_number, require_number
from honem.errors import ParameterError
from honem.io.paths.grids.base import Grid
from honem.io.paths.grids.geohash import LENGTHS, GeohashGrid
from honem.io.paths.grids.hexagons import RESOLUTIONS, H3Grid
from honem.io.paths.grids.squares import SMALLEST_CELL, DegreeGrid, MetreGrid

__all__ = ["GRIDS", "ORIGIN", "Grid", "GridKind", "make_grid"]

ORIGIN = (-180.0, -90.0)
METRES = {"m": 1.0, "km": 1000.0}
LENGTH = re.compile(r"\s*([0-9]+|[0-9]*\.[0-9]+)\s*(m|km)\s*", re.IGNORECASE)
SMALLEST, LARGEST = 0.001, 10_000_000.0
"""Sides of a cell in metres."""


class GridKind(NamedTuple):
    """A kind of cells that is chosen by a name and a level, such as `h3:8`."""

    make: Callable[[int], Grid]
    levels: range


GRIDS = {"h3": GridKind(H3Grid, RESOLUTIONS), "geohash": GridKind(GeohashGrid, LENGTHS)}


def make_grid(given: Any, origin: Any = ORIGIN) -> Grid:
    """Return the grid that an option describes.

    Parameters
    ----------
    given : float or str
        Side of a cell in degrees (0.01 or "0.01"), its length ("500m", "2km"), "h3:RESOLUTION" or "geohash:LENGTH".
    origin : pair of float, default=(-180.0, -90.0)
        Longitude and latitude of the corner of cell `0_0`, for cells in degrees and metres.

    Returns
    -------
    Grid

    Raises
    ------
    ParameterError
        If there is no such grid, or `origin` is not a corner or does not apply.
    MissingDependencyError
        If the package `h3` is needed and missing.

    Examples
    --------
    >>> make_grid("geohash:5").centres(["ezs42"]).round(2).tolist()
    [[-5.6, 42.6]]
    """
    corner = _corner(origin)
    if not isinstance(given, str):
        require_number("grid", given, at_least=SMALLEST_CELL)
        return DegreeGrid(as_float(given), corner)
    name, colon, level = given.partition(":")
    if colon and name in GRIDS:
        if corner != ORIGIN:
            raise ParameterError(f"{option('grid_origin')} applies to cells in degrees or metres, not to {name}")
        return GRIDS[name].make(_level(given, level, GRIDS[name].levels))
    if length := LENGTH.fullmatch(given):
        return MetreGrid(_metres(given, length), corner)
    return make_grid(_degrees(given), origin)


def _corner(origin: Any) -> tuple[float, float]:
    is_pair = isinstance(origin, (tuple, list)) and len(origin) == 2
    if not is_pair or not all(is_number(degrees) and -360 <= as_float(degrees) <= 360 for degrees in origin):
        raise ParameterError(
            f"{option('grid_origin')} must be two numbers from -360 to 360, longitude and latitude of a corner, "
            f"not {origin!r:.60}"
        )
    return as_float(origin[0]), as_float(origin[1])


def _level(given: str, text: str, levels: range) -> int:
    level = int(text) if text.isascii() and text.isdigit() and len(text) < 3 else -1
    if level not in levels:
        raise ParameterError(
            f"{option('grid')} must have a level from {levels[0]} to {levels[-1]} after the colon, not {given!r:.60}"
        )
    return level


def _metres(given: str, length: re.Match[str]) -> float:
    metres = float(length[1]) * METRES[length[2].lower()]
    if not SMALLEST <= metres <= LARGEST:
        raise ParameterError(f"{option('grid')} must be at least 0.001m and at most 10000km, not {given!r:.60}")
    return metres


def _degrees(given: str) -> float:
    try:
        return float(given)
    except ValueError:
        examples = " or ".join(f"{name}:{kind.levels[len(kind.levels) // 2]}" for name, kind in GRIDS.items())
        raise ParameterError(
            f"{option('grid')} must be a number of degrees such as 0.01, a length such as 500m, or {examples}, "
            f"not {given!r:.60}"
        ) from None
