"""Runs that can be taken up again, tables, reports and the two commands."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

import honem
from honem import Corpus, Embedding, InputError, ParameterError, write_vectors
from honem.cli import main
from honem.evaluation import Cell, Classification, LinkPrediction, Reconstruction, Record, Visualization, cells
from honem.evaluation.datasets import city_trips
from honem.evaluation.methods import Task
from honem.evaluation.reproduce.methods import METHOD_NAMES, parse_method, popularity
from honem.evaluation.reproduce.report import Figure, Report
from honem.evaluation.reproduce.runs import Run, corpus_fingerprint, task_settings
from honem.evaluation.reproduce.tables import Table
from tests.evaluation.reproduce.counting import Counting

CITY = city_trips(2000).corpus


def test_a_finished_cell_is_not_computed_again(tmp_path: Path) -> None:
    method, task = Counting(), LinkPrediction(CITY)
    first = Run(tmp_path).compute(cells(task, [method], [2, 3], [0, 1]))
    assert method.fits == 4
    again = Run(tmp_path).compute(cells(task, [method], [2, 3], [0, 1]))
    assert method.fits == 4
    assert again == first
    Run(tmp_path).compute(cells(task, [method], [2, 3], [0, 1, 2]))
    assert method.fits == 6


def test_other_data_under_the_same_name_is_computed(tmp_path: Path) -> None:
    method = Counting()
    for corpus in (CITY, city_trips(2000, seed=1).corpus):
        Run(tmp_path).compute(cells(LinkPrediction(corpus), [method], [2], [0]))
    assert method.fits == 2


LABELS = {node: "left" if number % 2 else "right" for number, node in enumerate(CITY.vocabulary)}


def test_cells_at_the_defaults_of_their_task_keep_the_key_they_were_first_kept_by(tmp_path: Path) -> None:
    for task in (LinkPrediction(CITY, "city"), Reconstruction(CITY, "city")):
        data = corpus_fingerprint(task.training_corpus(3))
        key = Run(tmp_path).key(Cell(task, Counting(), 8, 3))
        assert json.loads(key) == ["city", task.name, "counting", 8, 3, data, "", honem.__version__]


def test_what_changes_the_numbers_of_a_task_changes_the_key() -> None:
    tasks: list[Task] = [
        LinkPrediction(CITY),
        LinkPrediction(CITY, share=0.3),
        LinkPrediction(CITY, ks=[1, 10]),
        Classification(CITY, "side", LABELS),
        Classification(CITY, "side", LABELS, repeats=2),
        Classification(CITY, "side", LABELS, vectors=("source", "target")),
        Classification(CITY, "side", {**LABELS, CITY.vocabulary[0]: "left"}),
        Visualization(CITY, LABELS, k=5),
    ]
    assert len({task_settings(task) for task in tasks}) == len(tasks)
    assert task_settings(Classification(CITY, "side", LABELS, repeats=2)).endswith(", repeats=2")


def test_what_does_not_change_the_numbers_leaves_the_key() -> None:
    backwards = dict(reversed(LABELS.items()))
    task = Classification(CITY, "side", LABELS)
    for other in (
        Classification(CITY, "side", backwards),
        Classification(CITY, "side", LABELS, n_jobs=2),
        Classification(CITY, "side", LABELS, vectors=["source"]),
    ):
        assert task_settings(other) == task_settings(task)


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_run_that_was_killed_while_writing_goes_on(tmp_path: Path, cut: int) -> None:
    method, task = Counting(), LinkPrediction(CITY)
    Run(tmp_path).compute(cells(task, [method], [2], [0, 1]))
    file = tmp_path / "cells.jsonl"
    file.write_bytes(file.read_bytes()[:-cut])
    results = Run(tmp_path).compute(cells(task, [method], [2], [0, 1]))
    assert method.fits == 3
    assert len(results) == len(file.read_text().splitlines()) == 2


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "cells.jsonl").write_text('{"key": "x"}\n')
    with pytest.raises(InputError, match="line 1 is damaged"):
        Run(tmp_path)


def test_a_method_that_cannot_is_a_problem_and_no_end(tmp_path: Path) -> None:
    results = Run(tmp_path).compute(cells(LinkPrediction(CITY), [parse_method("grarep")], [2], [0]))
    assert results[0].records == ()
    assert "steps" in results[0].problem


def test_work_is_done_once_with_what_of_it_failed(tmp_path: Path) -> None:
    turns = []

    def work() -> tuple[list[Record], str]:
        turns.append(1)
        return [], "one method was too slow"

    for _ in range(2):
        assert Run(tmp_path).once("a round", work).problem == "one method was too slow"
    assert len(turns) == 1


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_every_method_is_known_by_name(name: str) -> None:
    assert parse_method(name).name == name


@pytest.mark.parametrize(
    ("text", "words"),
    [("magic", "honem"), ("deepwalk:p", "name=value"), ("deepwalk:wings=2", "wings"), ("honem:wings=2", "wings")],
)
def test_what_is_no_method_is_refused_at_once(text: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        parse_method(text)


def test_popularity_ranks_by_visits() -> None:
    corpus = Corpus.from_sequences([["a", "b"], ["c", "b"], ["c", "a"]], weights=[1, 5, 2])
    scores = popularity(corpus, 3).scores([("a", "b"), ("a", "c"), ("b", "a")])
    assert scores.tolist() == [6, 7, 3]


def test_a_report_is_the_same_in_both_forms_and_needs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "f.png").write_bytes(b"picture")
    report = Report("Title <script>")
    report.say("## Heading")
    report.say("Words with `code`, **bold** and <script>alert(1)</script>.")
    report.show(Table("T", ("a", "b|c"), (("1", "<b>"),)))
    report.show(Figure(tmp_path / "f.png", "A figure"))
    report.write(tmp_path)
    page, text = (tmp_path / "report.html").read_text(), (tmp_path / "report.md").read_text()
    assert "<script>" not in page
    assert "http" not in re.sub("http-equiv", "", page)
    assert "<h2>Heading</h2>" in page
    assert "<code>code</code>" in page
    assert "data:image/png;base64,cGljdHVyZQ==" in page
    assert "| a | b\\|c |" in text
    assert "![A figure](f.png)" in text


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
