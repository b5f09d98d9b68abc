"""Random walks on a weighted, directed network, first order or with the biases of Node2Vec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.compilation import compiled, inlined
from honem.evaluation.baselines.kernels.randomness import fraction, next_state

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix

NO_NODE = -1
MAX_REFUSALS = 32  # after so many rejected proposals the weights of all edges are computed instead


def random_walks(
    weights: Matrix,
    walks_per_node: int,
    length: int,
    seeds: np.random.SeedSequence,
    return_bias: float = 1.0,
    outward_bias: float = 1.0,
) -> NDArray[np.int32]:
    """Return walks of up to `length` nodes, one per row; -1 follows the end of a walk.

    In each of `walks_per_node` rounds one walk starts at every node. Each walk has its own seed. `return_bias` is 1/p,
    `outward_bias` 1/q.

    >>> from scipy.sparse import csr_array
    >>> random_walks(csr_array([[0.0, 1.0], [0.0, 0.0]]), 1, 3, np.random.SeedSequence(0)).tolist()
    [[1, -1, -1], [0, 1, -1]]
    """
    for_starts, for_steps = seeds.spawn(2)
    shuffle = np.random.default_rng(for_starts)
    n_nodes = weights.shape[0]
    starts = np.concatenate([shuffle.permutation(n_nodes) for _ in range(walks_per_node)])
    walks = np.full((len(starts), length), NO_NODE, np.int32)
    walk(
        starts,
        for_steps.generate_state(len(starts), np.uint64),
        weights.indptr.astype(np.int64),
        weights.indices.astype(np.int32),
        np.concatenate(([0.0], np.cumsum(weights.data))),
        return_bias,
        outward_bias,
        walks,
    )
    return walks


@inlined
def draw_index(share: float, low: int, high: int, cumulative: Any) -> int:
    """Return the edge among low..high at this share of their total weight."""
    goal = cumulative[low] + share * (cumulative[high] - cumulative[low])
    while high - low > 1:
        middle = (low + high) // 2
        if cumulative[middle] <= goal:
            low = middle
        else:
            high = middle
    return low


@inlined
def bias_of(node: int, before: int, offsets: Any, targets: Any, return_bias: float, outward_bias: float) -> float:
    """Return alpha of Node2Vec: it depends on whether the node is the previous one, leads to it, or neither."""
    if node == before:
        return return_bias
    low, high = offsets[node], offsets[node + 1]
    while low < high:
        middle = (low + high) // 2
        if targets[middle] < before:
            low = middle + 1
        else:
            high = middle
    if low < offsets[node + 1] and targets[low] == before:
        return 1.0
    return outward_bias


@compiled
def walk(
    starts: Any,
    seeds: Any,
    offsets: Any,
    targets: Any,
    cumulative: Any,
    return_bias: float,
    outward_bias: float,
    walks: Any,
) -> None:
    """Fill the walks; edge e has weight cumulative[e + 1] - cumulative[e]."""
    length = walks.shape[1]
    is_biased = return_bias != 1.0 or outward_bias != 1.0
    most = max(1.0, return_bias, outward_bias)
    for number in range(len(starts)):
        state = seeds[number]
        before, here = NO_NODE, starts[number]
        walks[number, 0] = here
        for step in range(1, length):
            low, high = offsets[here], offsets[here + 1]
            if low == high:
                break
            state = next_state(state)
            edge = draw_index(fraction(state), low, high, cumulative)
            if is_biased and before != NO_NODE:
                # Rejection sampling: an edge proposed by its weight is accepted with probability bias / most.
                refusals = 0
                while refusals < MAX_REFUSALS:
                    bias = bias_of(targets[edge], before, offsets, targets, return_bias, outward_bias)
                    state = next_state(state)
                    if fraction(state) * most < bias:
                        break
                    refusals += 1
                    state = next_state(state)
                    edge = draw_index(fraction(state), low, high, cumulative)
                if refusals == MAX_REFUSALS:
                    total = 0.0
                    for other in range(low, high):
                        bias = bias_of(targets[other], before, offsets, targets, return_bias, outward_bias)
                        total += bias * (cumulative[other + 1] - cumulative[other])
                    left = fraction(state) * total
                    edge = low
                    while edge < high - 1:
                        bias = bias_of(targets[edge], before, offsets, targets, return_bias, outward_bias)
                        left -= bias * (cumulative[edge + 1] - cumulative[edge])
                        if left < 0.0:
                            break
                        edge += 1
            before, here = here, np.int64(targets[edge])
            walks[number, step] = here
