"""Grids: every position is in its cell, centres are in their own cells, and the published examples come out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import HONEM, ParameterError, from_events, read_paths_with_report
from honem.io.paths.grids import GRIDS, GridKind, make_grid
from honem.io.paths.grids.geohash import geohash, geohash_centre
from honem.io.paths.grids.squares import METRES_PER_DEGREE

LON = st.floats(-180, 360, allow_nan=False)
LAT = st.floats(-89.9, 89.9, allow_nan=False)
TEXTS = ["0.01", "2.5", "500m", "2km", "geohash:3", "geohash:7"]


@given(st.lists(st.tuples(LON, LAT), min_size=1, max_size=20), st.sampled_from(TEXTS))
def test_the_centre_of_a_cell_is_in_that_cell(positions: list[tuple[float, float]], text: str) -> None:
    grid = make_grid(text)
    numbers, names = grid.cells(*np.array(positions).T)
    assert sorted(set(numbers.tolist())) == list(range(len(names)))
    assert len(set(names)) == len(names)
    centres = grid.centres(names)
    again, found = grid.cells(*centres.T)
    assert [found[number] for number in again] == names


@given(LON, LAT, st.floats(10, 50_000))
def test_cells_in_metres_are_about_square_everywhere(lon: float, lat: float, side: float) -> None:
    grid = make_grid(f"{side:.3f}m")
    _, names = grid.cells(np.array([lon]), np.array([lat]))
    ((east, north),) = grid.centres(names)
    assert abs(north - lat) * METRES_PER_DEGREE <= 0.5001 * side + 0.01
    width = abs(east - lon) * METRES_PER_DEGREE * np.cos(np.deg2rad(north))
    assert width <= 0.5001 * side + 0.01


def test_geohashes_are_those_of_the_published_examples() -> None:
    assert geohash(10.40744, 57.64911, 11) == "u4pruydqqvj"
    assert geohash(-5.6, 42.6, 5) == "ezs42"
    assert geohash(360.0, 0.0, 3) == geohash(0.0, 0.0, 3)
    assert geohash_centre("ezs42") == pytest.approx((-5.603, 42.605), abs=0.001)


def test_h3_cells_are_those_of_the_package() -> None:
    h3 = pytest.importorskip("h3", reason="no h3 here: pip install 'honem[h3]'")
    grid = make_grid("h3:8")
    numbers, names = grid.cells(np.array([114.0, 114.00001, 2.35]), np.array([22.5, 22.50001, 48.86]))
    assert [names[number] for number in numbers] == [
        h3.latlng_to_cell(lat, lon, 8) for lon, lat in ((114.0, 22.5), (114.00001, 22.50001), (2.35, 48.86))
    ]
    assert grid.centres(names)[numbers[0]] == pytest.approx((114.0, 22.5), abs=0.01)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("0", "finite number"),
        ("nan", "finite number"),
        ("12 parsecs", "a length such as 500m"),
        ("0m", "at least 0.001m"),
        ("99999km", "at most 10000km"),
        ("h3:16", "level from 0 to 15"),
        ("geohash:0", "level from 1 to 12"),
        ("geohash:", "level from 1 to 12"),
        (None, "finite number"),
    ],
)
def test_what_is_no_grid_is_refused(given: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        make_grid(given)


def test_a_corner_does_not_apply_to_cells_that_have_fixed_places() -> None:
    with pytest.raises(ParameterError, match="applies to cells in degrees or metres, not to geohash"):
        make_grid("geohash:5", (10.0, 20.0))


class Hemispheres:
    """A grid of two cells."""

    def __init__(self, level: int) -> None:
        self.level = level

    def cells(self, longitudes: np.ndarray, latitudes: np.ndarray) -> tuple[np.ndarray, list[str]]:
        return (latitudes >= 0).astype(np.int64), ["south", "north"]

    def centres(self, names: Sequence[str]) -> np.ndarray:
        return np.array([[0.0, {"south": -45.0, "north": 45.0}[name]] for name in names])


def test_a_new_kind_of_cells_is_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GRIDS, "hemisphere", GridKind(Hemispheres, range(1, 2)))
    flight = {"plane": [1, 1, 1], "x": [0.0, 1.0, 2.0], "y": [-3.0, 4.0, -5.0]}
    corpus = from_events(flight, entity="plane", lon="x", lat="y", grid="hemisphere:1")
    assert list(corpus.sequences()) == [("south", "north", "south")]
    model = HONEM(n_components=1, preset="evidence").fit(corpus)
    assert model.labels_ is not None
    assert model.labels_.coordinates is not None
    assert model.labels_.coordinates.tolist() == [[0.0, -45.0], [0.0, 45.0]]


def test_the_corpus_and_the_report_have_the_centres(tmp_path: Path) -> None:
    path = tmp_path / "taxis.csv"
    path.write_text("taxi,lon,lat\n1,113.801,22.501\n1,113.811,22.502\n1,113.802,22.503\n")
    corpus, report = read_paths_with_report(path, entity="taxi", lon="lon", lat="lat", grid="500m")
    assert corpus.vocabulary.coordinates is not None
    assert report.coordinates is not None
    assert np.array_equal(corpus.vocabulary.coordinates, report.coordinates)
    assert np.allclose(corpus.vocabulary.coordinates[0], (113.801, 22.501), atol=0.005)
