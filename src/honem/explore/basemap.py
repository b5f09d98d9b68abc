"""The map of the world under nodes that have coordinates, for pages that make no network requests."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from honem.explore.packing import narrow, pack
from honem.explore.static_files import static

KINDS = ("land", "borders", "states")


def basemap_part() -> bytes:
    """Pack outlines of land, countries and the states of the USA, as differences of points in steps of degrees.

    Returns
    -------
    bytes
        About 17 kB. Land and countries are those of Natural Earth at 1:110m; web/basemap.mjs makes the file.
    """
    outlines = json.loads(static("basemap.json"))
    arrays = {
        f"{kind}_{field}": narrow(np.array(outlines[kind][field], np.int64))
        for kind in KINDS
        for field in ("sizes", "x", "y")
    }
    return pack({"step": outlines["step"]}, arrays)


def land_outlines() -> list[NDArray[np.float64]]:
    """Return longitudes and latitudes of the outlines of land, as one array of two columns per outline."""
    outlines = json.loads(static("basemap.json"))
    ends = np.cumsum(outlines["land"]["sizes"])[:-1]
    x, y = (np.split(np.array(outlines["land"][axis], np.int64), ends) for axis in "xy")
    return [np.cumsum(np.column_stack(one), axis=0) * outlines["step"] for one in zip(x, y, strict=True)]
