"""Outlines of the continents, to draw a map without the network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def load_coastlines() -> list[NDArray[np.float64]]:
    """Return the outlines of the continents and of large islands.

    They are those of Natural Earth at 1:110 million, which are in the public domain: good for maps of the world and of
    continents, not for a city.

    Returns
    -------
    list of arrays of shape (n_points, 2)
        Longitude and latitude in degrees, one array per outline.

    Examples
    --------
    >>> outlines = load_coastlines()
    >>> max(len(outline) for outline in outlines)  # Africa, Asia and Europe
    1322
    """
    from honem.explore.basemap import land_outlines

    return land_outlines()
