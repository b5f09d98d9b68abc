"""Outlines of the continents, to draw a map without the network."""

from __future__ import annotations

import json

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
    from honem.explore.static_files import static

    whole = json.loads(static("basemap.json"))
    ends = np.cumsum(whole["land"]["sizes"])[:-1]
    x, y = (np.split(np.array(whole["land"][axis], np.int64), ends) for axis in "xy")
    return [np.cumsum(np.column_stack(one), axis=0) * whole["step"] for one in zip(x, y, strict=True)]
