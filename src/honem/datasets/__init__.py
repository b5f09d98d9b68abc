"""Small generated data sets for first steps, examples and tests. They need no files and no network.

>>> from honem.datasets import load_city
>>> load_city()
Visits(2,000 sequences of trip, 6,000 rows; columns trip, time, place)
"""

from honem.datasets.loaders import load_city, load_orders, load_sessions
from honem.datasets.visits import Visits

__all__ = ["Visits", "load_city", "load_orders", "load_sessions"]
