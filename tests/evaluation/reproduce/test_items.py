"""Every item of `honem reproduce`, its pictures and figures; what was computed once is not computed again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from honem.cli import main
from honem.evaluation import Cell, Classification, Visualization
from honem.evaluation.datasets import city_trips
from honem.evaluation.methods import method_names
from honem.evaluation.node_features import NodeFeatures
from honem.evaluation.reproduce.context import say_problems
from honem.evaluation.reproduce.figures import COLORS, MARKERS, line_styles
from honem.evaluation.reproduce.forms import Problem
from honem.evaluation.reproduce.items import ITEMS
from honem.evaluation.reproduce.pictures import Pictures
from honem.evaluation.reproduce.report import Report
from honem.evaluation.reproduce.runs import Run
from tests.evaluation.plugging import plugged_in
from tests.evaluation.reproduce.counting import Counting

TRIPS = city_trips(500)


def test_a_kept_picture_is_the_one_that_was_judged(tmp_path: Path) -> None:
    method, task = Counting(), Visualization(TRIPS.corpus, TRIPS.groups, dataset="city", k=3, tsne="sklearn")
    cell = Cell(task, method, 4, 0)
    finished = Run(tmp_path).compute([cell], judge=Pictures(tmp_path, task).judge)[0]
    pictures = Pictures(tmp_path, task)
    picture = pictures.draw(cell)
    assert method.fits == 1
    assert {record.metric: record.value for record in finished.records} == {
        measure.metric: measure.value for measure in task.measures(picture)
    }
    assert picture.nodes == task.picture(method.fit(TRIPS.corpus, 4, 0), 0).nodes
    pictures.file(cell).unlink()
    np.testing.assert_array_equal(pictures.draw(cell).points, picture.points)


def test_problems_that_are_alike_are_told_once() -> None:
    report = Report("")
    many = [Problem("city", f"walk:p={p}", 8, "too small") for p in range(9)]
    say_problems(
        report, [*many, Problem("city", "grarep", 4, "in 5 parts"), Problem("city", "grarep", 2, "in 5 parts")]
    )
    assert report.parts == [
        "Not computed on city: 9 methods and forms, 8 dimensions. Too small.",
        "Not computed on city: grarep, 2, 4 dimensions. In 5 parts.",
    ]


def test_methods_have_the_same_style_in_every_figure_and_no_two_share_one() -> None:
    known = method_names()
    assert len(known) <= len(COLORS) == len(set(COLORS)) == len(MARKERS) == len(set(MARKERS))
    pairs = [f"node2vec:p={p},q={q}" for p in (0.5, 1, 2) for q in (0.5, 1, 2)]
    names = ["honem:max_order=2", *known, *pairs, "honem:max_order=3", "vectors.csv"]
    styles = line_styles(names)
    looks = {(style["color"], style["marker"], style["linestyle"]) for style in styles.values()}
    assert len(looks) == len(names)
    assert line_styles(["grarep"])["grarep"] == styles["grarep"]
    assert styles["honem"]["linestyle"] == "-"
    assert styles["honem"]["color"] == styles["honem:max_order=2"]["color"] == "#000000"


WORDS = ["--methods", "honem,honem:max_order=2,first-order,popularity", "--dims", "2,4", "--seeds", "2"]
HEADINGS = {
    "table1": "## Data",
    "table2": "MAP over all nodes",
    "reconstruction": "Precision@1000",
    "link-prediction": "MAP over nodes with a held-out edge: HONEM is best",
    "visualization": "city: group",
    "running-time": "Times the time of honem by dimension",
    "max-order": "MAP of link prediction by max order",
}


def test_reproduce_runs_on_generated_data_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HONEM_DATA", raising=False)
    folder = tmp_path / "report"
    for item, heading in HEADINGS.items():
        assert main(["reproduce", item, *WORDS, "-o", str(folder)]) == 0
        report = (folder / "report.md").read_text()
        assert heading in report
        assert "generated data, as HONEM_DATA names no folder (city, planted)" in report
        assert (folder / "report.html").stat().st_size > 1000
        compared = item in ("reconstruction", "link-prediction", "visualization")
        assert ("## The paper's claims, one by one" in report) == compared
        assert not compared or "`honem:max_order=2` won" in report
    assert "generated data" in capsys.readouterr().err
    before = (folder / "cells.jsonl").read_bytes()
    for item in ("visualization", "running-time", "max-order"):
        assert main(["reproduce", item, *WORDS, "-o", str(folder)]) == 0
    assert (folder / "cells.jsonl").read_bytes() == before


def test_classification_shows_vectors_profile_and_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HONEM_DATA", raising=False)

    def area_by_columns(task: Classification, features: NodeFeatures, classifier: str, seed: int) -> np.ndarray:
        return np.array([0.5 + 0.1 * bool(features.vectors.size) + 0.2 * bool(features.profile.size)])

    monkeypatch.setattr(Classification, "areas", area_by_columns)
    assert main(["reproduce", "classification", *WORDS, "-o", str(tmp_path / "report")]) == 0
    report = (tmp_path / "report" / "report.md").read_text().replace("**", "").replace(" ± 0.000", "")
    _, alone, together, *_ = report.split("AUROC, mean of the four classifiers, vectors")
    assert "| honem:max_order=2 | 0.600 |" in alone
    assert "| profile, without vectors | 0.700 |" in alone
    assert "| honem:max_order=2 | 0.800 |" in together
    assert "profile, without vectors" not in together.partition("AUROC, logistic")[0]
    assert "These labels are counts of the same paths, which a profile holds: planted: traffic." in report


def test_a_method_that_was_too_slow_is_left_out_of_what_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HONEM_DATA", raising=False)
    monkeypatch.setattr("honem.evaluation.reproduce.items.running_time.TOO_SLOW", 0.0)
    assert main(["reproduce", "running-time", *WORDS, "-o", str(tmp_path / "report")]) == 0
    report = (tmp_path / "report" / "report.md").read_text()
    assert "Not computed on city: first-order, honem:max_order=2, 4 dimensions. Left out" in report
    assert "Not computed on planted: first-order, honem:max_order=2, 4 dimensions. Left out" in report
    assert "| honem | 1.000 | 1.000 |" in report.replace("**", "")


def test_every_item_but_the_one_that_needs_more_labels_is_run_here() -> None:
    assert set(ITEMS) == {*HEADINGS, "classification"}


def test_a_new_item_is_one_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HONEM_DATA", raising=False)
    words = ["reproduce", "toy-item", *WORDS, "-o", str(tmp_path / "report")]
    with plugged_in("item", ITEMS):
        assert list(ITEMS)[-1] == "toy-item"
        assert main(words) == 0
        assert "A table of toys, 2 data sets" in (tmp_path / "report" / "report.md").read_text()
        with pytest.raises(SystemExit):
            main(["reproduce", "--help"])
        assert "toy-item" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(words)
    assert "invalid choice: 'toy-item'" in capsys.readouterr().err
