"""Networks with a known structure."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus, Vocabulary
from honem.embedding import Embedding, Score
from honem.network import Network

Edge = tuple[int, int, int]


def network_of(edges: Iterable[Edge], n_nodes: int | None = None) -> Network:
    """A first-order network of nodes 0, 1, ... from (source, target, count)."""
    sources, targets, counts = np.array(sorted(edges), dtype=np.int64).reshape(-1, 3).T
    n_nodes = n_nodes or int(max(sources.max(), targets.max())) + 1
    leaving = np.bincount(sources, counts, minlength=n_nodes)
    return Network(
        vocabulary=Vocabulary(tuple(range(n_nodes))),
        context_nodes=np.arange(n_nodes, dtype=np.int32),
        context_offsets=np.arange(n_nodes + 1),
        sources=sources,
        targets=targets,
        counts=counts,
        probabilities=counts / leaving[sources],
    )


def network_of_matrix(matrix: NDArray[np.int64]) -> Network:
    """A first-order network from its weights."""
    sources, targets = matrix.nonzero()
    edges = zip(sources.tolist(), targets.tolist(), matrix[sources, targets].tolist(), strict=True)
    return network_of(edges, len(matrix))


def blocks(n_blocks: int = 4, size: int = 25, inside: float = 0.3, outside: float = 0.02, seed: int = 0) -> Network:
    """A directed stochastic block model; node i is in block i % n_blocks."""
    rng = np.random.default_rng(seed)
    block = np.arange(n_blocks * size) % n_blocks
    chance = np.where(block[:, None] == block, inside, outside)
    return network_of_matrix((rng.random(chance.shape) < chance) * rng.integers(1, 4, chance.shape))


def blocks_by_weight(n_blocks: int = 4, size: int = 25, seed: int = 0) -> Network:
    """Edges are the same everywhere: only their weights, 12 to 1, tell the blocks."""
    rng = np.random.default_rng(seed)
    block = np.arange(n_blocks * size) % n_blocks
    same = block[:, None] == block
    return network_of_matrix((rng.random(same.shape) < 0.25) * np.where(same, 12, 1))


def flow(n_blocks: int = 4, size: int = 25, seed: int = 0) -> Network:
    """Block b leads to block b + 1 (mod n_blocks), and hardly anywhere else."""
    rng = np.random.default_rng(seed)
    block = np.arange(n_blocks * size) % n_blocks
    chance = np.where((block[:, None] + 1) % n_blocks == block, 0.3, 0.01)
    return network_of_matrix((rng.random(chance.shape) < chance).astype(np.int64))


def share_in_block(embedding: Embedding, n_blocks: int = 4, ahead: int = 0, space: Score = "cosine") -> float:
    """Of the 10 nearest of each node, how many are in the block `ahead` of its own."""
    ids, _ = embedding.nearest(n=10, space=space)
    block = np.arange(len(embedding)) % n_blocks
    return float((block[ids] == (block[:, None] + ahead) % n_blocks).mean())


def two_sided_corpus() -> Corpus:
    """Through h, those from a go to x and those from b to y."""
    return Corpus.from_sequences([["a", "h", "x", "a"], ["b", "h", "y", "b"]], weights=[20, 20])
