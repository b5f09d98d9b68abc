"""`honem evaluate`: tables, plots, vectors from elsewhere, and bad options."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from honem import Embedding, write_vectors
from honem.cli import main
from honem.evaluation.datasets import city_trips

CITY = city_trips(2000).corpus


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "trips.csv"
    file.write_text("".join(",".join(map(str, trip)) + "\n" for trip in CITY.sequences()))
    return file


def test_evaluate_writes_tables_plots_and_a_manifest(
    paths: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "evaluate",
        str(paths),
        "--delimiter",
        ",",
        "--methods",
        "honem,popularity",
        "--dims",
        "2,4",
        "--seeds",
        "2",
    ]
    assert main([*words, "-o", "out"]) == 0
    assert "map" in capsys.readouterr().out
    out = tmp_path / "out"
    rows = list(csv.DictReader((out / "results.csv").open()))
    assert {row["method"] for row in rows} == {"honem", "popularity"}
    assert {row["dimension"] for row in rows} == {"2", "4"}
    for name in ("summary.csv", "precision-at-k.png", "map-by-dimension.svg"):
        assert (out / name).stat().st_size > 0
    assert json.loads((out / "manifest.json").read_text())["task"] == "link_prediction"
    before = (out / "cells.jsonl").read_bytes()
    assert main([*words, "-o", "out"]) == 0
    assert (out / "cells.jsonl").read_bytes() == before


def test_evaluate_judges_vectors_from_elsewhere(
    paths: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Embedding(CITY.vocabulary, np.random.default_rng(0).normal(size=(CITY.n_nodes, 3)))
    write_vectors(model, tmp_path / "mine.csv")
    shared = ["evaluate", str(paths), "--delimiter", ",", "--seeds", "1", "--dims", "3"]
    assert main([*shared, "--vectors", "mine.csv", "-o", "a"]) == 0
    assert "mine.csv" in capsys.readouterr().out
    assert main([*shared, "--task", "classification", "-o", "c"]) == 2
    assert "--labels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--methods", "magic"], "magic"),
        (["--dims", "0"], "--dims"),
        (["--dims", "x"], "--dims"),
        (["--methods", ","], "--methods"),
        (["--task", "classification", "--labels", "nothing.csv"], "nothing.csv"),
        (["--vectors", "nothing.csv"], "nothing.csv"),
    ],
)
def test_bad_options_of_evaluate(paths: Path, capsys: pytest.CaptureFixture[str], more: list[str], words: str) -> None:
    assert main(["evaluate", str(paths), "--delimiter", ",", "-o", "out", *more]) == 2
    assert words in capsys.readouterr().err


def test_a_folder_with_other_things_is_left_alone(paths: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", str(paths), "--delimiter", ",", "-o", "."]) == 2
    assert "holds other things" in capsys.readouterr().err
