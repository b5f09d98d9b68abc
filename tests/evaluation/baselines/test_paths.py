"""The baselines on the paths themselves: co-occurrence by hand, weights as copies, equal seeds."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, Embedding, ParameterError
from honem.evaluation import parse_method
from honem.evaluation.baselines.item2vec import Sentences
from honem.evaluation.baselines.ppmi_paths import positive_information, windowed_counts
from honem.evaluation.datasets import city_trips
from tests.strategies import corpora

METHODS = ("item2vec:window=2", "ppmi-paths", "ppmi-paths:directed=False")
GROUPED = [[f"{group}{place}" for place in order] for group in "xyz" for order in np.random.default_rng(0).permuted(
    np.tile(np.arange(6), (60, 1)), axis=1
).tolist()]  # fmt: skip


def fit(method: str, corpus: Corpus, dimension: int = 8, seed: int = 0) -> Embedding:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small corpora have fewer dimensions
        found: Any = parse_method(method).fit(corpus, dimension, seed)
    assert isinstance(found, Embedding)
    return found


@given(corpora(), st.integers(1, 4))
def test_windows_are_counted_pair_by_pair(corpus: Corpus, window: int) -> None:
    expected = np.zeros((corpus.n_nodes, corpus.n_nodes))
    for nodes, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
        for first, second in combinations(range(len(nodes)), 2):
            if second - first <= window:
                expected[corpus.vocabulary.id(nodes[first]), corpus.vocabulary.id(nodes[second])] += weight
    np.testing.assert_array_equal(windowed_counts(corpus, window).toarray(), expected)


@given(corpora(), st.sampled_from([1.0, 1.5, 5.0]))
def test_information_is_the_log_of_how_much_more_often_than_by_chance(corpus: Corpus, shift: float) -> None:
    counts = windowed_counts(corpus, 2)
    dense = counts.toarray()
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.outer(dense.sum(axis=1), dense.sum(axis=0)) / dense.sum()
        expected = np.where(dense > 0, np.maximum(np.log(dense / chance) - np.log(shift), 0), 0)
    np.testing.assert_allclose(positive_information(counts, shift).toarray(), expected, atol=1e-12)


@pytest.mark.parametrize("directed", [True, False])
def test_all_dimensions_give_the_matrix_back(directed: bool) -> None:
    corpus = city_trips(300).corpus
    counts = windowed_counts(corpus, 2)
    expected = positive_information(counts if directed else counts + counts.T, 1.0).toarray()
    found = fit(f"ppmi-paths:directed={directed}", corpus, corpus.n_nodes)
    assert found.target is not None
    np.testing.assert_allclose(found.source @ found.target.T, expected, atol=1e-9)


@given(corpora())
def test_a_sequence_of_weight_w_is_w_sentences(corpus: Corpus) -> None:
    sentences = Sentences.of(corpus, np.random.default_rng(0))
    expected = [
        [corpus.vocabulary.id(node) for node in nodes]
        for nodes, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True)
        for _ in range(weight if len(nodes) > 1 else 0)
    ]
    assert sorted(sentences) == sorted(expected)
    assert list(sentences) == list(sentences)


def test_long_sequences_are_cut_where_gensim_would_stop() -> None:
    corpus = Corpus.from_sequences([["a", "b", "c"] * 7000])
    assert [len(piece) for piece in Sentences.of(corpus, np.random.default_rng(0))] == [10_000, 10_000, 1000]


@pytest.mark.parametrize("method", METHODS)
def test_nodes_of_the_same_paths_are_near(method: str) -> None:
    found = fit(method, Corpus.from_sequences(GROUPED))
    nearest, _ = found.nearest(n=5)
    groups = np.array([str(node)[0] for node in found.nodes])
    assert (groups[nearest] == groups[:, None]).mean() > 0.95, "chance is 0.29"


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_bits(method: str) -> None:
    corpus = city_trips(300).corpus
    first, again = (fit(method, corpus, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.source, again.source)
    np.testing.assert_array_equal(first.target, again.target)
    assert first.target is not None
    if method.startswith("item2vec"):
        assert not np.array_equal(first.source, fit(method, corpus, seed=4).source)


@pytest.mark.parametrize("method", METHODS)
def test_nodes_that_are_alone_have_vectors_of_zeros(method: str) -> None:
    found = fit(method, Corpus.from_sequences([["a", "b", "c"], ["d"], ["c", "a"]]), 2)
    assert not found["d"].any()
    assert found["a"].any()


@pytest.mark.parametrize("method", METHODS)
def test_a_corpus_without_steps_has_vectors_of_zeros(method: str) -> None:
    assert not fit(method, Corpus.from_sequences([["a"], ["b"]]), 2).source.any()


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("item2vec:window=0", "window must be a whole number of at least 1"),
        ("item2vec:negative=0", "negative must be a whole number of at least 1"),
        ("ppmi-paths:shift=0.5", "shift must be a finite number of at least 1"),
        ("ppmi-paths:directed=1", "directed must be True or False"),
    ],
)
def test_wrong_options_are_refused(method: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse_method(method)
