"""`honem evaluate`: tables, plots, vectors from elsewhere, and bad options."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from honem import Embedding, write_vectors
from honem.cli import main
from honem.evaluation import Classification
from honem.evaluation.datasets import city_trips, planted_paths

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


def test_evaluate_judges_vectors_and_profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Classification, "areas", lambda *_: np.ones(1))  # training is tested elsewhere
    corpus = planted_paths(n_nodes=40, n_steps=2000, orders=(2,), contexts_per_order=5).corpus
    (tmp_path / "paths.txt").write_text("".join(" ".join(map(str, path)) + "\n" for path in corpus.sequences()))
    rows = [f"{node},{'ab'[number % 2]}\n" for number, node in enumerate(corpus.vocabulary)]
    (tmp_path / "labels.csv").write_text("".join(["node,side\n", *rows]))
    words = "evaluate paths.txt --task classification --labels labels.csv --dims 4 --seeds 1 --methods honem -o out"
    assert main([*words.split(), "--features", "vectors,both"]) == 0
    with (tmp_path / "out" / "summary.csv").open() as file:
        assert {row["score"] for row in csv.DictReader(file)} == {"source", "source+profile"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--methods", "magic"], "magic"),
        (["--dims", "0"], "--dims"),
        (["--dims", "x"], "--dims"),
        (["--methods", ","], "--methods"),
        (["--task", "classification", "--labels", "nothing.csv"], "nothing.csv"),
        (["--vectors", "nothing.csv"], "nothing.csv"),
        (["--features", "both"], "--features does not apply to --task link-prediction"),
        (["--holdout", "time"], "--task link-prediction holds out no sequences; leave out --holdout"),
        (["--task", "next-step", "--holdout", "time"], "--holdout time needs an event table, and --time COLUMN"),
        (["--task", "next-step", "--holdout", "time", "--distinct"], "--distinct does not apply to --holdout time"),
        (["--task", "classification", "--labels", "x.csv", "--features", "all"], "--features must be one of 'vectors'"),
    ],
)
def test_bad_options_of_evaluate(paths: Path, capsys: pytest.CaptureFixture[str], more: list[str], words: str) -> None:
    assert main(["evaluate", str(paths), "--delimiter", ",", "-o", "out", *more]) == 2
    assert words in capsys.readouterr().err


def test_evaluate_holds_out_by_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Until day 8 trips go from a to b, later from a to c: what was learned no longer holds.
    visits = [
        f"{day}-{trip},{day}.{place},{'abc'[place if day < 8 or not place else 2]}"
        for day in range(10)
        for trip in range(20)
        for place in (0, 1)
    ]
    Path("trips.csv").write_text("\n".join(["who,when,where", *visits]) + "\n")
    words = ["--entity", "who", "--time", "when", "--node", "where", "--task", "next-step", "--methods", "first-order"]
    bits = {}
    for holdout in ("random", "time"):
        assert main(["evaluate", "trips.csv", *words, "--seeds", "1", "--holdout", holdout, "-o", holdout]) == 0
        with Path(holdout, "results.csv").open() as file:
            bits[holdout] = next(float(row["value"]) for row in csv.DictReader(file) if row["metric"] == "log_loss")
    assert bits["random"] < 1.0
    assert bits["time"] > 4.0


def test_a_folder_with_other_things_is_left_alone(paths: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", str(paths), "--delimiter", ",", "-o", "."]) == 2
    assert "holds other things" in capsys.readouterr().err
