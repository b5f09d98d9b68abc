"""The data sets are what their description says."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest

from honem import Corpus, InputError, ParameterError, first_order_network
from honem.evaluation import NextStepPrediction
from honem.evaluation.datasets import real, snap
from honem.evaluation.tasks.next_step import distinct_sequences

SIZES = {
    "wikispeedia": (63_053, 4_177, 55_354),
    "lloyds": (4_298, 910, 8_753),
    "shenzhen": (58_246, 1_267, 6_691),
    "us_flights": (286_810, 175, 1_598),
    "porto_poi": (4_352, 2_165, 10_447),
    "grateful_dead_setlists": (4_049, 430, 7_665),
    "db_longdistance2019": (20_231, 634, 1_858),
    "bay_area_bikes2014": (127_550, 70, 1_705),
    "lausanne_roads": (229, 4_449, 5_832),
}
LABELS = {
    "wikispeedia": {"few_clicks": 2, "category": 15},
    "lloyds": {"traffic": 2, "continent": 7},
    "shenzhen": {"pickups": 2},
    "us_flights": {"region": 4},
    "porto_poi": {"amenity": 5},
    "grateful_dead_setlists": {"era": 4, "segue_class": 3},
    "db_longdistance2019": {"country": 16, "main_train_type": 12},
    "bay_area_bikes2014": {"city": 5},
    "lausanne_roads": {},
}
WITHOUT_COORDINATES = {"wikispeedia", "grateful_dead_setlists"}


@pytest.mark.parametrize("name", real.REAL_DATA)
def test_real_data_is_as_described(real_data: Path, name: str) -> None:
    data = real.load_real(name, real_data)
    corpus = data.corpus
    assert (corpus.n_sequences, corpus.n_nodes, first_order_network(corpus).n_edges) == SIZES[name]
    assert {label: len(set(theirs.values())) for label, theirs in data.labels.items()} == LABELS[name]
    assert data.counted <= data.labels.keys()
    if name in WITHOUT_COORDINATES:
        assert not data.coordinates
    else:
        assert len(data.coordinates) > 0.95 * corpus.n_nodes
    tables: list[Mapping[Hashable, object]] = [*data.labels.values(), *data.amounts.values(), data.coordinates]
    for known in tables:
        assert all(node in corpus.vocabulary for node in known)
        assert not any(value == "" for value in known.values())


def test_labels_that_are_counts_of_the_paths_are_marked(real_data: Path) -> None:
    marked = {name: set(real.load_real(name, real_data).counted) for name in ("lloyds", "shenzhen", "us_flights")}
    assert marked == {"lloyds": {"traffic"}, "shenzhen": {"pickups"}, "us_flights": set()}


def test_trains_repeat_few_distinct_runs(real_data: Path) -> None:
    data = real.load_real("db_longdistance2019", real_data)
    assert data.hold_out_distinct
    assert distinct_sequences(data.corpus).max() + 1 == 1_306
    split = NextStepPrediction(data.corpus, distinct=True).split(0)
    assert not set(split.held_out.sequences()) & set(split.training.sequences())


def test_only_data_sets_in_the_folder_are_available(tmp_path: Path) -> None:
    assert real.available(tmp_path) == ()
    (tmp_path / "lloyds").mkdir()
    (tmp_path / "lloyds" / "paths.txt.gz").touch()
    assert real.available(tmp_path) == ("lloyds",)


def test_traffic_is_split_at_the_median(real_data: Path) -> None:
    data = real.load_real("lloyds", real_data)
    sizes = Counter(data.labels["traffic"].values())
    assert abs(sizes["low"] - sizes["high"]) < 0.02 * data.corpus.n_nodes
    median = np.median(list(data.amounts["traffic"].values()))
    assert all(
        (data.amounts["traffic"][port] > median) == (side == "high") for port, side in data.labels["traffic"].items()
    )


def test_cells_without_a_pickup_are_low(real_data: Path) -> None:
    data = real.load_real("shenzhen", real_data)
    assert {data.labels["pickups"][cell] for cell, amount in data.amounts["pickups"].items() if not amount} == {"low"}


def test_airports_are_in_their_region(real_data: Path) -> None:
    regions = real.load_real("us_flights", real_data).labels["region"]
    assert (regions["JFK"], regions["ORD"], regions["DFW"], regions["SFO"]) == ("Northeast", "Midwest", "South", "West")
    assert "SJU" not in regions


def test_every_state_has_one_region() -> None:
    states = [state for states in real.CENSUS_REGIONS.values() for state in states.split(", ")]
    assert len(states) == len(set(states)) == 51


def test_the_folder_is_the_one_that_the_variable_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HONEM_DATA", raising=False)
    with pytest.raises(InputError, match="HONEM_DATA is not set; point HONEM_DATA to a folder"):
        real.load_real("lloyds")
    monkeypatch.setenv("HONEM_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="nowhere' is not there"):
        real.load_real("lloyds")
    monkeypatch.setenv("HONEM_DATA", str(tmp_path))
    with pytest.raises(InputError, match=r"paths\.txt\.gz is not there"):
        real.load_real("lloyds")
    with pytest.raises(ParameterError, match="name must be one of 'wikispeedia', 'lloyds'"):
        real.load_real("rome")


def test_reachable_shares_are_those_of_a_search_from_every_node() -> None:
    random = np.random.default_rng(0)
    links = [(str(a), str(b)) for a, b in random.integers(0, 40, size=(90, 2))]
    following: dict[str, set[str]] = {name: set() for link in links for name in link}
    for source, target in links:
        following[source].add(target)
    for most in range(5):
        reached_from = dict.fromkeys(following, 0)
        for start in following:
            seen = front = {start}
            for _ in range(most):
                front = {after for node in front for after in following[node]} - seen
                seen = seen | front
            for node in seen - {start}:
                reached_from[node] += 1
        expected = {node: n / (len(following) - 1) for node, n in reached_from.items()}
        assert real.reachable_shares(links, most) == pytest.approx(expected)


def archive_of(tables: Mapping[str, Iterable[str]]) -> bytes:
    """An archive as SNAP has it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, lines in tables.items():
            data = b"# about this file\n\n" + "".join(f"{line}\n" for line in lines).encode()
            info = tarfile.TarInfo(f"wikispeedia_paths-and-graph/{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


SMALL = {
    "articles.tsv": ["A", "B", "C", "D"],
    "categories.tsv": ["A\tsubject.Art", "B\tsubject.Music.Songs", "B\tsubject.Art", "C\tsubject.Art"],
    "links.tsv": ["A\tB", "B\tC", "C\tD", "D\tA"],
    "paths_finished.tsv": ["x\t1\t9\tA;B;<;B;C\tNULL", "x\t1\t9\tA;B\t3"],
    "paths_unfinished.tsv": ["x\t1\t9\tA;B;C;<;<\tD\ttimeout", "x\t1\t9\tA;B;C;D\tA\trestart"],
}


def test_a_download_is_checked_laid_out_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = archive_of(SMALL)
    file = tmp_path / "archive.tar.gz"
    file.write_bytes(archive)
    with pytest.raises(InputError, match="is not what it was"):
        snap.download_wikispeedia(tmp_path / "cache", file.as_uri())
    assert not (tmp_path / "cache").exists()
    monkeypatch.setattr(snap, "SNAP_SHA256", hashlib.sha256(archive).hexdigest())
    folder = snap.download_wikispeedia(tmp_path / "cache", file.as_uri())
    file.unlink()
    assert snap.download_wikispeedia(tmp_path / "cache", file.as_uri()) == folder
    data = real.load_real("wikispeedia", folder)
    assert list(data.corpus.sequences()) == [("A", "B", "C"), ("A", "B"), ("A", "B", "C", "D")]
    assert data.labels["category"] == {"A": "Art", "B": "Music", "C": "Art"}
    assert set(data.labels["few_clicks"].values()) == {"yes"}
    with pytest.raises(InputError, match="cannot be reached"):
        snap.download_wikispeedia(tmp_path / "elsewhere", file.as_uri())


def test_the_cache_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert snap.cache_folder() == tmp_path / "honem"


def test_laying_out_the_games_gives_the_folder_we_have(real_data: Path, tmp_path: Path) -> None:
    ours = real_data / "wikispeedia"

    def lines(name: str) -> list[str]:
        path = ours / name
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return data.decode().splitlines()

    rows = [line.split("\t") for line in lines("labels.tsv")[1:]]
    archive = archive_of(
        {
            "articles.tsv": [row[0] for row in rows],
            "categories.tsv": [f"{row[0]}\t{category}" for row in rows for category in row[2].split("|") if category],
            "links.tsv": [line for line in lines("links.tsv.gz") if line and line[0] != "#"],
            "paths_finished.tsv": [
                f"x\t1\t9\t{line.replace(' ', ';')}\tNULL" for line in lines("finished_with_backclicks.txt.gz")
            ],
            "paths_unfinished.tsv": [
                f"x\t1\t9\t{line.replace(' ', ';')}\tD\ttimeout" for line in lines("unfinished_with_backclicks.txt.gz")
            ],
        }
    )
    snap.lay_out_wikispeedia(archive, tmp_path / "wikispeedia")
    laid_out = real.load_real("wikispeedia", tmp_path)
    expected = real.load_real("wikispeedia", real_data)
    np.testing.assert_array_equal(laid_out.corpus.tokens, expected.corpus.tokens)
    np.testing.assert_array_equal(laid_out.corpus.offsets, expected.corpus.offsets)
    assert laid_out.corpus.vocabulary.labels == expected.corpus.vocabulary.labels
    assert laid_out.labels == expected.labels


def test_visits_count_weights() -> None:
    corpus = Corpus.from_sequences([["a", "b", "a"], [], ["b"]], weights=[2, 9, 5])
    assert real.visits(corpus) == {"a": 4, "b": 7}
