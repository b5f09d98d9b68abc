"""`load_*`: trips through a city, orders of a shop, and sessions of its visitors."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

import numpy as np

from honem._internal.validation import require_whole
from honem.datasets.city import city_trips
from honem.datasets.visits import Visits, visits_of

# Activities of an order, and the relative frequency of the whole sequence. What follows the check of the stock
# depends on how the order came in; so does how the order ends after a reminder, many steps later.
ORDERS = (
    (("web order", "check stock", "pack", "ship", "invoice", "close"), 40),
    (("phone order", "check stock", "approve", "pack", "ship", "invoice", "close"), 30),
    (("web order", "check stock", "pack", "ship", "invoice", "remind", "invoice", "dispute"), 10),
    (("phone order", "check stock", "approve", "pack", "ship", "invoice", "remind", "invoice", "close"), 10),
)
# What visitors with one intention look at; everyone looks at the shared items in between.
INTENTIONS = {
    "hiking": ("boots", "map", "tent", "stove"),
    "office": ("desk", "chair", "lamp", "monitor"),
    "kitchen": ("pan", "knife", "mixer", "apron"),
}
SHARED = ("backpack", "gift card", "sale")


def load_city(n_trips: int = 2000, *, seed: int = 0) -> Visits:
    """Generate trips through a small city, in which the origin decides the destination.

    Students, commuters and tourists all change downtown or at the station. From there, 90 % of them go where their
    group goes, and the others anywhere. A first-order network shows nothing of this.

    Parameters
    ----------
    n_trips : int, default=2000
        Number of trips; each has three visits.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Visits
        The columns are `trip`, `time` and `place`; the labels are the groups.

    Raises
    ------
    ParameterError
        If `n_trips` is not a positive integer.

    Examples
    --------
    >>> city = load_city()
    >>> next(city.corpus.sequences())
    ('home west', 'station', 'bank')
    """
    require_whole("n_trips", n_trips, 1)
    trips = city_trips(n_trips, seed=seed)
    sequences = cast(list[tuple[str, ...]], list(trips.corpus.sequences()))
    return visits_of(sequences, ("trip", "time", "place"), trips.groups, np.random.default_rng(seed))


def load_orders(n_orders: int = 1000, *, seed: int = 0) -> Visits:
    """Generate the event log of a business process: orders of a shop, from the order to its end.

    Web orders are packed at once, orders by phone are approved first. After a reminder, web orders are disputed and
    orders by phone are closed. In 3 % of the orders, one activity was not recorded.

    Parameters
    ----------
    n_orders : int, default=1000
        Number of orders.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Visits
        The columns are `order`, `time` and `activity`.

    Raises
    ------
    ParameterError
        If `n_orders` is not a positive integer.

    Examples
    --------
    >>> load_orders(n_orders=3)
    Visits(3 sequences of order, 18 rows; columns order, time, activity)
    """
    require_whole("n_orders", n_orders, 1)
    random = np.random.default_rng(seed)
    shares = np.array([frequency for _, frequency in ORDERS], float)
    sequences = []
    for variant in random.choice(len(ORDERS), size=n_orders, p=shares / shares.sum()):
        activities = list(ORDERS[variant][0])
        if random.random() < 0.03:
            del activities[random.integers(1, len(activities))]
        sequences.append(activities)
    return visits_of(sequences, ("order", "time", "activity"), {}, random)


def load_sessions(n_sessions: int = 2000, *, seed: int = 0) -> Visits:
    """Generate sessions of visitors of a shop, who look at items of one kind and at shared ones in between.

    What comes after a shared item, such as a backpack, depends on the item before it.

    Parameters
    ----------
    n_sessions : int, default=2000
        Number of sessions; each has three to seven visits.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Visits
        The columns are `session`, `time` and `item`; the labels are the kinds of the items.

    Raises
    ------
    ParameterError
        If `n_sessions` is not a positive integer.

    Examples
    --------
    >>> sessions = load_sessions()
    >>> sessions.labels["boots"]
    'hiking'
    """
    require_whole("n_sessions", n_sessions, 1)
    random = np.random.default_rng(seed)
    sequences = []
    for _ in range(n_sessions):
        items = list(INTENTIONS.values())[random.integers(len(INTENTIONS))]
        looked_at = [items[place] for place in random.permutation(len(items))[: random.integers(2, 5)]]
        pairs = zip(looked_at, random.choice(SHARED, size=len(looked_at)), strict=True)
        sequences.append([str(item) for pair in pairs for item in pair][:-1])
    labels: dict[Hashable, str] = {item: kind for kind, items in INTENTIONS.items() for item in items}
    return visits_of(sequences, ("session", "time", "item"), labels, random)
