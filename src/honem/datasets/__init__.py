"""Path data with a known truth."""

from honem.datasets.city import CityTrips, city_trips
from honem.datasets.planted import PlantedPaths, planted_paths

__all__ = ["CityTrips", "PlantedPaths", "city_trips", "planted_paths"]
