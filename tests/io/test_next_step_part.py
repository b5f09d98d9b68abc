"""The next-step model in a store: the same answers to the bit, and nothing else is accepted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from honem import HONEM, Corpus
from honem.evaluation.datasets import planted_paths
from honem.io.next_step_checks import check_next_step
from honem.io.next_step_tensors import next_step_of, next_step_tensors
from honem.io.store import load
from honem.prediction import NextStep, RuleNextStep

WALKS = planted_paths(60, 6_000, orders=(2, 3), contexts_per_order=15, length=13, out_degree=4, seed=2).corpus


@pytest.fixture(scope="module")
def model() -> HONEM:
    return HONEM(n_components=8).fit(WALKS)


def test_a_loaded_model_gives_the_same_bits_without_the_corpus(model: HONEM, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    loaded, fitted = HONEM.load(tmp_path / "model"), model.next_step_
    assert isinstance(fitted, NextStep)
    histories = [list(sequence[:7]) for sequence in WALKS.sequences()]
    assert (loaded.predict_proba(histories) == model.predict_proba(histories)).all()
    assert list(loaded.predict_next(histories)) == list(model.predict_next(histories))
    assert loaded.sample(3, length=5) == model.sample(3, length=5)
    assert (fitted.vectors is None) == (fitted.smoothing.base_share == 0)
    size = load(tmp_path / "model").manifest["files"]["next_step"]["bytes"]
    assert size / fitted.trie.n_contexts < 40


def test_vectors_are_those_of_the_store(tmp_path: Path) -> None:
    rings = Corpus.from_sequences([[str(start), str((start * 7 + 1) % 40), str(start % 9)] for start in range(40)] * 2)
    model = HONEM(n_components=4).fit(rings)
    fitted = model.next_step_
    assert isinstance(fitted, NextStep)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.next_step is not None
    if fitted.vectors is not None:
        assert loaded.next_step.vectors is not None
        assert (loaded.next_step.vectors.source == loaded.embedding.source).all()
    assert load(tmp_path / "model", with_rules=False).next_step is None


def test_data_on_a_cluster_is_predicted_from_rules(model: HONEM) -> None:
    other = HONEM(n_components=8).fit(WALKS)
    other._corpus = None
    assert isinstance(other.next_step_, RuleNextStep)
    assert other.stored_next_step() is None


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("symbols", lambda values: values[1:], "numbers of contexts and of their extensions differ"),
        ("n_rows", lambda values: values[:-1], "numbers of contexts and of their extensions differ"),
        ("n_children", lambda values: values[::-1].copy(), "a context comes before the one that it extends"),
        ("counts", lambda values: values[1:], "numbers of targets and counts differ"),
        ("targets", lambda values: values + 60, "a target is not one of the 60 nodes"),
        ("strengths", lambda values: values[:5], "discounts and 5 strengths for order"),
        ("first_counts", lambda values: values[:5], "counts of first nodes are not those of 60 nodes"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(model: HONEM, name: str, change: object, message: str) -> None:
    assert isinstance(model.next_step_, NextStep)
    assert callable(change)
    tensors = next_step_tensors(model.next_step_)
    tensors[name] = np.asarray(change(tensors[name]))
    with pytest.raises(ValueError, match=message):
        check_next_step(next_step_of(tensors, WALKS.vocabulary))
