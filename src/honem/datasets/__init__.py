"""Small generated data sets for first steps, examples and tests. They need no files and no network.

>>> from honem.datasets import load_city
>>> load_city()
Visits(2,000 sequences of trip, 6,000 rows; columns trip, time, place)
"""

from honem.datasets.clicks import load_clicks
from honem.datasets.coastlines import load_coastlines
from honem.datasets.flights import load_flights
from honem.datasets.loaders import load_city, load_orders, load_sessions
from honem.datasets.ports import load_port_calls
from honem.datasets.rides import load_rides
from honem.datasets.visits import Visits

__all__ = [
    "Visits",
    "load_city",
    "load_clicks",
    "load_coastlines",
    "load_flights",
    "load_orders",
    "load_port_calls",
    "load_rides",
    "load_sessions",
]
