"""HON-then-pool: the higher-order network's vectors, pooled by where one is."""

from __future__ import annotations

import numpy as np
import pytest

from honem import Corpus, ExtractionParams, extract_rules, higher_order_network
from honem.evaluation.baselines import HonPool, Hope
from honem.evaluation.baselines.hon_pool import Pool, pooled
from tests.evaluation.baselines.networks import two_sided_corpus

RULES = extract_rules(two_sided_corpus(), max_order=2)
NETWORK = higher_order_network(RULES)


def test_pooling_by_hand() -> None:
    vectors = np.random.default_rng(0).standard_normal((NETWORK.n_nodes, 3))
    traffic = np.bincount(NETWORK.sources, NETWORK.counts, minlength=NETWORK.n_nodes)
    traffic += np.bincount(NETWORK.targets, NETWORK.counts, minlength=NETWORK.n_nodes)
    assert NETWORK.n_nodes > len(NETWORK.vocabulary)
    for number, label in enumerate(NETWORK.vocabulary):
        rows = [node for node in range(NETWORK.n_nodes) if NETWORK.context(node)[-1] == label and traffic[node]]
        np.testing.assert_allclose(pooled(NETWORK, vectors, "max")[number], vectors[rows].max(axis=0))
        np.testing.assert_allclose(pooled(NETWORK, vectors, "mean")[number], vectors[rows].mean(axis=0))
        weighted = np.average(vectors[rows], axis=0, weights=traffic[rows])
        np.testing.assert_allclose(pooled(NETWORK, vectors, "weighted")[number], weighted)


@pytest.mark.parametrize("pool", ["max", "mean", "weighted"])
def test_both_sides_are_pooled(pool: Pool) -> None:
    inner = Hope(n_components=4).fit(NETWORK)
    outer = HonPool(n_components=4, method="hope", pool=pool).fit(RULES)
    assert inner.nodes[-1] == NETWORK.context(NETWORK.n_nodes - 1)
    assert outer.nodes == RULES.vocabulary.labels
    assert inner.target is not None
    assert outer.target is not None
    np.testing.assert_array_equal(outer.source, pooled(NETWORK, inner.source, pool))
    np.testing.assert_array_equal(outer.target, pooled(NETWORK, inner.target, pool))


def test_the_two_sides_are_told_apart() -> None:
    rules = extract_rules(two_sided_corpus(), criterion="divergence", max_order=3, lower_orders="hon")
    embedding = HonPool(method="laplacian", pool="weighted", n_components=1, directed=False).fit(rules)
    side = {node: np.sign(embedding[node][0]) for node in "axby"}
    assert side["a"] == side["x"] != side["b"] == side["y"]


def test_of_first_order_rules_it_is_the_method_itself() -> None:
    corpus = Corpus.from_sequences([list("abcdab"), list("dcab")])
    rules = extract_rules(corpus, **vars(ExtractionParams(max_order=1)))
    plain = Hope(n_components=3).fit(corpus)
    np.testing.assert_array_equal(HonPool(n_components=3, method="hope").fit(rules).source, plain.source)


def test_of_a_corpus_the_rules_are_those_of_the_higher_order_network() -> None:
    corpus, method = two_sided_corpus(), HonPool(method="hope", n_components=3)
    by_rules = method.fit(extract_rules(corpus, criterion="divergence", lower_orders="hon"))
    np.testing.assert_array_equal(method.fit(corpus).source, by_rules.source)
