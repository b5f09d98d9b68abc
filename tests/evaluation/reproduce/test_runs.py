"""Runs that can be resumed, and reports."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from honem import Corpus, HonemWarning, InputError, ParameterError
from honem.evaluation import LinkPrediction, Record, cells, parse_method
from honem.evaluation.baselines.popularity import Popularity
from honem.evaluation.datasets import city_trips
from honem.evaluation.reproduce.report import Figure, Report
from honem.evaluation.reproduce.runs import Run
from honem.evaluation.reproduce.tables import ReportTable
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


def test_cells_of_the_first_version_are_computed_again_with_one_message(tmp_path: Path) -> None:
    key = json.dumps(["corpus", "link_prediction", "counting", 2, 0, "data", "", "0.1.0"])
    old = {"key": key, "records": [["corpus", "t", "counting", 2, 0, "s", "map", 0.5]], "seconds": 1.0, "problem": ""}
    (tmp_path / "cells.jsonl").write_text(2 * (json.dumps(old) + "\n"))
    with pytest.warns(HonemWarning, match=r"2 cells of honem 0\.1\.0 are not used") as told:
        run = Run(tmp_path)
    assert len(told) == 1
    method = Counting()
    assert len(run.compute(cells(LinkPrediction(CITY), [method], [2], [0]))) == method.fits == 1


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_run_that_was_killed_while_writing_goes_on(tmp_path: Path, cut: int) -> None:
    method, task = Counting(), LinkPrediction(CITY)
    Run(tmp_path).compute(cells(task, [method], [2], [0, 1]))
    file = tmp_path / "cells.jsonl"
    file.write_bytes(file.read_bytes()[:-cut])
    results = Run(tmp_path).compute(cells(task, [method], [2], [0, 1]))
    assert method.fits == 3
    assert len(results) == len(file.read_text().splitlines()) == 2


@pytest.mark.parametrize("line", [b'{"key": "x"}', b'{"key": "\xff"}', b"[" * 100_000, b"null", b"{"])
def test_a_damaged_line_is_named(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "cells.jsonl").write_bytes(line + b"\n")
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
        assert Run(tmp_path).once({"round": 1}, work).problem == "one method was too slow"
    assert len(turns) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [("magic", "honem"), ("deepwalk:p", "name=value"), ("deepwalk:wings=2", "wings"), ("honem:wings=2", "wings")],
)
def test_what_is_no_method_is_refused_at_once(text: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        parse_method(text)


def test_popularity_ranks_by_visits() -> None:
    corpus = Corpus.from_sequences([["a", "b"], ["c", "b"], ["c", "a"]], weights=[1, 5, 2])
    scores = Popularity(n_components=3).fit(corpus).scores([("a", "b"), ("a", "c"), ("b", "a")])
    assert scores.tolist() == [6, 7, 3]


def test_a_report_is_the_same_in_both_forms_and_needs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "f.png").write_bytes(b"picture")
    report = Report("Title <script>")
    report.say("## Heading")
    report.say("Words with `code`, **bold** and <script>alert(1)</script>.")
    report.show(ReportTable("T", ("a", "b|c"), (("1", "<b>"),)))
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
