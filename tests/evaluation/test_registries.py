"""A new method or task is one module: it registers itself, and command line, help and Python know it."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from honem import Embedding, ParameterError, Vocabulary
from honem.cli import main
from honem.evaluation import (
    METHODS,
    TASKS,
    Edges,
    LinkPrediction,
    Reconstruction,
    align,
    evaluate,
    make_task,
    method_names,
    parse_method,
    rank_pairs,
    rank_shuffled,
)
from honem.evaluation.datasets import city_trips
from honem.evaluation.pair_scores import OWN_SCORE
from honem.evaluation.registry import Registry
from tests.evaluation.examples import vocabulary
from tests.evaluation.plugging import plugged_in

CITY = city_trips(500).corpus


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trips.csv").write_text("".join(",".join(map(str, trip)) + "\n" for trip in CITY.sequences()))
    return "trips.csv"


def run_evaluate(paths: str, *more: str) -> list[dict[str, str]]:
    assert main(["evaluate", paths, "--delimiter", ",", "--seeds", "1", "-o", "out", *more]) == 0
    with Path("out/results.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_toy_baseline_on_the_paths_themselves(paths: str, capsys: pytest.CaptureFixture[str]) -> None:
    with plugged_in("baseline", METHODS):
        assert method_names()[-1] == "toy-position"
        rows = run_evaluate(paths, "--methods", "toy-position:scale=2,popularity", "--dims", "2,4")
        frame = evaluate(LinkPrediction(CITY), [parse_method("toy-position:scale=2")], [2], [0])
        with pytest.raises(SystemExit):
            main(["evaluate", "--help"])
    assert {(row["method"], row["dimension"]) for row in rows} == {
        (method, dimension) for method in ("toy-position:scale=2", "popularity") for dimension in ("2", "4")
    }
    of_toy = [float(r["value"]) for r in rows if r["method"] == "toy-position:scale=2" and r["dimension"] == "2"]
    assert frame["value"].tolist() == of_toy
    assert "toy-position" in capsys.readouterr().out
    assert "toy-position" not in method_names()


def test_a_toy_scorer_without_vectors(paths: str, capsys: pytest.CaptureFixture[str]) -> None:
    with plugged_in("scorer", METHODS):
        for task in ("link-prediction", "reconstruction"):
            rows = run_evaluate(paths, "--task", task, "--methods", "toy-steps,popularity", "--dims", "2,4")
            ours = [row for row in rows if row["method"] == "toy-steps"]
            # Without vectors there is nothing to compute for each dimension.
            assert {(row["dimension"], row["score"]) for row in ours} == {("0", OWN_SCORE)}
            assert len({row["metric"] for row in ours}) == len(ours)
        assert "toy-steps                       -  own score" in capsys.readouterr().out
        n_edges = len(Reconstruction(CITY).truth)
        fitted = parse_method("toy-steps").fit(CITY, 0, 0)
        assert Reconstruction(CITY).rank(fitted).precision_at(n_edges) > 0.45
        words = ["evaluate", "no such file", "--task", "classification", "--labels", "x", "--methods", "toy-steps"]
        assert main([*words, "-o", "other"]) == 2
        assert "toy-steps does not return vectors; the methods that return vectors are honem" in capsys.readouterr().err


def test_a_toy_predictor(paths: str) -> None:
    with plugged_in("predictor", METHODS):
        rows = run_evaluate(paths, "--task", "next-step", "--methods", "toy-uniform,rules")
    found = {row["method"]: float(row["value"]) for row in rows if row["metric"] == "log_loss"}
    assert found["toy-uniform"] == pytest.approx(np.log2(CITY.n_nodes))
    assert found["rules"] < found["toy-uniform"]


def test_a_toy_task(paths: str, capsys: pytest.CaptureFixture[str]) -> None:
    with plugged_in("task", TASKS):
        rows = run_evaluate(paths, "--task", "toy-length", "--dims", "3")
        assert "mean_length" in capsys.readouterr().out
        frame = evaluate(make_task("toy-length", CITY), [parse_method("popularity")], [3], [0])
        cells = Path("out/cells.jsonl").read_bytes()
        assert run_evaluate(paths, "--task", "toy-length", "--dims", "3") == rows
        assert Path("out/cells.jsonl").read_bytes() == cells
    assert [(row["task"], row["method"], float(row["value"])) for row in rows] == [("toy_length", "popularity", 1.0)]
    assert frame["value"].tolist() == [1.0]
    with pytest.raises(SystemExit):
        main(["evaluate", paths, "--task", "toy-length", "-o", "out"])


def test_next_step_is_a_task_like_the_others(paths: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--task", "next-step", "--methods", "honem,rules,first-order,kneser-ney,modified-kneser-ney,ppm-c"]
    rows = run_evaluate(paths, *words)
    printed = capsys.readouterr().out
    assert all(metric in printed for metric in ("log_loss", "perplexity", "hit@10", "mrr"))
    found = {row["method"]: float(row["value"]) for row in rows if row["metric"] == "log_loss"}
    assert list(found) == ["honem", "rules", "first-order", "kneser-ney", "modified-kneser-ney", "ppm-c"]
    # Where a trip began decides where it goes.
    first_order = found.pop("first-order")
    assert max(found.values()) < first_order - 0.5
    assert found["honem"] < min(found["rules"], found["kneser-ney"], found["ppm-c"])
    cells = Path("out/cells.jsonl").read_bytes()
    assert run_evaluate(paths, *words) == rows
    assert Path("out/cells.jsonl").read_bytes() == cells


def test_equal_sequences_are_held_out_together_if_asked(paths: str) -> None:
    # 48 distinct trips, many times each: apart they are all in the training part.
    words = ["--task", "next-step", "--methods", "fixed-order"]
    loss = {
        together: next(float(row["value"]) for row in run_evaluate(paths, *words, *more) if row["metric"] == "log_loss")
        for together, more in ((False, ()), (True, ("--distinct",)))
    }
    assert loss[True] > loss[False] + 0.1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--task", "next-step", "--methods", "deepwalk"],
            "deepwalk does not return predictions of the next node; the",
        ),
        (["--task", "next-step", "--methods", "deepwalk"], "are honem, first-order, rules, fixed-order, kneser-ney"),
        (["--task", "next-step", "--vectors", "x"], "--task next-step does not judge vectors"),
        (["--task", "next-step", "--methods", "fixed-order:order=0"], "order must be a whole number of at least 1"),
        (["--methods", "kneser-ney"], "--task link-prediction: kneser-ney does not return vectors or scores of pairs"),
        (
            ["--methods", "magic"],
            "there is no method 'magic'; the methods that return vectors or scores of pairs are ",
        ),
        (["--methods", "honem:preset=nope"], "nope"),
        (["--task", "visualization"], "--task visualization needs --labels FILE"),
        (["--distinct"], "--task link-prediction holds out no sequences; leave out --distinct"),
    ],
)
def test_what_does_not_fit_is_refused_before_any_file_is_read(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "no such file", "-o", "out", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_every_task_says_what_the_command_line_needs() -> None:
    for command, task in TASKS.items():
        assert task.command == command
        assert set(task.default_methods) <= set(method_names(task.judges))
        assert any(metric.startswith(task.shown_metrics) for metric in task.main_metrics)
    assert [command for command, task in TASKS.items() if task.needs_labels()] == ["classification", "visualization"]


@pytest.mark.parametrize("name", method_names())
def test_every_method_is_known_by_name_for_each_of_its_kinds(name: str) -> None:
    for kind in [kind for kind, other in METHODS if other == name]:
        chosen = parse_method(name, [kind])
        assert (chosen.name, chosen.method.kind) == (name, kind)
        assert chosen.at(16, 3).settings().keys() >= set(chosen.method.option_names())


def test_two_entries_of_one_name_are_refused() -> None:
    registry = Registry("honem.evaluation.datasets", key=str.lower, position=len)
    registry.register("Porto")
    with pytest.raises(ParameterError, match="'porto' is already registered"):
        registry.register("PORTO")


@pytest.mark.parametrize("words", ["evaluate --help", "reproduce --help", "--help"])
def test_help_loads_nothing_heavy(words: str) -> None:
    code = (
        "import sys; from honem.cli import main\n"
        f"try: main({words.split()!r})\n"
        "except SystemExit: pass\n"
        "heavy = ['scipy', 'sklearn', 'numba', 'pandas', 'matplotlib', 'gensim', 'pyspark']\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


class PickedScores:
    """Scores as a matrix."""

    def __init__(self, nodes: Vocabulary, scores: NDArray[np.float64]) -> None:
        self.vocabulary, self.scores = nodes, scores

    def scores_from(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.scores[nodes]


class WholeMatrix(PickedScores):
    """Hands out its matrix itself, which rankings must not change."""

    def scores_from(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.scores


def test_scores_rank_as_the_vectors_they_were_made_from() -> None:
    random = np.random.default_rng(0)
    # Whole numbers: products are exact, with many ties.
    source, target = random.integers(-2, 3, size=(2, 60, 3)).astype(np.float64)
    edges, excluded = (Edges.of_pairs(60, *random.integers(0, 60, size=(2, 300))) for _ in range(2))
    excluded = excluded.select(~edges.contain(excluded.keys))
    embedding = Embedding(vocabulary(60), source, target)
    scorer = PickedScores(embedding.vocabulary, source @ target.T)
    for by_vectors, by_scores in (
        [rank_pairs(model, edges, excluded=excluded, block_bytes=4000) for model in (embedding, scorer)],
        [rank_shuffled(model, edges, 3, excluded=excluded) for model in (embedding, scorer)],
    ):
        np.testing.assert_array_equal(by_scores.hits, by_vectors.hits)
        np.testing.assert_array_equal(by_scores.average_precisions, by_vectors.average_precisions)


def test_a_ranking_leaves_the_scores_as_they_were() -> None:
    scorer = WholeMatrix(vocabulary(5), np.eye(5))
    rank_pairs(scorer, Edges.of_pairs(5, [0], [1]), excluded=Edges.of_pairs(5, [2], [3]))
    np.testing.assert_array_equal(scorer.scores, np.eye(5))


def test_scores_are_aligned_by_node() -> None:
    scores = np.arange(9.0).reshape(3, 3)
    aligned = align(PickedScores(Vocabulary(tuple("abc")), scores), Vocabulary(tuple("ca")))
    assert not isinstance(aligned, Embedding)
    assert aligned.scores_from(np.array([0, 1])).tolist() == [[8, 6], [2, 0]]
    with pytest.raises(ParameterError, match="1 of 2 nodes have no scores, the first is 'x'"):
        align(PickedScores(Vocabulary(tuple("abc")), scores), Vocabulary(tuple("ax")))


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.array([[0.0, 1, 1], [1, 0, np.nan], [0, 0, 0]]), "scores from 'node 1' are not all finite"),
        (np.zeros((3, 2)), r"scores from 3 nodes have shape \(3, 2\), not \(3, 3\)"),
    ],
)
def test_scores_that_cannot_be_ranked_are_refused(scores: NDArray[np.float64], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        rank_pairs(PickedScores(vocabulary(3), scores), Edges.of_pairs(3, [0], [1]))
