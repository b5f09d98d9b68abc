"""DeepWalk and Node2Vec: where walkers go, by hand and by frequency."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from honem import MissingDependencyError
from honem.evaluation.baselines import DeepWalk, Node2Vec
from honem.evaluation.baselines.base import edge_weights
from honem.evaluation.baselines.kernels.walking import random_walks
from tests.evaluation.baselines.networks import blocks, flow, network_of, share_in_block

# From 1, coming from 0: back to 0; to 2, which leads to 0; to 3, which 0 leads to, so that it is far; to 4; to 1.
EDGES = [(0, 1, 1), (1, 0, 4), (1, 2, 3), (1, 3, 2), (1, 4, 1), (2, 0, 1), (0, 3, 1), (3, 1, 1), (4, 1, 5), (1, 1, 2)]


def walks_of(edges: list[tuple[int, int, int]], n_walks: int, p: float = 1.0, q: float = 1.0) -> NDArray[np.int32]:
    weights = edge_weights(network_of(edges))
    return random_walks(weights, n_walks, 12, np.random.SeedSequence(5), 1 / p, 1 / q)


def frequencies(walks: NDArray[np.int32], before: int | None, here: int) -> dict[int, float]:
    steps = [walks[:, column : column + 3] for column in range(walks.shape[1] - 2)]
    rows = np.concatenate(steps)
    rows = rows[(rows[:, 1] == here) & (rows[:, 2] >= 0) & ((before is None) | (rows[:, 0] == before))]
    nodes, amounts = np.unique(rows[:, 2], return_counts=True)
    assert len(rows) > 3000
    return dict(zip(nodes.tolist(), (amounts / amounts.sum()).tolist(), strict=True))


def test_first_order_steps_follow_the_weights() -> None:
    found = frequencies(walks_of(EDGES, 2000), None, 1)
    assert found == pytest.approx({0: 4 / 12, 1: 2 / 12, 2: 3 / 12, 3: 2 / 12, 4: 1 / 12}, abs=0.012)


@pytest.mark.parametrize(("p", "q"), [(0.5, 2.0), (4.0, 0.25), (1.0, 3.0), (1e4, 1e-4), (1e-4, 1e4), (1e4, 1e4)])
def test_second_order_steps_follow_weight_times_bias(p: float, q: float) -> None:
    # Node 1 itself is at distance 1 only where 1 leads to 0, which it does.
    expected = {0: 4 / p, 1: 2.0, 2: 3.0, 3: 2 / q, 4: 1 / q}
    total = sum(expected.values())
    found = frequencies(walks_of(EDGES, 8000, p, q), 0, 1)
    for node, weight in expected.items():
        assert found.get(node, 0.0) == pytest.approx(weight / total, abs=0.015)


def test_walks_follow_edges_and_end_in_sinks() -> None:
    walks = walks_of([(0, 1, 1), (1, 2, 1), (1, 0, 1), (2, 3, 1)], 50, p=0.5, q=2.0)
    edges = {(0, 1), (1, 2), (1, 0), (2, 3)}
    for walk in walks.tolist():
        nodes = [node for node in walk if node >= 0]
        assert walk[len(nodes) :] == [-1] * (len(walk) - len(nodes))
        assert set(pairwise(nodes)) <= edges
        assert len(nodes) == len(walk) or nodes[-1] == 3
    assert np.bincount(walks[:, 0]).tolist() == [50] * 4


def test_with_p_and_q_1_node2vec_is_deepwalk() -> None:
    network = blocks(size=8)
    one, other = (method(n_components=4).fit(network) for method in (DeepWalk, Node2Vec))
    np.testing.assert_array_equal(one.source, other.source)


def test_q_decides_between_staying_near_and_going_far() -> None:
    weights = edge_weights(blocks(), directed=False)
    block = np.arange(100) % 4

    def share_of_steps_inside(q: float) -> float:
        walks = random_walks(weights, 20, 20, np.random.SeedSequence(0), 1.0, 1 / q)
        return float((block[walks[:, 1:]] == block[walks[:, :-1]]).mean())

    assert share_of_steps_inside(4.0) > share_of_steps_inside(0.25) + 0.05


def test_context_vectors_are_targets() -> None:
    embedding = DeepWalk(n_components=8, walk_length=20, window=1, contexts=True, epochs=5).fit(flow())
    assert embedding.target is not None
    beside = share_in_block(embedding, ahead=1, space="source.target")
    beside += share_in_block(embedding, ahead=3, space="source.target")
    assert beside > 0.75, "a window looks both ways: the blocks before and after, of four"


def test_hierarchical_softmax() -> None:
    assert share_in_block(DeepWalk(n_components=8, walk_length=20, negative=0).fit(blocks())) > 0.75


def test_without_gensim_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'honem\[baselines\]'"):
        DeepWalk().fit(blocks(size=3))
