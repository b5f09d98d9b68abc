"""Corpora, weights and nodes that are made by hand in Python: wrong ones are refused."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from honem import HONEM, Corpus, CorpusError, MissingDependencyError, Vocabulary, extract_rules
from honem.embedding.embedding import Embedding
from tests.faults.running import ROUNDS

AB = Vocabulary(("a", "b"))
TOKENS = np.array([0, 1, 0, 1], np.int32)


def numbers(*values: int) -> Any:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ((TOKENS, numbers(0, 6, 4), numbers(1, 1)), "must not decrease"),
        ((TOKENS, numbers(0, -3, 4), numbers(1, 1)), "must not decrease"),
        ((TOKENS, numbers(2, 3, 4), numbers(1, 1)), "begin at 0"),
        ((TOKENS, numbers(0, 2**63 - 1, -2, 4), numbers(1, 1, 1)), "must not decrease"),
        ((TOKENS, numbers(0, 2), numbers(1)), "do not match"),
        ((TOKENS, numbers(), numbers()), "do not match"),
        ((TOKENS, numbers(0, 2, 4), numbers(1, 0)), "the weight 0"),
        ((TOKENS, numbers(0, 2, 4), numbers(1, -5)), "the weight -5"),
        ((TOKENS + 1, numbers(0, 2, 4), numbers(1, 1)), "not the id"),
        ((TOKENS.astype(np.int64), numbers(0, 2, 4), numbers(1, 1)), "tokens must be .* int32"),
        (([0, 1, 0, 1], numbers(0, 2, 4), numbers(1, 1)), "tokens must be"),
        ((TOKENS, np.array([0.0, 2.0, 4.0]), numbers(1, 1)), "offsets must be"),
        ((TOKENS, numbers(0, 2, 4), np.ones((2, 1), np.int64)), "weights must be a one-dimensional"),
    ],
)
def test_arrays_of_a_corpus(arrays: tuple[Any, ...], words: str) -> None:
    with pytest.raises(CorpusError, match=words):
        Corpus(AB, *arrays)


@pytest.mark.parametrize(
    ("labels", "tokens", "lengths", "words"),
    [
        ("ab", [0, 1], [3, -1], "lengths must be from 0"),
        ("ab", [0, 1], [2**63 - 1, 2**63 - 1, 4], "must not decrease"),
        ("ab", [0, 1], [1, 2], "offsets do not match"),
        ("ab", [0, 1], [1.5, 0.5], "lengths must be .* whole numbers"),
        ("ab", [0, 2**32 + 1], [2], "tokens must be from 0 to 2147483647"),
        ("ab", np.array([0, 2**32], np.uint64), [2], "tokens must be from 0"),
        ("ab", [0, -1], [2], "tokens must be from 0"),
        ("ab", [0.0, 0.9], [2], "tokens must be .* whole numbers"),
        ("ab", [[0, 1]], [2], "tokens must be a one-dimensional"),
        ("ab", [True, False], [2], "tokens must be"),
        ("aba", [0, 1], [2], "'a' occurs more than once"),
    ],
)
def test_arrays_from_elsewhere(labels: str, tokens: Any, lengths: Any, words: str) -> None:
    with pytest.raises(CorpusError, match=words):
        Corpus.from_arrays(labels, tokens, lengths)


def test_a_vocabulary_with_a_node_twice() -> None:
    with pytest.raises(CorpusError, match="'a' occurs more than once"):
        Vocabulary(("a", "b", "a")).id("a")


def test_right_arrays_of_any_type_are_taken() -> None:
    for kind in (np.int8, np.uint16, np.int64):
        corpus = Corpus.from_arrays("ab", np.array([0, 1], kind), np.array([2], kind), np.array([3], kind))
        assert list(corpus.sequences()) == [("a", "b")]
        assert corpus.n_weighted_steps == 3
    assert Corpus.from_arrays("ab", [], []).n_sequences == 0


@pytest.mark.parametrize("weights", [np.ones((2, 1), int), np.ones((1, 2), int), np.array(1), 5, [[1], [1]]], ids=str)
def test_weights_of_another_shape(weights: Any) -> None:
    with pytest.raises(CorpusError, match=r"weights must be one number per sequence|not a positive whole number"):
        HONEM(n_components=1).fit([["a", "b"], ["b", "a"]], sample_weight=weights)


@pytest.mark.parametrize("missing", [pd.NA, pd.NaT, float("nan"), np.float64("nan")], ids=str)
def test_missing_nodes(missing: Any) -> None:
    with pytest.raises(CorpusError, match="replace missing values first"):
        HONEM(n_components=1).fit([["a", missing]])
    with pytest.raises(CorpusError, match="the weight"):
        HONEM(n_components=1).fit([["a", "b"]], sample_weight=[missing])


def test_frames_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    embedding = Embedding(AB, np.zeros((2, 1)))
    rules = extract_rules(Corpus.from_sequences([["a", "b"]]))
    for make in (embedding.to_pandas, rules.to_pandas):
        with pytest.raises(MissingDependencyError, match=r"pip install 'honem\[pandas\]'"):
            make()


def test_sequences_of_one_node_that_are_held_out_from_the_next_step() -> None:
    model = HONEM(n_components=1).fit([[f"alone {number}"] for number in range(300)] + [["a", "b"]] * 5)
    assert model.predict_next(["a"], 1).nodes[0].node == "b"


@pytest.mark.filterwarnings("ignore::honem.errors.HonemWarning")
@pytest.mark.parametrize("seed", range(5 * ROUNDS))
def test_small_corpora_are_fitted_and_predict_probabilities(seed: int) -> None:
    """Few nodes, few sequences, single nodes, empty sequences and large weights: an answer, or CorpusError."""
    chance = random.Random(seed)
    n_nodes, n_sequences, longest = (chance.choice(sizes) for sizes in ((1, 2, 5, 30), (1, 5, 100), (1, 2, 8)))
    sequences = [[chance.randrange(n_nodes) for _ in range(chance.randint(0, longest))] for _ in range(n_sequences)]
    sequences += [[f"alone {number}"] for number in range(chance.choice((0, 50)))]  # type: ignore[list-item]
    weights = [chance.choice((1, 2, 10**12)) for _ in sequences]
    try:
        model = HONEM(chance.choice((1, 16)), max_order=chance.choice((None, 1, 2))).fit(
            sequences, sample_weight=weights
        )
    except CorpusError:
        return
    probabilities = model.predict_proba([[0], [1, 0], ["unknown"]])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert len(model.sample(3, length=5)) == 3
