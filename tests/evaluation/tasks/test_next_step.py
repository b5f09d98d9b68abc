"""Held-out sequences, and how steps are judged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, extract_rules
from honem.errors import CorpusError, ParameterError
from honem.evaluation.baselines.kneser_ney import kneser_ney
from honem.evaluation.baselines.ngrams import ngram_table
from honem.evaluation.cells import NO_DIMENSION, Cell
from honem.evaluation.chosen_method import ChosenMethod, parse_method
from honem.evaluation.datasets import planted_paths
from honem.evaluation.tasks.base import make_task
from honem.evaluation.tasks.next_step import NextStepPrediction, hold_out_latest, hold_out_sequences, least_loss
from honem.prediction import RuleNextStep, StepScores
from tests.strategies import corpora


def copies(corpus: Corpus) -> Counter[tuple[object, ...]]:
    held: Counter[tuple[object, ...]] = Counter()
    for sequence, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
        held[sequence] += weight
    return held


@given(corpora(), st.integers(0, 5))
def test_each_copy_of_a_sequence_is_in_one_part(corpus: Corpus, seed: int) -> None:
    try:
        split = hold_out_sequences(corpus, 0.4, seed)
    except CorpusError:
        return
    assert copies(split.training) + copies(split.held_out) == copies(corpus)
    assert split.training.vocabulary is split.held_out.vocabulary is corpus.vocabulary
    again = hold_out_sequences(corpus, 0.4, seed)
    assert copies(again.held_out) == copies(split.held_out)


@given(corpora(), st.integers(0, 5))
def test_all_copies_of_a_distinct_sequence_are_in_one_part(corpus: Corpus, seed: int) -> None:
    try:
        split = hold_out_sequences(corpus, 0.4, seed, distinct=True)
    except CorpusError:
        return
    assert copies(split.training) + copies(split.held_out) == copies(corpus)
    assert not copies(split.training).keys() & copies(split.held_out).keys()


@given(corpora(), st.integers(0, 2**32 - 1), st.floats(0.05, 0.95))
def test_the_latest_sequences_are_held_out(corpus: Corpus, seed: int, share: float) -> None:
    starts = np.random.default_rng(seed).integers(0, 4, corpus.n_sequences)
    try:
        split = hold_out_latest(corpus.with_times(starts), share)
    except CorpusError:
        return
    assert copies(split.training) + copies(split.held_out) == copies(corpus)
    assert split.training.times is not None
    assert split.held_out.times is not None
    assert split.training.times.starts.max() < split.held_out.times.starts.min()
    wanted, total = share * corpus.weights.sum(), corpus.weights.sum()
    others = [corpus.weights[starts >= time].sum() for time in np.unique(starts)]
    assert abs(split.held_out.weights.sum() - wanted) == min(abs(other - wanted) for other in others)
    assert split.held_out.weights.sum() < total


def test_a_task_holds_out_by_time() -> None:
    corpus = Corpus.from_sequences([["a", "b"]] * 8 + [["b", "a"]] * 2)
    timed = corpus.with_times(np.arange(10)[::-1])
    task = make_task("next-step", timed, holdout="time")
    assert isinstance(task, NextStepPrediction)
    assert [list(task.split(seed).held_out.sequences()) for seed in (0, 1)] == [[("a", "b")] * 2] * 2
    with pytest.raises(ParameterError, match="holdout='time' needs the times of sequences"):
        NextStepPrediction(corpus, holdout="time")
    with pytest.raises(ParameterError, match="distinct=True does not apply to holdout='time'"):
        NextStepPrediction(timed, holdout="time", distinct=True)
    with pytest.raises(ParameterError, match="holdout must be one of"):
        NextStepPrediction(timed, holdout="space")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="share must be between 0 and 1"):
        hold_out_latest(timed, 1.0)


def test_the_share_is_of_distinct_sequences() -> None:
    corpus = Corpus.from_sequences([[str(number % 2000), "b"] for number in range(6000)])
    held = hold_out_sequences(corpus, 0.2, seed=3, distinct=True).held_out
    assert len(copies(held)) == pytest.approx(400, rel=0.1)
    assert held.n_sequences == 3 * len(copies(held))


def test_the_share_is_of_copies_not_of_lines() -> None:
    corpus = Corpus.from_sequences([["a", "b"], ["b", "c"]], weights=[10_000, 90_000])
    held = hold_out_sequences(corpus, 0.2, seed=3).held_out
    assert held.weights == pytest.approx([2000, 18_000], rel=0.1)


def test_a_split_without_two_parts_is_refused() -> None:
    with pytest.raises(CorpusError, match="1 sequences are too few"):
        hold_out_sequences(Corpus.from_sequences([["a", "b"]]))
    with pytest.raises(ParameterError, match=r"share must be between 0 and 1, not 1\.5"):
        hold_out_sequences(Corpus.from_sequences([["a", "b"]]), share=1.5)


@dataclass(frozen=True)
class Scripted:
    """Gives the scores it was told to give."""

    scores: StepScores

    def score(self, corpus: Corpus) -> StepScores:
        return self.scores


def test_steps_count_as_often_as_their_sequence_weighs() -> None:
    corpus = Corpus.from_sequences([["a", "b", "c"], ["b", "a"]], weights=[1000, 1000])
    task = NextStepPrediction(corpus, ks=(1, 2))
    first, second = task.split(1).held_out.weights.tolist()
    told = Scripted(StepScores(np.array([-1.0, -3.0, -2.0]), np.array([1, 3, 2])))
    measures = {measure.metric: measure.value for measure in task.judge(told, 1)}
    steps = 2 * first + second
    assert measures["held_out_steps"] == steps
    assert measures["log_loss"] == pytest.approx((4 * first + 2 * second) / steps)
    assert measures["perplexity"] == pytest.approx(2 ** measures["log_loss"])
    assert measures["hit@1"] == pytest.approx(first / steps)
    assert measures["hit@2"] == pytest.approx((first + second) / steps)


def test_planted_dependencies_are_predicted_by_the_rules_and_missed_by_first_order() -> None:
    paths = planted_paths(200, 100_000, orders=(3,), contexts_per_order=400, out_degree=4, strength=1.0)
    task = NextStepPrediction(paths.corpus)
    training = task.training_corpus(0)

    def loss(model: RuleNextStep) -> float:
        return next(task.judge(model, 0)).value

    rules = loss(RuleNextStep.of(extract_rules(training)))
    assert rules < loss(RuleNextStep.of(ngram_table(training, 1))) - 0.02
    assert rules < loss(RuleNextStep.of(ngram_table(training, 2))) - 0.02


def test_the_order_that_made_the_paths_is_chosen() -> None:
    corpus = planted_paths(50, 40_000, orders=(2,), contexts_per_order=100, out_degree=4).corpus
    learners = {str(order): lambda part, order=order: kneser_ney(part, order) for order in (1, 2, 4)}
    assert least_loss(learners, corpus) == "2"


def test_the_order_is_chosen_by_a_split_like_that_of_the_task() -> None:
    random = np.random.default_rng(0)
    walks = [random.integers(0, 10, 12).tolist() for _ in range(60)]
    corpus = Corpus.from_sequences(walks, weights=[20] * 60)
    for name in ("kneser-ney", "modified-kneser-ney", "ppm-c"):
        chosen = {}
        for distinct in (False, True):
            method = parse_method(name, NextStepPrediction.judges)
            cell = Cell(NextStepPrediction(corpus, distinct=distinct), method, NO_DIMENSION, 0)
            assert isinstance(cell.method, ChosenMethod)
            told = cell.method.at(NO_DIMENSION, 0)
            assert told.settings()["distinct"] is distinct
            chosen[distinct] = next(cell.task.judge(told.fit(cell.task.training_corpus(0)), 0)).value
        # Known by heart, walks are predicted well; random walks that were never seen cost log2(10) bits per step.
        assert chosen[False] < 1.0
        assert chosen[True] < 3.7
