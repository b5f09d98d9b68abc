"""Data sets: generated paths with a known truth, surrogates, and public path data."""

from honem.datasets.city import CityTrips, city_trips
from honem.evaluation.datasets.planted import PlantedPaths, planted_paths
from honem.evaluation.datasets.real import REAL_DATA, RealData, load_real
from honem.evaluation.datasets.snap import download_wikispeedia
from honem.evaluation.datasets.surrogate import markov_surrogate

__all__ = [
    "REAL_DATA",
    "CityTrips",
    "PlantedPaths",
    "RealData",
    "city_trips",
    "download_wikispeedia",
    "load_real",
    "markov_surrogate",
    "planted_paths",
]
