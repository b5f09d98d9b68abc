"""Generated data sets: table, file and corpus agree, and the dependencies that were built in are found."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

import honem
from honem import extract_rules, read_paths
from honem.datasets import (
    Visits,
    load_city,
    load_clicks,
    load_coastlines,
    load_flights,
    load_orders,
    load_port_calls,
    load_rides,
    load_sessions,
)
from honem.errors import ParameterError
from honem.io.paths.frames import from_events_with_report

LOADERS: tuple[Callable[..., Visits], ...] = (
    load_city,
    load_clicks,
    load_flights,
    load_orders,
    load_port_calls,
    load_rides,
    load_sessions,
)


@pytest.mark.parametrize("load", LOADERS)
def test_the_file_holds_the_sequences_of_the_corpus(load: Callable[..., Visits], tmp_path: Path) -> None:
    visits = load(50)
    visits.to_csv(tmp_path / "visits.csv")
    read = read_paths(tmp_path / "visits.csv", **visits.options)
    assert list(read.sequences()) == list(visits.corpus.sequences())
    assert visits.corpus.n_sequences == 50


@pytest.mark.parametrize("load", LOADERS)
def test_the_seed_decides(load: Callable[..., Visits]) -> None:
    assert load(50).table.equals(load(50).table)
    assert not load(50).table.equals(load(50, seed=1).table)


@pytest.mark.parametrize("load", LOADERS)
def test_labels_and_coordinates_are_of_nodes(load: Callable[..., Visits]) -> None:
    visits = load(200)
    nodes = set(visits.corpus.vocabulary)
    assert set(visits.labels) <= nodes
    if visits.coordinates:
        assert nodes <= set(visits.coordinates)


@pytest.mark.parametrize(
    ("load", "context", "next_node"),
    [
        (load_city, ("hotel", "station"), "castle"),
        (load_orders, ("phone order", "check stock"), "approve"),
        (load_orders, ("approve", "pack", "ship", "invoice", "remind", "invoice"), "close"),
        (load_sessions, ("boots", "sale"), "tent"),
        (load_clicks, ("Science", "Volcano"), "Science"),
        (load_flights, ("BOS", "DFW", "SFO", "DFW"), "BOS"),
        (load_port_calls, ("Kaohsiung", "Singapore", "Port Said"), "Piraeus"),
        (load_rides, ("2_5", "2_6", "3_6", "4_6", "5_6"), "5_5"),
    ],
)
def test_what_was_built_in_is_found(load: Callable[..., Visits], context: tuple[str, ...], next_node: str) -> None:
    (rule,) = (rule for rule in extract_rules(load().corpus) if rule.context == context)
    assert rule.accepted
    assert next_node in [successor.node for successor in rule.successors]


@pytest.mark.parametrize("load", LOADERS)
def test_a_number_of_sequences_that_makes_no_sense(load: Callable[..., Visits]) -> None:
    with pytest.raises(ParameterError, match=r"n_.* must be"):
        load(0)


def test_coordinates_of_cells_are_those_that_reading_reports() -> None:
    rides = load_rides(200)
    corpus, report = from_events_with_report(rides.table, **rides.options)
    assert report.coordinates is not None
    expected = [rides.coordinates[cell] for cell in corpus.vocabulary]
    np.testing.assert_allclose(report.coordinates, expected, atol=1e-9)


def test_ships_are_rerouted_from_april_on() -> None:
    usual, rerouted = load_port_calls(100), load_port_calls(100, rerouted=True)
    april = datetime(2024, 4, 1)
    rows = zip(*(table.to_pylist() for table in (usual.table, rerouted.table)), strict=True)
    changed = [(old["time"], old["port"], new["port"]) for old, new in rows if old != new]
    assert changed
    assert {change[1:] for change in changed} == {("Port Said", "Cape Town")}
    assert min(time for time, _, _ in changed) >= april
    with pytest.raises(ParameterError, match="rerouted must be"):
        load_port_calls(rerouted="April")  # type: ignore[arg-type]


def test_coastlines_are_places_on_the_earth() -> None:
    outlines = load_coastlines()
    assert len(outlines) > 100
    points = np.concatenate(outlines)
    assert np.abs(points[:, 1]).max() <= 90
    assert np.ptp(points[:, 0]) > 350
    assert [line[0, 1] for line in outlines if not np.array_equal(line[0], line[-1])] == [-84.72]  # Antarctica


def test_the_module_is_there_without_an_import_of_its_own() -> None:
    assert honem.datasets.load_city is load_city
