"""Surrogates: the transitions of the data, and no memory beyond their order."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, CorpusError, ParameterError
from honem.evaluation.datasets import markov_surrogate, planted_paths
from tests.strategies import corpora


def transitions(corpus: Corpus, order: int) -> Counter[tuple[object, ...]]:
    """How often each context of one order, with its successor, occurs."""
    found: Counter[tuple[object, ...]] = Counter()
    for nodes, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
        for start in range(len(nodes) - order):
            found[tuple(nodes[start : start + order + 1])] += weight
    return found


@given(corpus=corpora(), order=st.integers(1, 4), seed=st.integers(0, 9))
def test_only_observed_transitions_occur(corpus: Corpus, order: int, seed: int) -> None:
    surrogate = markov_surrogate(corpus, order, seed)
    observed = transitions(corpus, order)
    assert transitions(surrogate, order).keys() <= observed.keys()
    assert surrogate.vocabulary.labels == corpus.vocabulary.labels
    copies = [s for s, w in zip(corpus.sequences(), corpus.weights.tolist(), strict=True) for _ in range(w)]
    continued = {transition[:order] for transition in observed}
    for simulated, real in zip(surrogate.sequences(), copies, strict=True):
        assert simulated[:order] == real[:order]
        assert len(simulated) == len(real) or tuple(simulated[-order:]) not in continued


@given(corpus=corpora(), order=st.integers(1, 3))
def test_the_same_seed_gives_the_same_sequences(corpus: Corpus, order: int) -> None:
    one, other = (markov_surrogate(corpus, order, 7) for _ in range(2))
    np.testing.assert_array_equal(one.tokens, other.tokens)
    np.testing.assert_array_equal(one.offsets, other.offsets)


def test_transitions_are_drawn_as_often_as_they_were_observed() -> None:
    corpus = Corpus.from_sequences([list("abx"), list("aby"), list("cby")], weights=[3000, 1000, 4000])
    first, second = (transitions(markov_surrogate(corpus, order, 1), 2) for order in (1, 2))
    assert first[tuple("abx")] == pytest.approx(4000 * 3 / 8, rel=0.1)  # after b, whatever came before
    assert second[tuple("abx")] == pytest.approx(3000, rel=0.1)
    assert second[tuple("cbx")] == 0


def test_long_sequences_keep_their_length_where_nothing_ends() -> None:
    walks = planted_paths(50, 20_000, orders=(2,), contexts_per_order=10, seed=0).corpus
    np.testing.assert_array_equal(markov_surrogate(walks, 1).lengths, walks.lengths)


def test_bad_orders_and_too_many_copies_are_refused() -> None:
    corpus = Corpus.from_sequences([list("ab")], weights=[2**40])
    with pytest.raises(CorpusError, match="the weights stand for 2,199,023,255,552 nodes"):
        markov_surrogate(corpus)
    for order in (0, 1.5, "1"):
        with pytest.raises(ParameterError, match="order must be a whole number of at least 1"):
            markov_surrogate(corpus, order)  # type: ignore[arg-type]
