"""Rankings in blocks are the rankings of the definitions."""

from __future__ import annotations

import resource
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from honem import Embedding, ParameterError
from honem.embedding.embedding import Score
from honem.evaluation import Edges, log_spaced, rank_pairs, rank_shuffled
from honem.tuning.average_precision import average_precisions
from tests.evaluation import naive
from tests.evaluation.examples import knowing, vocabulary

SCORES = ("source.target", "source.source", "cosine", "euclidean")


@st.composite
def problems(draw: st.DrawFn) -> tuple[Embedding, Edges, Edges]:
    """Vectors of small whole numbers, so that there are many ties and no rounding; true and excluded pairs."""
    n_nodes = draw(st.integers(2, 9))
    numbers = st.lists(st.integers(-2, 2), min_size=4 * n_nodes, max_size=4 * n_nodes)
    source, target = np.array(draw(numbers), np.float64).reshape(2, n_nodes, 2)
    pairs = sorted(naive.all_pairs(n_nodes))
    kind = np.array(draw(st.lists(st.sampled_from([0, 0, 1, 2]), min_size=len(pairs), max_size=len(pairs))))
    first, second = np.array(pairs).T
    true, excluded = (Edges.of_pairs(n_nodes, first[kind == number], second[kind == number]) for number in (1, 2))
    return Embedding(vocabulary(n_nodes), source, target), true, excluded


@given(problems(), st.sampled_from(["source.target", "source.source"]), st.sampled_from([1, 100, 10**6]))
def test_rankings_are_as_defined_whatever_the_block(
    problem: tuple[Embedding, Edges, Edges], score: Score, block_bytes: int
) -> None:
    embedding, true, excluded = problem
    truth = naive.pairs_of(true)
    candidates = naive.all_pairs(len(embedding)) - naive.pairs_of(excluded)
    for n_top in (3, 1000):
        found = rank_pairs(embedding, true, score=score, excluded=excluded, n_top=n_top, block_bytes=block_bytes)
        expected = naive.ranked(embedding, score, candidates)
        assert found.n_candidates == len(candidates)
        assert found.hits.tolist() == [pair in truth for pair in expected[:n_top]]
        for k in range(1, len(found.hits) + 1):
            assert found.precision_at(k) == naive.precision_at(expected, truth, k)
        by_node = [naive.average_precision([p for p in expected if p[0] == i], truth) for i in range(len(embedding))]
        assert found.average_precisions is not None
        np.testing.assert_allclose(found.average_precisions, by_node)
        np.testing.assert_allclose(found.mean_over_all_nodes, np.nansum(by_node) / len(embedding))
        if true.keys.size:
            np.testing.assert_allclose(found.mean_average_precision, np.nanmean(by_node))


@given(problems(), st.data(), st.sampled_from([1, 10**6]))
def test_known_pairs_are_left_out_of_the_second_precisions_only(
    problem: tuple[Embedding, Edges, Edges], data: st.DataObject, block_bytes: int
) -> None:
    embedding, true, excluded = problem
    n_nodes = len(embedding)
    pairs = data.draw(st.sets(st.sampled_from(sorted(naive.all_pairs(n_nodes)))))
    known = Edges.of_pairs(n_nodes, [i for i, _ in pairs], [j for _, j in pairs])
    found = rank_pairs(embedding, true, excluded=excluded, known=known, block_bytes=block_bytes)
    plain = rank_pairs(embedding, true, excluded=excluded, block_bytes=block_bytes)
    np.testing.assert_array_equal(found.hits, plain.hits)
    np.testing.assert_array_equal(found.average_precisions, plain.average_precisions)
    new = naive.all_pairs(n_nodes) - naive.pairs_of(excluded) - pairs
    expected = naive.ranked(embedding, "source.target", new)
    truth = naive.pairs_of(true) - pairs
    by_node = [naive.average_precision([p for p in expected if p[0] == i], truth) for i in range(n_nodes)]
    assert found.average_precisions_of_new is not None
    np.testing.assert_allclose(found.average_precisions_of_new, by_node)
    assert found.n_judged_by_new == len({i for i, _ in truth})
    if truth:
        assert found.mean_over_new_pairs == pytest.approx(np.nanmean(by_node))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("density", [0.01, 0.5])
def test_average_precision_is_that_of_scikit_learn(score: Score, density: float) -> None:
    # Many and few true targets a row: both ways of finding ranks.
    random = np.random.default_rng(0)
    n_nodes = 120
    source, target = random.normal(size=(2, n_nodes, 5))
    embedding = Embedding(vocabulary(n_nodes), source, target)
    edges = Edges.of_pairs(n_nodes, *np.nonzero(random.random((n_nodes, n_nodes)) < density))
    found = rank_pairs(embedding, edges, score=score)
    is_edge = np.zeros((n_nodes, n_nodes), bool)
    is_edge[edges.sources, edges.targets] = True
    assert found.average_precisions is not None
    for node in range(n_nodes):
        others = [other for other in range(n_nodes) if other != node]
        scores = embedding.scores([(embedding.nodes[node], embedding.nodes[other]) for other in others], score)
        if is_edge[node].any():
            expected = average_precision_score(is_edge[node, others], scores)
            assert found.average_precisions[node] == pytest.approx(expected, abs=1e-12)
        else:
            assert np.isnan(found.average_precisions[node])


def test_ties_go_to_the_lower_column_with_few_and_with_many_true_targets() -> None:
    for n_true in (3, 60):
        columns = np.arange(20, 20 + n_true)
        found = average_precisions(np.zeros((1, 100)), np.zeros(n_true, np.int64), columns)
        assert found[0] == pytest.approx(np.mean(np.arange(1, n_true + 1) / (columns + 1)))


def test_blocks_do_not_change_a_large_ranking() -> None:
    random = np.random.default_rng(1)
    # Whole numbers: products are exact, so that every block size sees the same ties.
    source, target = random.integers(-3, 4, size=(2, 400, 6)).astype(np.float64)
    embedding = Embedding(vocabulary(400), source, target)
    edges = Edges.of_pairs(400, *random.integers(0, 400, size=(2, 2000)))
    whole, blocked = (rank_pairs(embedding, edges, n_top=5000, block_bytes=size) for size in (1 << 30, 10_000))
    np.testing.assert_array_equal(whole.hits, blocked.hits)
    np.testing.assert_array_equal(whole.average_precisions, blocked.average_precisions)


def test_the_truth_scores_one_and_a_random_embedding_near_chance() -> None:
    random = np.random.default_rng(2)
    edges = Edges.of_pairs(300, *random.integers(0, 300, size=(2, 3000)))
    truth = rank_pairs(knowing(edges, vocabulary(300)), edges)
    assert truth.mean_average_precision == 1
    assert truth.precision_at(len(edges)) == 1
    noise = rank_pairs(Embedding(vocabulary(300), random.normal(size=(300, 8))), edges)
    chance = len(edges) / noise.n_candidates
    assert noise.precision_at(noise.n_candidates // 2) == pytest.approx(chance, rel=0.15)
    # AP of a random order lies a little above the share of true pairs.
    assert chance < noise.mean_average_precision < 3 * chance


def test_shuffled_ties_change_nothing_but_ties() -> None:
    random = np.random.default_rng(3)
    embedding = Embedding(vocabulary(80), random.normal(size=(80, 4)), random.normal(size=(80, 4)))
    edges, excluded = (Edges.of_pairs(80, *random.integers(0, 80, size=(2, 400))) for _ in range(2))
    excluded = excluded.select(~edges.contain(excluded.keys))
    plain = rank_pairs(embedding, edges, excluded=excluded, known=excluded.reversed())
    shuffled = rank_shuffled(embedding, edges, 5, excluded=excluded, known=excluded.reversed())
    np.testing.assert_array_equal(shuffled.hits, plain.hits)
    assert shuffled.average_precisions is not None
    assert plain.average_precisions is not None
    assert shuffled.average_precisions_of_new is not None
    assert plain.average_precisions_of_new is not None
    np.testing.assert_allclose(shuffled.average_precisions, plain.average_precisions)
    np.testing.assert_allclose(shuffled.average_precisions_of_new, plain.average_precisions_of_new)


def test_vectors_that_know_nothing_score_chance_though_low_ids_are_popular() -> None:
    random = np.random.default_rng(4)
    popular = np.minimum(random.geometric(0.02, size=3000), 300) - 1
    edges = Edges.of_pairs(300, random.integers(0, 300, size=3000), popular)
    zeros = Embedding(vocabulary(300), np.zeros((300, 2)))
    chance = len(edges) / (300 * 299)
    assert rank_pairs(zeros, edges).mean_average_precision > 3 * chance
    neutral = [rank_shuffled(zeros, edges, seed).mean_average_precision for seed in range(10)]
    assert np.mean(neutral) < 2.2 * chance
    assert rank_shuffled(zeros, edges, 1).mean_average_precision == neutral[1] != neutral[2]


def test_no_true_pair_is_no_number() -> None:
    nothing = Edges.of_pairs(3, [], [])
    found = rank_pairs(Embedding(vocabulary(3), np.eye(3)), nothing)
    assert np.isnan(found.mean_average_precision)
    assert found.mean_over_all_nodes == 0
    assert found.precision_at(6) == 0


def test_what_has_no_meaning_is_refused() -> None:
    embedding = Embedding(vocabulary(3), np.eye(3))
    edges = Edges.of_pairs(3, [0], [1])
    with pytest.raises(ParameterError, match="k = 7 is more than the 6"):
        rank_pairs(embedding, edges).precision_at(7)
    with pytest.raises(ParameterError, match="some true pairs are excluded"):
        rank_pairs(embedding, edges, excluded=edges)
    with pytest.raises(ParameterError, match="of 4 nodes, the model has 3"):
        rank_pairs(embedding, Edges.of_pairs(4, [0], [1]))
    with pytest.raises(ParameterError, match="'node 1' has numbers that are not finite"):
        rank_pairs(Embedding(vocabulary(3), np.array([[0.0], [np.nan], [1]])), edges)
    with pytest.raises(ParameterError, match="per_node=True"):
        _ = rank_pairs(embedding, edges, per_node=False).mean_average_precision
    with pytest.raises(ParameterError, match="known=EDGES"):
        _ = rank_pairs(embedding, edges).mean_over_new_pairs


def test_log_spaced_numbers_begin_at_one_and_end_where_asked() -> None:
    for most in (1, 2, 9, 1024, 100_000):
        numbers = log_spaced(most)
        assert numbers[0] == 1
        assert numbers[-1] == most
        assert numbers == sorted(set(numbers))


@pytest.mark.slow
def test_many_nodes_need_no_matrix_of_all_pairs() -> None:
    random = np.random.default_rng(0)
    n_nodes = 30_000
    embedding = Embedding(vocabulary(n_nodes), random.normal(size=(n_nodes, 16)))
    edges = Edges.of_pairs(n_nodes, *random.integers(0, n_nodes, size=(2, 50_000)))
    unit = 1024 if sys.platform != "darwin" else 1
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    rank_pairs(embedding, edges)
    # All pairs would be 7.2 GB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - before < 1 << 30
