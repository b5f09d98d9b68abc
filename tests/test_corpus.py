"""Corpus and Vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import honem.corpus
from honem import Corpus, CorpusError, UnknownNodeError
from honem.corpus import number_by_appearance

sequences_of_anything = st.lists(
    st.lists(st.integers(-5, 5) | st.text(max_size=3) | st.tuples(st.integers(0, 2)), max_size=6), max_size=10
)


@given(sequences_of_anything)
def test_sequences_come_back_as_they_went_in(sequences: list[list[object]]) -> None:
    corpus = Corpus.from_sequences(sequences)
    assert list(corpus.sequences()) == [tuple(sequence) for sequence in sequences]
    in_order = list(dict.fromkeys(node for sequence in sequences for node in sequence))
    assert list(corpus.vocabulary) == in_order
    assert corpus.n_steps == sum(max(len(sequence) - 1, 0) for sequence in sequences)


def test_numbers_and_their_names_are_different_nodes() -> None:
    corpus = Corpus.from_sequences([[1, "1", 1]])
    assert corpus.n_nodes == 2
    assert corpus.vocabulary.id(1) == 0
    assert corpus.vocabulary.id("1") == 1


def test_an_unknown_node_names_itself_and_hints_at_its_other_form() -> None:
    vocabulary = Corpus.from_sequences([["1", "2"]]).vocabulary
    with pytest.raises(UnknownNodeError, match=r"no node 1 .*there is '1'"):
        vocabulary.id(1)
    with pytest.raises(KeyError):
        vocabulary.id("7")
    with pytest.raises(UnknownNodeError):
        vocabulary.id([1])  # type: ignore[arg-type]
    assert "1" in vocabulary
    assert 1 not in vocabulary
    assert [] not in vocabulary  # type: ignore[comparison-overlap]


@pytest.mark.parametrize(
    ("sequences", "words"),
    [
        ("abc", "not the str 'abc'"),
        (["abc", "abd"], "sequence 1 is the str 'abc'"),
        ([["a"], b"ab"], "sequence 2 is the bytes"),
        ([{"a", "b"}], "sequence 1 is a set, which has no order"),
        ([{"a": 1}], "sequence 1 is a dict"),
        ([["a"], 5], "sequence 2 is 5"),
        ([["a", ["b"]]], "sequence 1: a node is not hashable"),
        ([["a", float("nan")]], "not equal to itself"),
    ],
)
def test_what_is_no_sequence_is_refused_by_its_place(sequences: object, words: str) -> None:
    with pytest.raises(CorpusError, match=words):
        Corpus.from_sequences(sequences)  # type: ignore[arg-type]


@pytest.mark.parametrize("weight", [0, -1, 1.5, float("nan"), float("inf"), "2", None, True])
def test_a_weight_that_is_no_positive_whole_number_is_refused_by_its_place(weight: object) -> None:
    with pytest.raises(CorpusError, match=r"sequence 2: the weight .* is not a positive whole number"):
        Corpus.from_sequences([["a", "b"], ["b", "c"]], weights=[1, weight])


@pytest.mark.parametrize("weights", [[2, 3], np.array([2, 3]), np.array([2.0, 3.0]), iter([2, 3])])
def test_whole_weights_of_any_kind_are_taken(weights: object) -> None:
    corpus = Corpus.from_sequences([["a", "b"], ["b", "c", "a"]], weights=weights)  # type: ignore[arg-type]
    assert corpus.weights.tolist() == [2, 3]
    assert corpus.n_weighted_steps == 8
    assert corpus.is_weighted


def test_weights_must_be_as_many_as_sequences() -> None:
    with pytest.raises(CorpusError, match="1 weights for 2 sequences"):
        Corpus.from_sequences([["a", "b"], ["b", "c"]], weights=[1])


def test_arrays_and_generators_are_sequences() -> None:
    corpus = Corpus.from_sequences(row for row in np.array([[3, 1], [1, 3]]))
    assert list(corpus.sequences()) == [(3, 1), (1, 3)]
    assert all(type(label) is int for label in corpus.vocabulary)


def test_a_corpus_cannot_be_changed_behind_its_back() -> None:
    corpus = Corpus.from_sequences([["a", "b"]])
    with pytest.raises(ValueError, match="read-only"):
        corpus.tokens[0] = 1


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(CorpusError, match="not the id"):
        Corpus.from_arrays(["a"], [0, 1], [2])
    with pytest.raises(CorpusError, match="offsets do not match"):
        Corpus.from_arrays(["a"], [0, 0], [3])


@given(tokens=st.lists(st.integers(0, 6)), block=st.integers(1, 9))
def test_nodes_are_numbered_by_first_appearance(tokens: list[int], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(honem.corpus, "BLOCK", block)
        numbered = np.array(tokens, np.int32)
        labels = number_by_appearance(numbered, tuple("abcdefg"))
    assert labels == tuple(dict.fromkeys("abcdefg"[token] for token in tokens))
    assert [labels[number] for number in numbered.tolist()] == ["abcdefg"[token] for token in tokens]


@given(sequences_of_anything, st.integers(1, 4))
def test_new_weights_drop_sequences_of_weight_0_and_keep_ids(sequences: list[list[object]], every: int) -> None:
    corpus = Corpus.from_sequences(sequences)
    weights = np.arange(corpus.n_sequences) % every
    found = corpus.reweighted(weights)
    assert list(found.sequences()) == [s for s, weight in zip(corpus.sequences(), weights, strict=True) if weight]
    assert found.weights.tolist() == weights[weights > 0].tolist()
    assert found.vocabulary is corpus.vocabulary


@given(st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=10), st.integers(1, 12), st.data())
def test_visits_starts_and_ends_are_counted_block_by_block(
    sequences: list[list[int]], block: int, data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(sequences), max_size=len(sequences)))
    corpus = Corpus.from_sequences(sequences, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(honem.corpus, "BLOCK", block)
        found = corpus.visit_counts()
    weighted = [(path, weight) for path, weight in zip(sequences, weights, strict=True) if path]
    for number, node in enumerate(corpus.vocabulary):
        assert found.visits[number] == sum(weight * sum(one == node for one in path) for path, weight in weighted)
        assert found.starts[number] == sum(weight for path, weight in weighted if path[0] == node)
        assert found.ends[number] == sum(weight for path, weight in weighted if path[-1] == node)
