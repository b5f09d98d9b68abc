"""Vectors of new nodes: a known node's own row gives its vector, and nothing else changes."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from honem import HONEM, Corpus, HonemWarning, ParameterError, Vocabulary
from honem.embedding.embedding import Embedding
from honem.embedding.factorizations import Factorization, TruncatedSvd, WeightedFactorization
from honem.embedding.factorizations.base import Scores
from honem.embedding.factorize import Factors
from honem.embedding.folding import distinct_steps
from honem.embedding.recipe import PRESETS
from tests.embedding.test_alignment import WALKS

FACTORIZATIONS = [
    TruncatedSvd(0.5),
    TruncatedSvd((1.2, 0.1), 1 / 16),
    TruncatedSvd((0.3, 0.9), -0.4),
    WeightedFactorization(0.1, 1.0),
    WeightedFactorization(0.01, 0.3, length_power=0.5),
]


def fitted(factorization: Factorization, **options: Any) -> HONEM:
    return HONEM(6, preset="evidence", factorization=factorization, **options).fit(WALKS)


@pytest.mark.parametrize("is_aligned", [False, True])
@pytest.mark.parametrize("factorization", FACTORIZATIONS, ids=repr)
def test_the_row_of_a_known_node_gives_its_vector(factorization: Factorization, is_aligned: bool) -> None:
    model = fitted(factorization)
    if is_aligned:
        model.align_to(HONEM(9, preset="evidence").fit(WALKS[:60]))
    matrix = model.proximity_
    source, target = model.recipe_.factorization.fold_in(model.embedding_, matrix, matrix, matrix.T.tocsr())
    np.testing.assert_allclose(source, model.embedding_.source, rtol=1e-8, atol=1e-9)
    if isinstance(factorization, TruncatedSvd):  # least squares solves for source vectors last
        assert model.embedding_.target is not None
        np.testing.assert_allclose(target, model.embedding_.target, rtol=1e-8, atol=1e-9)


def test_a_node_with_the_steps_of_a_known_one_gets_its_vector() -> None:
    model = HONEM(6, preset="paper", max_order=1).fit(WALKS)
    old = model.embedding_.source.copy()
    twin = [["twin", after] for walk in WALKS for before, after in pairwise(walk) if before == 7]
    found = model.fold_in(twin)
    assert found.nodes == (*model.embedding_.nodes, "twin")
    np.testing.assert_allclose(found["twin"], found[7], atol=1e-9)
    assert model.embedding_.source.tobytes() == old.tobytes() == found.source[:-1].tobytes()


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_twin_is_near_to_the_node_whose_steps_it_copies(preset: str) -> None:
    model = HONEM(6, preset=preset).fit(WALKS)
    twins = [["twin" if node == 7 else node for node in walk] for walk in WALKS]
    found = model.fold_in(twins)
    nearest: list[Hashable] = [neighbor.node for neighbor in found.neighbors("twin", 3, space="cosine")]
    assert 7 in nearest
    assert found.score("twin", 9) == pytest.approx(found.score(7, 9), rel=0.5, abs=0.1)


def test_steps_are_counted_with_weights_and_not_across_sequences() -> None:
    corpus = Corpus.from_sequences([["b", "x"], [], ["a"], ["x", "a", "x", "a"]], [3, 1, 1, 2])
    vocabulary = Vocabulary(("a", "b")).extended(corpus.vocabulary)
    assert vocabulary.labels == ("a", "b", "x")
    rows = np.column_stack(distinct_steps(corpus, vocabulary)).tolist()
    found = {(vocabulary[a], vocabulary[b]): n for a, b, n in rows}
    assert found == {("b", "x"): 3, ("x", "a"): 4, ("a", "x"): 2}


def test_nothing_new_and_nothing_connected() -> None:
    model = fitted(TruncatedSvd())
    assert model.fold_in(WALKS[:3]) is model.embedding_
    with pytest.warns(HonemWarning, match=r"2 new nodes \(x, \.\.\.\) with no step to or from a known node"):
        found = model.fold_in([["x", "y"]])
    assert not found.vectors(["x", "y"]).any()


def test_a_factorization_without_a_formula_says_so() -> None:
    class Random(Factorization):
        name = "random"

        def factorize(self, matrix: Any, n_components: int, **options: Any) -> Factors:
            vectors = np.random.default_rng(0).normal(size=(matrix.shape[0], n_components))
            return Factors(vectors, vectors, np.ones(n_components), n_components, "random")

        def scores(self, embedding: Embedding, matrix: Any) -> Scores:
            raise NotImplementedError

    with pytest.raises(ParameterError, match="'random' cannot fold in new nodes"):
        fitted(Random()).fold_in([["new", 3]])
