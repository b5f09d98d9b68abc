"""The scores without vectors, against networkx and against their formulas written out."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from honem import Corpus, ParameterError, first_order_network
from honem.evaluation import Edges, LinkPrediction, PairScorer, parse_method
from honem.evaluation.baselines.ease import gram_matrix
from honem.evaluation.datasets import load_real, planted_paths
from tests.strategies import corpora

SCORERS = ("l3", "l3:evidence=False", "adamic-adar", "resource-allocation", "ease")
PATHS = planted_paths(n_nodes=40, n_steps=2000, contexts_per_order=5, orders=(2,)).corpus


def scores_of(method: str, corpus: Corpus) -> NDArray[np.float64]:
    fitted: PairScorer = parse_method(method).fit(corpus, 0, 0)
    assert fitted.vocabulary is corpus.vocabulary
    return fitted.scores_from(np.arange(corpus.n_nodes))


def steps_either_way(corpus: Corpus) -> NDArray[np.float64]:
    """n + n^T, step by step."""
    counts = np.zeros((corpus.n_nodes, corpus.n_nodes))
    ids = corpus.vocabulary.ids
    for nodes, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
        for one, other in pairwise(nodes):
            counts[ids[one], ids[other]] += weight
            counts[ids[other], ids[one]] += weight
    return counts


@given(corpora())
def test_common_neighbours_count_as_in_networkx(corpus: Corpus) -> None:
    graph = nx.Graph()
    graph.add_nodes_from(range(corpus.n_nodes))
    edges = Edges.of(first_order_network(corpus))
    graph.add_edges_from(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True))
    pairs = [(i, j) for i in graph for j in graph if i != j]
    for method, index in (
        ("adamic-adar", nx.adamic_adar_index),
        ("resource-allocation", nx.resource_allocation_index),
    ):
        scores = scores_of(method, corpus)
        for i, j, expected in index(graph, pairs):
            assert scores[i, j] == pytest.approx(expected)


@given(corpora(), st.booleans())
def test_l3_sums_over_paths_of_three_edges(corpus: Corpus, evidence: bool) -> None:
    steps = steps_either_way(corpus)
    weights = np.log10(1 + 9 * steps) if evidence else (steps > 0).astype(float)
    sums = weights.sum(axis=1)
    scores = scores_of(f"l3:evidence={evidence}", corpus)
    nodes = range(min(corpus.n_nodes, 4))
    for i in nodes:
        for j in nodes:
            expected = sum(
                weights[i, u] * weights[u, v] * weights[v, j] / math.sqrt(sums[u] * sums[v])
                for u in np.flatnonzero(weights[i])
                for v in np.flatnonzero(weights[j])
            )
            assert scores[i, j] == pytest.approx(expected)


def test_ease_predicts_each_node_by_ridge_regression_on_the_others() -> None:
    corpus = Corpus.from_sequences([list("abca"), list("bcd"), list("ad"), list("e")], weights=[2, 1, 3, 1])
    visited = np.array([[1, 1, 1, 0, 0]] * 2 + [[0, 1, 1, 1, 0]] + [[1, 0, 0, 1, 0]] * 3 + [[0, 0, 0, 0, 1]], float)
    np.testing.assert_array_equal(gram_matrix(corpus).toarray(), visited.T @ visited)
    scores = scores_of("ease:regularization=0.7", corpus)
    for node in range(5):
        others = [other for other in range(5) if other != node]
        features = visited[:, others]
        ridge = np.linalg.solve(features.T @ features + 0.7 * np.eye(4), features.T @ visited[:, node])
        np.testing.assert_allclose(scores[others, node], ridge, atol=1e-12)
        assert scores[node, node] == 0


@pytest.mark.parametrize("method", SCORERS)
def test_rows_do_not_depend_on_what_else_is_asked(method: str) -> None:
    fitted: PairScorer = parse_method(method).fit(PATHS, 0, 0)
    whole = fitted.scores_from(np.arange(PATHS.n_nodes))
    some = np.array([7, 3, 39])
    np.testing.assert_array_equal(fitted.scores_from(some), whole[some])


@pytest.mark.parametrize("method", SCORERS)
def test_scores_beat_chance_at_link_prediction(method: str) -> None:
    paths = planted_paths(n_nodes=120, n_steps=20_000, orders=(2,), contexts_per_order=10, seed=3).corpus
    task = LinkPrediction(paths)
    chance = len(task.split(0).held_out) / (120 * 119 - len(task.split(0).training))
    fitted = parse_method(method).fit(task.training_corpus(0), 0, 0)
    assert task.rank(fitted, 0).mean_average_precision > chance


@pytest.mark.parametrize("method", SCORERS)
def test_a_corpus_without_steps_has_scores_of_zero(method: str) -> None:
    assert not scores_of(method, Corpus.from_sequences([["a"], ["b"]])).any()


def test_ease_refuses_what_does_not_fit_in_memory() -> None:
    many = Corpus.from_arrays(range(12_001), np.arange(12_001), [12_001])
    with pytest.raises(ParameterError, match="N = 12001 is more than 12000; use l3"):
        parse_method("ease").fit(many, 0, 0)


@pytest.mark.parametrize(
    ("method", "message"),
    [("l3:evidence=2", "evidence must be True or False"), ("ease:regularization=0", "regularization must be")],
)
def test_wrong_options_are_refused(method: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse_method(method)


@pytest.mark.parametrize(
    ("name", "method", "expected"),
    [
        ("shenzhen", "l3", 0.560),
        ("shenzhen", "l3:evidence=False", 0.499),
        ("porto_poi", "l3:evidence=False", 0.401),
        ("lloyds", "l3:evidence=False", 0.332),
    ],
)
def test_l3_on_real_data_is_what_was_found_before(real_data: Path, name: str, method: str, expected: float) -> None:
    task = LinkPrediction(load_real(name, real_data).corpus)
    fitted = parse_method(method).fit(task.training_corpus(0), 0, 0)
    assert task.rank(fitted, 0).mean_average_precision == pytest.approx(expected, abs=0.001)
