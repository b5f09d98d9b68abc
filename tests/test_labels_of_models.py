"""Names, categories and coordinates of nodes: given to a model, stored with it, kept by updates, used by commands."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from honem import HONEM, Corpus, InputError, ParameterError, UnknownNodeError, from_events, load
from honem.cli import main
from honem.explore import Source, content_of
from honem.explore.content import Options
from honem.explore.packing import unpack
from honem.io.manifest import Manifest, StoredFile
from honem.io.node_labels import NodeLabels
from honem.io.store import save

TRIPS = [["1", "2", "3"]] * 20 + [["4", "2", "5"]] * 20
LABELS = {
    "name": {"1": "São Paulo", "2": "Rio", "3": "Santos", "4": "Oslo", "5": "Santos"},
    "kind": {"1": "home", "4": "home", "2": "station"},
    "lon": {"1": -46.6, "2": -43.2},
    "lat": {"1": -23.5, "2": -22.9},
}


@pytest.fixture(scope="module")
def model() -> HONEM:
    return HONEM(n_components=2, preset="evidence").fit(TRIPS, labels=LABELS)


@pytest.fixture(scope="module")
def folder(model: HONEM, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("named") / "model"
    model.save(place)
    return place


def test_labels_are_saved_and_loaded(model: HONEM, folder: Path) -> None:
    for found in (HONEM.load(folder).labels_, load(folder, with_rules=False, with_profile=False).labels):
        assert found is not None
        assert model.labels_ is not None
        assert found.columns == model.labels_.columns
        assert (found.name_column, found.vocabulary.labels) == ("name", model.embedding_.nodes)
        assert np.array_equal(np.asarray(found.coordinates), np.asarray(model.labels_.coordinates), equal_nan=True)


def test_a_model_without_labels_stores_none(tmp_path: Path) -> None:
    plain = HONEM(n_components=2, preset="evidence").fit(TRIPS)
    assert plain.labels_ is None
    plain.save(tmp_path / "plain")
    assert not list((tmp_path / "plain").glob("labels-*"))
    assert load(tmp_path / "plain").labels is None
    assert plain.set_labels(LABELS).set_labels(None).labels_ is None
    assert plain.named() is plain


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (pa.table({"name": pa.array(["a"] * 4)}), "not one text for each of 5 nodes"),
        (pa.table({"name": pa.array([1, 2, 3, 4, 5])}), "not one text for each"),
        (pa.table({"name": pa.array(["a"] * 4 + [None], pa.string())}), "not one text for each"),
        (pa.table([pa.array(["a"] * 5)] * 2, names=["x", "x"]), "twice"),
        (pa.table({"lon": ["1"] * 5, "lat": ["99"] * 5}), "are they swapped"),
        (pa.table({"x": ["1"] * 5}).replace_schema_metadata({"names": "y"}), "no column 'y'"),
    ],
)
def test_a_damaged_file_of_labels_is_refused(model: HONEM, tmp_path: Path, table: pa.Table, words: str) -> None:
    model.save(tmp_path / "model")
    (path,) = (tmp_path / "model").glob("labels-*")
    pq.write_table(table, path)
    manifest = Manifest.read(tmp_path / "model")
    files = manifest.files | {"labels": StoredFile.of(path)}
    entries = {part: file.to_json() for part, file in files.items()}
    Manifest({**manifest.values, "files": entries}).write(tmp_path / "model")
    with pytest.raises(InputError, match=words):
        load(tmp_path / "model")


def test_labels_of_other_nodes_are_not_saved(model: HONEM, tmp_path: Path) -> None:
    other = HONEM(n_components=2, preset="evidence").fit([["1", "2"]] * 9)
    with pytest.raises(ParameterError, match="labels are about 5 nodes"):
        save(tmp_path / "other", other.embedding_, labels=model.labels_)
    lone = NodeLabels(other.embedding_.vocabulary, {"name": ("\ud800", "")})
    with pytest.raises(ParameterError, match="not valid Unicode"):
        save(tmp_path / "other", other.embedding_, labels=lone)


def test_tables_of_all_kinds_give_the_same_labels(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1, 2, 3, 4, 5], "name": list("abcde"), "size": [1, 2, 3, 4, 5]})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    model = HONEM(n_components=2, preset="evidence").fit(TRIPS)
    found = [
        model.set_labels(table).labels_
        for table in (
            frame,
            frame.set_index("id"),
            pl.from_pandas(frame),
            pa.table(frame),
            dict(frame),
            tmp_path / "labels.csv",
            {name: dict(zip(frame["id"], frame[name], strict=True)) for name in ("name", "size")},
        )
    ]
    assert {str(labels and labels.columns) for labels in found} == {str(found[0] and found[0].columns)}
    assert found[0] is not None
    assert found[0].names == tuple("abcde")
    assert found[0].to_pandas()["size"].tolist() == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("labels", "names", "error", "words"),
    [
        (LABELS, "nmae", ParameterError, "no column 'nmae'"),
        ({"name": {"9": "x"}}, None, ParameterError, "describes none of the . nodes"),
        ({"lon": {"1": "east"}, "lat": {"1": "3"}}, None, InputError, "'east' in column 'lon' is not a number"),
        ({"lon": {"1": "1"}, "lat": {"1": "91"}}, None, ParameterError, "are they swapped"),
        (None, "name", ParameterError, "is a column of labels"),
        ("nowhere.csv", None, InputError, "nowhere.csv"),
    ],
)
def test_bad_labels_leave_the_model_as_it_was(
    labels: object, names: str | None, error: type[Exception], words: str
) -> None:
    model = HONEM(n_components=2, preset="evidence").fit(TRIPS)
    before = model.embedding_
    with pytest.raises(error, match=words):
        model.fit([*TRIPS, ["6", "1"]], labels=labels, names=names)
    with pytest.raises(error, match=words):
        model.set_labels(labels, names)
    assert model.embedding_ is before
    assert model.labels_ is None


def test_updates_keep_labels_and_add_the_centres_of_new_cells() -> None:
    visits = {"taxi": [1, 1, 2, 2], "x": [0.1, 1.1, 1.1, 0.1], "y": [0.1] * 4}
    options: Any = {"entity": "taxi", "lon": "x", "lat": "y", "grid": 1}
    model = HONEM(n_components=1, preset="evidence").fit(visits, **options)
    model.set_labels({"name": {"90_180": "here"}})
    model.update(from_events({"taxi": [3, 3], "x": [0.1, 5.1], "y": [0.1, 0.1]}, **options))
    assert model.labels_ is not None
    names = [model.labels_.names]
    assert model.labels_.coordinates is not None
    assert model.labels_.coordinates.tolist() == [[0.5, 0.5], [1.5, 0.5], [5.5, 0.5]]
    model.forget(["90_181"])
    names.append(model.labels_.names)
    assert names == [("here", "", ""), ("here", "")]
    assert model.labels_.vocabulary.labels == ("90_180", "90_185")


def test_a_named_model_is_the_same_model(model: HONEM) -> None:
    named = model.named()
    assert named.embedding_.nodes == ("São Paulo", "Rio", "Santos (3)", "Oslo", "Santos (5)")
    assert named.predict_next(["Oslo", "Rio"], 1).nodes[0].node == "Santos (5)"
    assert "after Oslo, then Rio: Santos (5) 100 %" in str(named.explain("Rio")).replace("\n    ", " ")
    assert named.embedding_.score("Oslo", "Rio") == model.embedding_.score("4", "2")
    assert named.profile().of_node("Rio") == model.profile().of_node("2")
    assert model.embedding_.nodes == ("1", "2", "3", "4", "5")
    assert model.find_node("sao_paulo") == "1"
    with pytest.raises(UnknownNodeError, match=r"could be 2 nodes: Santos \(3\), Santos \(5\)"):
        model.find_node("Santos")


def told(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Run a command and return what it prints."""
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_commands_take_and_show_names(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "neighbors", folder, "oslo", "-n", 1).split("\t")[1] in ("Rio\n", "Santos (5)\n")
    found = json.loads(told(capsys, "neighbors", folder, 4, "-n", 1, "--json"))
    assert (found["node"], found["name"]) == ("4", "Oslo")
    assert {"node", "name", "score"} == set(found["neighbors"][0])
    assert "Santos (5)" in told(capsys, "next", folder, "Oslo", "Rio", "-k", 1)
    assert json.loads(told(capsys, "next", folder, "Oslo", "Rio", "-k", 1, "--json"))["history_names"] == [
        "Oslo",
        "Rio",
    ]
    assert "after Oslo, then Rio" in told(capsys, "explain", folder, "RIO")
    assert (
        told(capsys, "sample", folder, "-n", 1, "--length", 3, "--start", "Sao Paulo") == "São Paulo\tRio\tSantos (3)\n"
    )
    assert "Rio" in told(capsys, "profile", folder, "-n", 1)
    plain = replace(load(folder), labels=None)
    save(tmp_path / "plain", plain.embedding)
    changes = json.loads(told(capsys, "compare", folder, tmp_path / "plain", "-k", 2, "--json"))["changes"]
    assert {change["node"]: change["name"] for change in changes}["5"] == "Santos"
    assert main(["neighbors", str(folder), "Olso"]) == 2
    assert capsys.readouterr().err == "honem: error: no node 'Olso' in this corpus of 5 nodes; did you mean Oslo?\n"


def test_rules_are_written_with_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "paths.txt").write_text("\n".join(" ".join(trip) for trip in TRIPS))
    (tmp_path / "labels.csv").write_text("id,town\n4,Oslo\n2,Rio\n")
    words = ("rules", tmp_path / "paths.txt", "--labels", tmp_path / "labels.csv", "--names", "town", "--top", 5)
    assert ["Oslo", "Rio"] in [json.loads(line)["context"] for line in told(capsys, *words).splitlines()]
    assert main([*map(str, words[:2]), "--names", "town"]) == 2


def test_the_page_shows_what_is_stored(model: HONEM, folder: Path) -> None:
    parts = content_of(Source.of_store(folder), Options(projection="pca"))
    values, arrays = unpack(parts["map"])
    assert values["names"] == ["São Paulo", "Rio", "Santos (3)", "Oslo", "Santos (5)"]
    assert arrays["placed"].tolist() == [1, 1, 0, 0, 0]
    assert "kind" in [column["name"] for column in values["columns"]]
    assert "basemap" in parts
    assert "basemap" not in content_of(Source.of_store(folder), Options(coordinates=False, projection="pca"))
    named = content_of(Source.of_store(folder), Options(names="kind", coordinates=False, projection="pca"))
    assert unpack(named["map"])[0]["names"][1] == "station"


def test_a_corpus_without_coordinates_has_none() -> None:
    corpus = Corpus.from_sequences([["a", "b"]])
    assert corpus.vocabulary.coordinates is None
    assert NodeLabels.of_coordinates(corpus.vocabulary) is None
