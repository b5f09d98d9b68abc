"""Trips through a small city in which where you come from decides where you go."""

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
"""Everybody changes here, so the next step alone says nothing about who is travelling."""


@dataclass(frozen=True, eq=False)
class CityTrips:
    """The trips, and which group each place other than a hub belongs to."""

    corpus: Corpus
    groups: dict[Hashable, str]


def city_trips(n_trips: int = 20_000, noise: float = 0.1, seed: int = 0) -> CityTrips:
    """Origin - hub - destination trips of three groups; a share `noise` of them goes to just any destination.

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
