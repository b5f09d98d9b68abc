"""Forms of a method compete on the first seed, and only the winner is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from honem import Corpus, Embedding, ParameterError
from honem.cli import main
from honem.evaluation import Measure, Record
from honem.evaluation.chosen_method import family_of
from honem.evaluation.datasets import city_trips
from honem.evaluation.reproduce.context import Context
from honem.evaluation.reproduce.forms import Contest, Form, Outcome, Problem, choose_forms, only_winners
from honem.evaluation.reproduce.plan import Plan, make_plan
from honem.evaluation.reproduce.runs import Run
from honem.evaluation.reproduce.tables import comparison

CITY = city_trips(500).corpus


def records(method: str, score: str, *values: float, metric: str = "map", task: str = "t") -> list[Record]:
    return [Record("d", task, method, 8, seed, score, metric, value) for seed, value in enumerate(values)]


ALL = [
    *records("honem", "source.target", 0.5, 0.7),
    *records("honem", "source.source", 0.1, 0.1),
    *records("honem:max_order=2", "source.target", 0.6, 0.6),
    *records("walk", "source.source", 0.3, 0.9),
    *records("walk:p=1,q=2", "source.source", 0.4, 0.4),
]
FIRST = [record for record in ALL if record.seed == 0]


def test_the_best_on_the_first_seed_wins_and_our_own_forms_do_not_compete() -> None:
    winners = choose_forms(FIRST, ("map",))
    assert winners == {
        Contest("d", "t", "honem"): Form("honem", "source.target"),
        Contest("d", "t", "honem:max_order=2"): Form("honem:max_order=2", "source.target"),
        Contest("d", "t", "walk"): Form("walk:p=1,q=2", "source.source"),
    }
    # The other form would win on both seeds together; that is not looked at.
    shown = Outcome(tuple(only_winners(ALL, winners)), winners).values(("map",), 8)
    assert shown["walk", "d"].mean == pytest.approx(0.4)
    assert shown["honem", "d"].mean == pytest.approx(0.6)
    assert shown["honem", "d"].deviation == pytest.approx(np.std([0.5, 0.7], ddof=1))


def test_of_a_loss_the_lowest_wins() -> None:
    losses = [*records("walk", "s", 2.0, metric="log_loss"), *records("walk:p=2", "s", 3.0, metric="log_loss")]
    assert choose_forms(losses, ("log_loss",), higher_is_better=False)[Contest("d", "t", "walk")].method == "walk"


def test_the_table_names_the_form() -> None:
    winners = choose_forms(FIRST, ("map",))
    outcome = Outcome(tuple(only_winners(ALL, winners)), winners)
    table = comparison("title", outcome.values(("map",), 8))
    assert table.columns == ("method", "d")
    assert table.rows[0] == ("honem", "**0.600 ± 0.141**\n(source.target)")
    assert table.rows[2] == ("walk", "0.400 ± 0.000\n(p=1, q=2, source.source)")
    assert "| walk | 0.400 ± 0.000 (p=1, q=2, source.source) |" in table.to_markdown()
    assert outcome.values(("map",), 8, with_score=False)["walk", "d"].shown_form == "p=1, q=2"


def test_of_several_metrics_the_mean_decides_and_is_shown() -> None:
    both = [
        *records("walk", "s", 0.9, 0.9, metric="a"),
        *records("walk", "s", 0.1, 0.3, metric="b"),
        *records("walk:p=2", "s", 0.6, metric="a"),
        *records("walk:p=2", "s", 0.6, metric="b"),
        *records("walk", "s", 9.0, metric="c"),
    ]
    first = [record for record in both if record.seed == 0]
    assert choose_forms(first, ("a",))[Contest("d", "t", "walk")].method == "walk"
    assert choose_forms(first, ("a", "b"))[Contest("d", "t", "walk")].method == "walk:p=2"
    winners = {Contest("d", "t", "walk"): Form("walk", "s")}
    shown = Outcome(tuple(only_winners(both, winners)), winners).values(("a", "b"), 8)["walk", "d"]
    assert shown.mean == pytest.approx(0.55)
    assert shown.seeds == 2


def test_tasks_about_labels_are_cases_of_their_own() -> None:
    found = [*records("walk", "s", 0.5, task="c:area"), *records("walk:p=2", "s", 0.7, task="c:size")]
    winners = choose_forms(found, ("map",))
    shown = Outcome(tuple(only_winners(found, winners)), winners).values(("map",), 8)
    assert {key: value.mean for key, value in shown.items()} == {("walk", "d: area"): 0.5, ("walk", "d: size"): 0.7}


class Preset:
    """A method that is as good as it is told, and counts where it is asked."""

    def __init__(self, name: str, goodness: float) -> None:
        self.name, self.goodness, self.asked = name, goodness, list[tuple[int, int]]()

    def fit(self, corpus: Corpus, dimension: int, seed: int) -> Embedding:
        if self.goodness < 0:
            raise ParameterError("it cannot")
        self.asked.append((dimension, seed))
        return Embedding(corpus.vocabulary, np.full((corpus.n_nodes, dimension), self.goodness))


class HowGood:
    """A task that reads off how good a method is."""

    name, dataset = "how_good", "city"

    def training_corpus(self, seed: int) -> Corpus:
        return CITY

    def judge(self, embedding: Embedding, seed: int) -> Iterator[Measure]:
        yield Measure("source.source", "good", float(embedding.source[0, 0]))


def test_only_the_winner_runs_on_all_seeds_and_dimensions(tmp_path: Path) -> None:
    good, bad, broken = Preset("walk:p=2", 0.9), Preset("walk", 0.3), Preset("line", -1)
    plan = Plan((), dimensions=(2, 4), dimension=4, seeds=(0, 1, 2))
    context = Context(plan, Run(tmp_path), tmp_path)
    found = context.compete([HowGood()], ("good",), dimensions=plan.dimensions, methods=[bad, good, broken])
    assert bad.asked == [(4, 0)]
    assert sorted(good.asked) == [(2, 0), (2, 1), (4, 0), (4, 1), (4, 2)]  # two seeds where tables do not look
    assert found.values(("good",), 4)["walk", "city"].seeds == 3
    assert found.problems == (Problem("city", "line", 4, "it cannot"),)
    assert {record.method for record in found.records} == {"walk"}


def test_a_slow_method_may_have_fewer_seeds(tmp_path: Path) -> None:
    walk, line = Preset("walk:p=2", 0.9), Preset("line", 0.3)
    plan = Plan((), dimensions=(2, 4), dimension=4, seeds=(0, 1, 2), fewer_seeds={"walk": 1})
    context = Context(plan, Run(tmp_path), tmp_path)
    context.compete([HowGood()], ("good",), dimensions=plan.dimensions, methods=[walk, line])
    assert sorted(walk.asked) == [(2, 0), (4, 0)]
    assert sorted(line.asked) == [(2, 0), (2, 1), (4, 0), (4, 1), (4, 2)]
    assert context.seeds_in_words == "Mean and standard deviation over 3 seeds (walk 1)."


@pytest.mark.parametrize("text", ["0", "x", "5,walk", "5,walk=0", "5,walk=9", "2,walk=1"])
def test_seeds_that_make_no_sense(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "table1", "--methods", "honem", "--seeds", text, "-o", str(tmp_path / "r")]) == 2
    assert "seeds" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_repeats_are_spread_over_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HONEM_DATA", raising=False)
    assert [make_plan(seeds=seeds).repeats for seeds in (1, 5, 20)] == [10, 2, 1]
    assert [make_plan(quick=True, seeds=seeds).repeats for seeds in (1, 2)] == [3, 1]


def test_of_many_forms_the_first_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HONEM_DATA", raising=False)
    plan = make_plan()
    names = [method.name for method in plan.first_forms]
    assert len({family_of(name) for name in names}) == len(names)
    assert {family_of(name) for name in names} == {family_of(method.name) for method in plan.embedding_methods}
    assert "deepwalk" in names
