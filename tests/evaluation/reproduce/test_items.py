"""Every item of `honem reproduce`, its pictures and figures; what was computed once is not computed again."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem.cli import main
from honem.embedding import Score
from honem.evaluation import Cell, Classification, LinkPrediction, Visualization, evaluate_cell, parse_method
from honem.evaluation.datasets import RealData, city_trips, planted_paths
from honem.evaluation.methods import method_names
from honem.evaluation.node_features import NodeFeatures
from honem.evaluation.records import Record
from honem.evaluation.reproduce.context import Context, say_problems
from honem.evaluation.reproduce.figures import (
    COLORS,
    MARKERS,
    OURS,
    MapPanel,
    Point,
    draw_lines,
    draw_maps,
    line_styles,
    spread_out,
)
from honem.evaluation.reproduce.forms import Contest, Form, Outcome, Problem
from honem.evaluation.reproduce.items import ITEMS
from honem.evaluation.reproduce.items.link_prediction import margins
from honem.evaluation.reproduce.node_precisions import NodePrecisions
from honem.evaluation.reproduce.pictures import Pictures
from honem.evaluation.reproduce.plan import Plan
from honem.evaluation.reproduce.report import Figure, Report
from honem.evaluation.reproduce.runs import Run
from honem.evaluation.reproduce.tables import ReportTable
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


def test_kept_precisions_are_those_of_the_ranking(tmp_path: Path) -> None:
    method, task = Counting(), LinkPrediction(TRIPS.corpus, "city")
    cell = Cell(task, method, 4, 1)
    kept = NodePrecisions(tmp_path, task)
    finished = Run(tmp_path).compute([cell], judge=kept.judge)[0]
    assert [record[-3:] for record in finished.records] == [record[-3:] for record in evaluate_cell(cell)]
    fits = method.fits
    found = kept.of(cell, "cosine")
    assert method.fits == fits
    by_score = {record.score: record.value for record in finished.records if record.metric == "map"}
    assert np.nanmean(found) == pytest.approx(by_score["cosine"])
    np.testing.assert_array_equal(
        found, task.rank(method.fit(task.training_corpus(1), 4, 1), 1, "cosine").average_precisions
    )
    kept.file(cell).unlink()
    np.testing.assert_array_equal(kept.of(cell, "cosine"), found)


def located_plan() -> Plan:
    """A plan of one data set whose nodes lie on a circle, one of them at an unknown place."""
    nodes = TRIPS.corpus.vocabulary
    angles = np.linspace(0, 6, len(nodes)).tolist()
    places = {node: (math.cos(angle), math.sin(angle)) for node, angle in zip(nodes, angles, strict=True)}
    del places[nodes[3]]
    methods = tuple(parse_method(name) for name in ("honem", "node2vec:walks_per_node=2", "popularity"))
    data = RealData("city", TRIPS.corpus, {}, {}, places)
    return Plan(methods, dimensions=(2, 4, 128), dimension=4, seeds=(0, 1), data=(data,))


def test_a_map_of_what_has_coordinates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Mapping[str, Sequence[MapPanel]]] = []

    def draw(rows: Mapping[str, Sequence[MapPanel]], *more: Any) -> Path:
        drawn.append(rows)
        return draw_maps(rows, *more)

    monkeypatch.setattr("honem.evaluation.reproduce.items.precision_map.draw_maps", draw)
    report = Report("")
    context = Context(located_plan(), Run(tmp_path), tmp_path)
    ITEMS["map"].run(context, report)
    (rows,) = drawn
    # Popularity is not on the map, and 128 dimensions are too many for it.
    assert {name: [panel.title for panel in panels] for name, panels in rows.items()} == {
        name: ["d = 2", "d = 4"] for name in ("honem", "node2vec")
    }
    found = context.compete([LinkPrediction(TRIPS.corpus, "city")], ("map",), methods=context.plan.paper_methods)
    winner = found.winners[Contest("city", "link_prediction", "honem")]
    task, precisions = LinkPrediction(TRIPS.corpus, "city"), []
    for seed in (0, 1):
        fitted = parse_method("honem").fit(task.training_corpus(seed), 4, seed)
        precisions.append(task.rank(fitted, seed, cast(Score, winner.score)).average_precisions)
    both = np.stack([ap for ap in precisions if ap is not None])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(rows["honem"][1].values, np.nanmean(both, axis=0))
    (figure,) = [part for part in report.parts if isinstance(part, Figure)]
    assert figure.path.stat().st_size > 10_000
    (table,) = [part for part in report.parts if isinstance(part, ReportTable)]
    assert [row[:2] for row in table.rows] == [("city", "HON+, as in the paper"), ("city", "trusted")]


def test_table_2_has_every_dimension_and_what_the_paper_prints(tmp_path: Path) -> None:
    corpus = planted_paths(n_nodes=60, n_steps=3000, contexts_per_order=5, orders=(2,)).corpus
    methods = tuple(parse_method(name) for name in ("honem", "popularity"))
    data = (RealData("planted", corpus, {}), RealData("too few pairs", TRIPS.corpus, {}))
    plan = Plan(methods, dimensions=(3, 8), dimension=8, seeds=(0,), data=data)
    report = Report("")
    ITEMS["table2"].run(Context(plan, Run(tmp_path), tmp_path), report)
    (table,) = [part for part in report.parts if isinstance(part, ReportTable)]
    assert table.columns == ("data", "method", "d = 3", "d = 8")
    task = LinkPrediction(corpus)
    fitted = parse_method("honem").fit(task.training_corpus(0), 8, 0)
    rankings = {measures[0].score: ranking for ranking, measures in task.judge_rankings(fitted, 0)}
    best = max(rankings, key=lambda score: rankings[score].precision_at(1024))
    assert [(*row[:2], row[3]) for row in table.rows] == [
        ("planted", f"honem\n({best})", f"**{rankings[best].precision_at(1024):.3f}**"),
        ("Rome (paper)", "honem", "0.364"),
        ("Rome (paper)", "node2vec", "0.152"),
    ]
    assert [row[2] for row in table.rows[1:]] == ["-", "-"]


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
    assert styles["honem"]["color"] == styles["honem:max_order=2"]["color"] == OURS


places = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(sorted)


@given(places)
def test_names_of_lines_are_apart_in_the_same_order_and_stay_where_there_is_space(heights: list[float]) -> None:
    gap = 0.05
    found = spread_out(heights, gap)
    assert len(found) == len(heights)
    assert (np.diff(found) >= gap - 1e-9).all()
    assert np.mean(found) == pytest.approx(np.mean(heights))
    alone = [
        all(abs(a - b) > gap * len(heights) for j, b in enumerate(heights) if i != j) for i, a in enumerate(heights)
    ]
    assert all(now == before for now, before, is_alone in zip(found, heights, alone, strict=True) if is_alone)


def test_in_a_figure_of_many_panels_ours_and_the_best_others_are_named(tmp_path: Path) -> None:
    lines = {name: [Point(4, 0.1 * n), Point(8, 0.1 * n + 0.02, 0.01)] for n, name in enumerate(method_names()[:8])}
    one, two = (
        draw_lines(panels, tmp_path / "f", "dimensions", "MAP").with_suffix(".svg").read_text()
        for panels in ({"city": lines}, {"city": lines, "planted": lines})
    )
    named = [[name for name in lines if f"<!-- {name} -->" in text] for text in (one, two)]
    assert named == [list(lines), ["honem", *list(lines)[-4:]]]


def test_margins_of_the_score_of_the_recipe_and_of_the_best_score() -> None:
    def record(method: str, seed: int, score: str, value: float) -> Record:
        return Record("city", "link_prediction", method, 8, seed, score, "map", value)

    ours = [record("honem", 0, "cosine", 0.2), record("honem", 0, "evidence", 0.5)]
    ours += [record("honem", 1, "source.target", 0.4), record("honem", 1, "evidence", 0.3)]
    contest = Contest("city", "link_prediction", "l3")
    found = Outcome((record("l3", 0, "own score", 0.5),), {contest: Form("l3", "own score")}, (), tuple(ours))
    own, best = margins(found, (8,))
    assert own.rows == (("city", "0.300", "l3 0.500", "-40.0 %"),)
    assert best.rows == (("city", "0.400", "l3 0.500", "-20.0 %"),)


WORDS = ["--methods", "honem,honem:max_order=2,first-order,popularity", "--dims", "2,4", "--seeds", "2"]
HEADINGS = {
    "table1": "| Rome (paper) | - | 477 |",
    "table2": "| Rome (paper) | honem |",
    "reconstruction": "Precision@1000",
    "link-prediction": "MAP over nodes with a held-out edge: HONEM is best",
    "map": "No data set of this run has coordinates",
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
    assert "(counted)" in report


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
