"""Communities: groups of nodes that are nearest neighbors of each other more often than by chance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

ROUNDS = 30
RESOLUTION = 0.5  # below 1 gives fewer and larger communities, so that colours can distinguish them


def communities(neighbors: NDArray[np.int64], seed: int = 0) -> NDArray[np.int64]:
    """Return the community of each node by the Louvain method (Blondel et al. 2008).

    Modularity is increased by moving nodes to the community of a neighbor, then whole communities, until nothing
    moves. All nodes choose at once and a random half of them moves, which is fast with arrays.

    Parameters
    ----------
    neighbors : array of int, shape (n_nodes, k)
        The nearest neighbors of each node.
    seed : int, default=0
        Seed of the random choice.

    Returns
    -------
    array of int
        Communities are numbered from the largest, 0, to the smallest.

    Examples
    --------
    >>> communities(np.array([[1], [0], [3], [2]])).tolist()
    [0, 0, 1, 1]
    """
    random = np.random.default_rng(seed)
    graph = _both_ways(neighbors)
    found: NDArray[np.int64] = np.arange(len(neighbors))
    while True:
        moved = _move(graph, random)
        n_communities = int(moved.max(initial=-1)) + 1
        found = moved[found]
        if n_communities == graph.shape[0]:
            return _largest_first(found)
        together = csr_array((np.ones(len(moved)), (np.arange(len(moved)), moved)), shape=(len(moved), n_communities))
        graph = csr_array(together.T @ graph @ together)


def near_in_graph(n_nodes: int) -> int:
    """Return how many neighbors of each node the graph has: few where there are few nodes, or all would be one group.

    >>> [near_in_graph(n_nodes) for n_nodes in (17, 175, 910, 4177)]
    [3, 8, 18, 20]
    """
    return min(max(round(0.6 * math.sqrt(n_nodes)), 3), 20)


def _both_ways(neighbors: NDArray[np.int64]) -> Any:
    n_nodes, k = neighbors.shape
    edges: Any = (np.ones(n_nodes * k), (np.repeat(np.arange(n_nodes), k), neighbors.ravel()))
    graph = csr_array(coo_array(edges, shape=(n_nodes, n_nodes)))
    return csr_array(graph + graph.T)


def _move(graph: Any, random: np.random.Generator) -> NDArray[np.int64]:
    """Return the community of each node of a graph after its nodes have moved, numbered without gaps."""
    edges = graph.tocoo()
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    community = np.arange(graph.shape[0])
    others = edges.row != edges.col
    for _ in range(ROUNDS):
        best = _best(edges.row[others], edges.col[others], edges.data[others], degrees, community)
        wants = best != community
        if not wants.any():
            break
        moves = wants & (random.random(len(community)) < 0.5)
        community = np.where(moves, best, community)
    return np.unique(community, return_inverse=True)[1].astype(np.int64)


def _best(
    sources: NDArray[Any],
    targets: NDArray[Any],
    weights: NDArray[Any],
    degrees: NDArray[np.float64],
    community: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the community that gains most from each node: its own unless another is better, the lowest of equals."""
    n_nodes = len(community)
    keys, place = np.unique(sources * np.int64(n_nodes) + community[targets], return_inverse=True)
    node, where = np.divmod(keys, n_nodes)
    ties = np.bincount(place, weights, len(keys))
    totals = np.bincount(community, degrees, n_nodes)
    without_itself = totals[where] - np.where(community[node] == where, degrees[node], 0)
    by_chance = RESOLUTION / max(degrees.sum(), 1.0)
    gain = ties - degrees[node] * without_itself * by_chance
    staying = -degrees * (totals[community] - degrees) * by_chance
    at_home = community[node] == where
    staying[node[at_home]] = gain[at_home]
    order = np.lexsort((where, -gain, node))
    first = order[np.concatenate(([True], np.diff(node[order]) > 0))] if len(order) else order
    best = community.copy()
    better = gain[first] > staying[node[first]] + 1e-12
    best[node[first][better]] = where[first][better]
    return best


def _largest_first(found: NDArray[np.int64]) -> NDArray[np.int64]:
    sizes = np.bincount(found)
    place = np.empty(len(sizes), np.int64)
    place[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return place[found]
