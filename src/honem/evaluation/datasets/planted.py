"""Walks on a sparse random network with planted dependencies of chosen orders: which contexts are real is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_whole
from honem.corpus import Corpus, number_by_appearance
from honem.errors import ParameterError


@dataclass(frozen=True, eq=False)
class PlantedPaths:
    """The corpus, and the planted contexts (labels, oldest first), which truly change what comes next."""

    corpus: Corpus
    contexts: frozenset[tuple[int, ...]]


def planted_paths(
    n_nodes: int = 5000,
    n_steps: int = 1_000_000,
    *,
    orders: Sequence[int] = (2, 3, 4, 5),
    contexts_per_order: int = 500,
    length: int = 51,
    out_degree: int = 8,
    skew: float = 0.6,
    strength: float = 0.9,
    seed: int = 0,
) -> PlantedPaths:
    """Generate random walks; after a planted context the least likely next node becomes the most likely one.

    Without planted contexts the walks are first order, and every higher-order rule found in them is false.

    Parameters
    ----------
    n_nodes : int, default=5000
        Number of nodes.
    n_steps : int, default=1_000_000
        Number of steps of all walks together.
    orders : sequence of int, default=(2, 3, 4, 5)
        Orders of the planted contexts.
    contexts_per_order : int, default=500
        Number of planted contexts of each order.
    length : int, default=51
        Number of nodes of a walk.
    out_degree : int, default=8
        Number of successors of each node; the i-th has a probability proportional to `skew ** i`.
    skew : float, default=0.6
        How fast the probabilities of the successors fall.
    strength : float, default=0.9
        Probability of the last successor after a planted context.
    seed : int, default=0
        Seed of all randomness.

    Examples
    --------
    >>> paths = planted_paths(n_nodes=50, n_steps=5000, orders=(2,), contexts_per_order=5)
    >>> paths.corpus.n_steps, len(paths.contexts)
    (5000, 5)
    """
    for name, value, least in (("n_nodes", n_nodes, 2), ("n_steps", n_steps, 1), ("length", length, 2)):
        require_whole(name, value, least)
    if not 1 <= out_degree < n_nodes:
        raise ParameterError(f"out_degree must be from 1 to n_nodes - 1 = {n_nodes - 1}, not {out_degree!r}")
    network, choice, plant = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    # A jump of 1 to n - 1, modulo n, never returns to the same node.
    jumps = np.stack([network.permutation(n_nodes - 1)[:out_degree] + 1 for _ in range(n_nodes)])
    successors = ((np.arange(n_nodes)[:, None] + jumps) % n_nodes).astype(np.int32)
    chances = np.cumsum(skew ** np.arange(out_degree))
    chances /= chances[-1]
    n_walkers = -(-n_steps // (length - 1))

    planted: dict[int, NDArray[np.int64]] = {}
    for order in orders:
        nodes, choices = _walk(successors, chances, {}, 0.0, contexts_per_order * 4, order, plant)
        keys, places = np.unique(_context_keys(nodes, choices, order, order, out_degree), return_index=True)
        chosen = np.sort(plant.permutation(len(keys))[:contexts_per_order])
        planted[order] = keys[chosen]
        planted[-order] = nodes[places[chosen]].astype(np.int64)
    truth = {order: keys for order, keys in planted.items() if order > 0}
    nodes, _ = _walk(successors, chances, truth, strength, n_walkers, length, choice)
    contexts = {tuple(row) for order in orders for row in planted[-order].tolist()}
    return PlantedPaths(_corpus(nodes, n_nodes, n_steps), frozenset(contexts))


def _walk(
    successors: NDArray[np.int32],
    chances: NDArray[np.float64],
    planted: dict[int, NDArray[np.int64]],
    strength: float,
    n_walkers: int,
    length: int,
    random: np.random.Generator,
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Move all walkers step by step; return their nodes and choices, one row per walker."""
    n_nodes, out_degree = successors.shape
    nodes = np.empty((n_walkers, length), np.int32)
    choices = np.empty((n_walkers, length - 1), np.uint8)
    nodes[:, 0] = random.integers(n_nodes, size=n_walkers)
    for step in range(1, length):
        choice = np.searchsorted(chances, random.random(n_walkers), side="right").astype(np.uint8)
        obeys = random.random(n_walkers) < strength
        for order in sorted(planted):
            if step >= order:
                keys = _context_keys(nodes, choices, step, order, out_degree)
                found = planted[order][np.searchsorted(planted[order], keys) % len(planted[order])] == keys
                choice[found & obeys] = out_degree - 1
        choices[:, step - 1] = choice
        nodes[:, step] = successors[nodes[:, step - 1], choice]
    return nodes, choices


def _context_keys(
    nodes: NDArray[np.int32], choices: NDArray[np.uint8], step: int, order: int, out_degree: int
) -> NDArray[np.int64]:
    """Encode the last `order` nodes before a step as one number: the oldest node and the choices made from there."""
    key = nodes[:, step - order].astype(np.int64)
    for column in range(step - order, step - 1):
        key = key * out_degree + choices[:, column]
    return key


def _corpus(nodes: NDArray[np.int32], n_nodes: int, n_steps: int) -> Corpus:
    """Return the walks as a corpus that is cut after `n_steps`; ids are in order of first appearance."""
    n_walkers, length = nodes.shape
    spare = n_walkers * (length - 1) - n_steps
    lengths = np.full(n_walkers, length)
    lengths[-1] -= spare
    tokens = nodes.reshape(-1)[: nodes.size - spare]
    labels = number_by_appearance(tokens, range(n_nodes))
    return Corpus.from_arrays(labels, tokens, lengths)
