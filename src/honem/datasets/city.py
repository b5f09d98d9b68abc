"""Trips through a small city in which the origin decides the destination."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from honem.corpus import Corpus

GROUPS = {
    "students": (("dorm north", "dorm south"), ("library", "campus", "lecture hall")),
    "commuters": (("home east", "home west"), ("office", "bank", "town hall")),
    "tourists": (("hotel", "hostel"), ("museum", "castle", "zoo")),
}
HUBS = ("downtown", "station")
"""Every trip passes one of them, so a single step does not reveal the group."""


@dataclass(frozen=True, eq=False)
class CityTrips:
    """The trips, and the group of each place other than a hub."""

    corpus: Corpus
    groups: dict[Hashable, str]


def city_trips(n_trips: int = 20_000, noise: float = 0.1, seed: int = 0) -> CityTrips:
    """Generate origin - hub - destination trips of three groups.

    Parameters
    ----------
    n_trips : int, default=20_000
        Number of trips.
    noise : float, default=0.1
        Share of the trips that go to a random destination.
    seed : int, default=0
        Seed of the draw.

    Examples
    --------
    >>> trips = city_trips(n_trips=3)
    >>> trips.groups["library"], trips.corpus.n_sequences
    ('students', 3)
    """
    random = np.random.default_rng(seed)
    destinations = [place for _, theirs in GROUPS.values() for place in theirs]
    trips = []
    for _ in range(n_trips):
        origins, theirs = list(GROUPS.values())[random.integers(len(GROUPS))]
        goals = destinations if random.random() < noise else theirs
        trips.append([origins[random.integers(2)], HUBS[random.integers(2)], goals[random.integers(len(goals))]])
    groups: dict[Hashable, str] = {place: name for name, places in GROUPS.items() for side in places for place in side}
    return CityTrips(Corpus.from_sequences(trips), groups)
