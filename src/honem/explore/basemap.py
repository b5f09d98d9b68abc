"""The map of the world under nodes that have coordinates, for pages that make no network requests."""

from __future__ import annotations

import json

import numpy as np

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
