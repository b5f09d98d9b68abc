"""Generated data sets: table, file and corpus agree, and the dependencies that were built in are found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import honem
from honem import extract_rules, read_paths
from honem.datasets import Visits, load_city, load_orders, load_sessions
from honem.errors import ParameterError

LOADERS: tuple[Callable[..., Visits], ...] = (load_city, load_orders, load_sessions)


@pytest.mark.parametrize("load", LOADERS)
def test_the_file_holds_the_sequences_of_the_corpus(load: Callable[..., Visits], tmp_path: Path) -> None:
    visits = load(50)
    visits.to_csv(tmp_path / "visits.csv")
    read = read_paths(tmp_path / "visits.csv", entity=visits.entity, time=visits.time, node=visits.node)
    assert list(read.sequences()) == list(visits.corpus.sequences())
    assert visits.corpus.n_sequences == 50


@pytest.mark.parametrize("load", LOADERS)
def test_the_seed_decides(load: Callable[..., Visits]) -> None:
    assert load(50).table.equals(load(50).table)
    assert not load(50).table.equals(load(50, seed=1).table)


@pytest.mark.parametrize("load", LOADERS)
def test_labels_are_of_nodes(load: Callable[..., Visits]) -> None:
    visits = load()
    assert set(visits.labels) <= set(visits.corpus.vocabulary)


@pytest.mark.parametrize(
    ("load", "context", "next_node"),
    [
        (load_city, ("hotel", "station"), "castle"),
        (load_orders, ("phone order", "check stock"), "approve"),
        (load_orders, ("approve", "pack", "ship", "invoice", "remind", "invoice"), "close"),
        (load_sessions, ("boots", "sale"), "tent"),
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


def test_the_module_is_there_without_an_import_of_its_own() -> None:
    assert honem.datasets.load_city is load_city
