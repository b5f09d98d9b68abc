"""Rides of taxis through a city with a river and one bridge, as positions."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime, timedelta

import numpy as np

from honem._internal.validation import require_whole
from honem.datasets.visits import Visits, table_of_visits

# Places are (column, row) of a grid of square cells; the river is between the rows 4 and 5.
WIDTH, HEIGHT = 13, 10
CELL = 0.01
"""Side of a cell in degrees."""
CORNER = (9.9, 45.1)
"""Longitude and latitude of the south-western corner of the city."""
APPROACH = ((6, 2), (6, 3), (6, 4))
"""The road to the bridge, which all rides take."""
BRIDGE = (6, 5)
# Where rides begin, south of the river, and where most of them end, north of it.
ORIGINS = {"airport": (1, 1), "suburbs": (11, 1), "old town": (6, 0)}
GOALS = {"airport": ((2, 8), (3, 9)), "suburbs": ((10, 8), (11, 7)), "old town": ((6, 9), (7, 9))}
ELSEWHERE = 0.15
"""Share of the rides that end where those of another origin do."""


def load_rides(n_rides: int = 1500, *, seed: int = 0) -> Visits:
    """Generate rides of taxis across a river, as positions along the road.

    All rides cross one bridge, after the same road. Behind it, those from the airport turn west to the hotels, those
    from the suburbs east to the offices, and those from the old town go on straight. So what comes next on the bridge
    depends on a place that was left four cells before, or more.

    Parameters
    ----------
    n_rides : int, default=1500
        Number of rides; each has about 15 positions.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Visits
        The columns are `ride`, `time`, `lon` and `lat`. Nodes are cells of a grid of 0.01 degrees; `coordinates` has
        their centres.

    Raises
    ------
    ParameterError
        If `n_rides` is not a positive integer.

    Examples
    --------
    >>> rides = load_rides()
    >>> rides.options["grid"], rides.corpus.n_nodes < 130
    (0.01, True)
    """
    require_whole("n_rides", n_rides, 1)
    random = np.random.default_rng(seed)
    rows = []
    for number in range(n_rides):
        time = datetime(2024, 1, 1, 6) + timedelta(minutes=2 * number)
        for column, row in cells_of_a_ride(random):
            lon, lat = place_within(column, row, random)
            rows.append((f"r{number + 1}", time, lon, lat))
            time += timedelta(seconds=int(random.integers(40, 90)))
    coordinates: dict[Hashable, tuple[float, float]] = {
        f"{row}_{column}": (CORNER[0] + (column + 0.5) * CELL, CORNER[1] + (row + 0.5) * CELL)
        for row in range(HEIGHT)
        for column in range(WIDTH)
    }
    return Visits(
        table_of_visits(rows, ("ride", "time", "lon", "lat")),
        "ride",
        "time",
        None,
        coordinates=coordinates,
        reading={"lon": "lon", "lat": "lat", "grid": CELL, "grid_origin": CORNER},
    )


def cells_of_a_ride(random: np.random.Generator) -> list[tuple[int, int]]:
    """Return the cells of one ride, from its origin over the bridge to its goal."""
    names = list(ORIGINS)
    name = names[random.integers(len(names))]
    goals = GOALS[names[random.integers(len(names))]] if random.random() < ELSEWHERE else GOALS[name]
    goal = goals[random.integers(len(goals))]
    return [
        *along_the_streets(ORIGINS[name], APPROACH[0], random),
        *APPROACH[1:],
        *along_the_streets(BRIDGE, goal, random),
    ]


def along_the_streets(
    start: tuple[int, int], end: tuple[int, int], random: np.random.Generator
) -> list[tuple[int, int]]:
    """Return a shortest way from cell to cell, both included, with turns at random."""
    (column, row), cells = start, [start]
    while (column, row) != end:
        across, up = end[0] - column, end[1] - row
        if random.random() < abs(across) / (abs(across) + abs(up)):
            column += 1 if across > 0 else -1
        else:
            row += 1 if up > 0 else -1
        cells.append((column, row))
    return cells


def place_within(column: int, row: int, random: np.random.Generator) -> tuple[float, float]:
    """Return a position somewhere in the middle of a cell."""
    across, up = random.uniform(0.2, 0.8, size=2)
    return round(CORNER[0] + (column + across) * CELL, 6), round(CORNER[1] + (row + up) * CELL, 6)
