"""Journeys by air: there, and in most cases back home."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from honem._internal.validation import require_whole
from honem.datasets.visits import Visits, visits_of

# IATA code -> longitude and latitude. Journeys change planes at a hub.
HUBS = {"ATL": (-84.4, 33.6), "ORD": (-87.9, 42.0), "DFW": (-97.0, 32.9), "DEN": (-104.7, 39.9)}
HOMES = {
    "BOS": (-71.0, 42.4),
    "JFK": (-73.8, 40.6),
    "IAD": (-77.5, 38.9),
    "MIA": (-80.3, 25.8),
    "MSP": (-93.2, 44.9),
    "DTW": (-83.4, 42.2),
    "IAH": (-95.3, 30.0),
    "SEA": (-122.3, 47.4),
    "SFO": (-122.4, 37.6),
    "LAX": (-118.4, 33.9),
    "PHX": (-112.0, 33.4),
    "SLC": (-112.0, 40.8),
}
RETURNS = 0.8
"""Share of the journeys that lead back home."""


def load_flights(n_journeys: int = 3000, *, seed: int = 0) -> Visits:
    """Generate journeys by air in the United States, most of them with a return flight.

    A journey leads from home by a hub to a destination, and 80 % of them back by the same hub. So the airport three
    steps before the last one, the home, decides where a journey ends.

    Parameters
    ----------
    n_journeys : int, default=3000
        Number of journeys; each has three or five visits.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Visits
        The columns are `journey`, `time` and `airport`; the labels are "hub" and "other", the coordinates those of the
        airports.

    Raises
    ------
    ParameterError
        If `n_journeys` is not a positive integer.

    Examples
    --------
    >>> next(load_flights().corpus.sequences())
    ('DTW', 'DFW', 'SEA', 'DFW', 'DTW')
    """
    require_whole("n_journeys", n_journeys, 1)
    random = np.random.default_rng(seed)
    homes, hubs = list(HOMES), list(HUBS)
    journeys = []
    for _ in range(n_journeys):
        home, away = (homes[place] for place in random.choice(len(homes), size=2, replace=False))
        hub = hubs[random.integers(len(hubs))]
        back = [hub, home] if random.random() < RETURNS else []
        journeys.append([home, hub, away, *back])
    flown = {airport for journey in journeys for airport in journey}
    labels: dict[Hashable, str] = {airport: "hub" if airport in HUBS else "other" for airport in sorted(flown)}
    coordinates = {airport: place for airport, place in {**HUBS, **HOMES}.items() if airport in flown}
    return visits_of(journeys, ("journey", "time", "airport"), labels, random, coordinates=coordinates)
