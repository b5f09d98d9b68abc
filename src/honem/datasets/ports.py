"""Port calls of container ships that follow liner services, with the places of the ports on the earth."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from honem._internal.validation import require_switch, require_whole
from honem.datasets.visits import Visits, table_of_visits

# Region -> port -> longitude and latitude, to a tenth of a degree.
PORTS = {
    "East Asia": {
        "Shanghai": (121.8, 31.0),
        "Ningbo": (121.9, 29.9),
        "Busan": (129.0, 35.1),
        "Tokyo": (139.8, 35.6),
        "Kaohsiung": (120.3, 22.6),
    },
    "South Asia": {
        "Singapore": (103.8, 1.3),
        "Jakarta": (106.9, -6.1),
        "Bangkok": (100.6, 13.1),
        "Colombo": (79.8, 6.9),
        "Chennai": (80.3, 13.1),
    },
    "Northern Europe": {
        "Rotterdam": (4.0, 51.9),
        "Hamburg": (9.9, 53.5),
        "Felixstowe": (1.3, 51.9),
        "Gdansk": (18.7, 54.4),
        "Klaipeda": (21.1, 55.7),
        "Gothenburg": (11.9, 57.7),
        "Aarhus": (10.2, 56.2),
        "Dublin": (-6.2, 53.3),
    },
    "Mediterranean": {
        "Port Said": (32.3, 31.3),
        "Piraeus": (23.6, 37.9),
        "Genoa": (8.9, 44.4),
        "Algeciras": (-5.4, 36.1),
        "Istanbul": (28.7, 41.0),
        "Constanta": (28.7, 44.1),
    },
    "Americas": {
        "New York": (-74.1, 40.7),
        "Savannah": (-81.1, 32.1),
        "Los Angeles": (-118.3, 33.7),
        "Oakland": (-122.3, 37.8),
        "Santos": (-46.3, -24.0),
        "Buenos Aires": (-58.4, -34.6),
    },
    "Africa": {"Cape Town": (18.4, -33.9), "Durban": (31.0, -29.9), "Casablanca": (-7.6, 33.6)},
}
# Ships of a service call its ports in this order, again and again. Several services share a hub and separate there.
SERVICES = (
    ("Shanghai", "Ningbo", "Singapore", "Port Said", "Rotterdam", "Hamburg", "Felixstowe", "Port Said", "Singapore"),
    ("Busan", "Kaohsiung", "Singapore", "Port Said", "Piraeus", "Genoa", "Algeciras", "Port Said", "Singapore"),
    ("Rotterdam", "Felixstowe", "New York", "Savannah"),
    ("Shanghai", "Busan", "Los Angeles", "Oakland", "Tokyo"),
    ("Algeciras", "Santos", "Buenos Aires", "Santos", "Algeciras", "Casablanca"),
    ("Durban", "Cape Town", "Algeciras", "Rotterdam", "Algeciras", "Cape Town"),
    ("Hamburg", "Gdansk", "Klaipeda"),
    ("Hamburg", "Gothenburg", "Aarhus"),
    ("Rotterdam", "Dublin"),
    ("Piraeus", "Istanbul", "Constanta"),
    ("Singapore", "Jakarta"),
    ("Singapore", "Bangkok"),
    ("Singapore", "Chennai", "Colombo"),
)
CANAL, CAPE = "Port Said", "Cape Town"
FIRST_DAY = datetime(2024, 1, 1)
LAST_DAY = datetime(2024, 7, 1)
REROUTED_FROM = datetime(2024, 4, 1)
SKIPPED = 0.05
"""Share of the calls that a ship leaves out."""


def load_port_calls(n_ships: int = 300, *, seed: int = 0, rerouted: bool = False) -> Visits:
    """Generate half a year of port calls of container ships.

    Each ship follows one of 13 liner services: long ones between continents, and short ones that distribute goods from
    a hub. At a hub, the next port depends on the ports before it, because services meet there. One call in 20 is
    skipped. Places of ports are real, services and ships are not.

    Parameters
    ----------
    n_ships : int, default=300
        Number of ships; each makes about 30 calls from January to June 2024.
    seed : int, default=0
        Seed of the random numbers.
    rerouted : bool, default=False
        Whether ships between Asia and Europe go by Cape Town instead of Port Said from 1 April on.

    Returns
    -------
    Visits
        The columns are `ship`, `time` and `port`; the labels are regions, the coordinates those of the ports.

    Raises
    ------
    ParameterError
        If `n_ships` is not a positive integer, or `rerouted` not a bool.

    Examples
    --------
    >>> calls = load_port_calls()
    >>> calls.corpus.n_nodes, calls.labels["Gdansk"], calls.coordinates["Gdansk"]
    (33, 'Northern Europe', (18.7, 54.4))
    """
    require_whole("n_ships", n_ships, 1)
    require_switch("rerouted", rerouted)
    random = np.random.default_rng(seed)
    rows = [row for number in range(n_ships) for row in calls_of(f"ship {number + 1}", random, rerouted)]
    labels = {port: region for region, ports in PORTS.items() for port in ports}
    coordinates = {port: place for ports in PORTS.values() for port, place in ports.items()}
    called = {port for _, _, port in rows}
    return Visits(
        table_of_visits(rows, ("ship", "time", "port")),
        "ship",
        "time",
        "port",
        {port: region for port, region in labels.items() if port in called},
        {port: place for port, place in coordinates.items() if port in called},
    )


def calls_of(ship: str, random: np.random.Generator, rerouted: bool) -> list[tuple[str, datetime, str]]:
    """Return the calls of a ship on a service that is drawn for it, from a port of the service that is drawn, too."""
    service = SERVICES[random.integers(len(SERVICES))]
    position = int(random.integers(len(service)))
    time = FIRST_DAY + timedelta(hours=int(random.integers(24 * 7)))
    calls: list[tuple[str, datetime, str]] = []
    while time < LAST_DAY:
        port = service[position % len(service)]
        if rerouted and time >= REROUTED_FROM and port == CANAL:
            port = CAPE
        if random.random() >= SKIPPED or not calls:
            calls.append((ship, time, port))
        time += timedelta(hours=int(random.integers(24 * 4, 24 * 9)))
        position += 1
    return calls
