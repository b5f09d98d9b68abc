"""Node2Vec (Grover and Leskovec 2016): DeepWalk with second-order walks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_between
from honem.evaluation.baselines.deepwalk import DeepWalk
from honem.evaluation.methods import register_method

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix


@register_method
@dataclass(frozen=True, kw_only=True)
class Node2Vec(DeepWalk):
    """Skip-gram over walks in which, after t -> v, the edge v -> x has the weight W_vx times a bias.

    The bias is 1/p for x = t, 1 if there is an edge x -> t (the direction that the authors' program tests), else 1/q.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether edges have a direction. False replaces the weights W by W + W^T.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    walks_per_node : int, default=10
        Number of walks that start at each node.
    walk_length : int, default=40
        Most nodes of a walk.
    window : int, default=10
        Distance up to which two nodes of a walk are a pair.
    negative : int, default=5
        Number of noise nodes per pair; 0 means the hierarchical softmax of the paper.
    epochs : int, default=1
        Passes over the walks.
    contexts : bool, default=False
        Whether to return the context vectors as `target`.
    p : float, default=1
        Higher values make a step back less likely.
    q : float, default=1
        Higher values keep a walk close to where it came from.
    """

    p: float = 1.0
    q: float = 1.0

    name = "node2vec"
    position = 40

    def __post_init__(self) -> None:
        super().__post_init__()
        require_between("p", self.p, 0)
        require_between("q", self.q, 0)

    def walks(self, weights: Matrix, seeds: np.random.SeedSequence) -> NDArray[np.int32]:
        """Return walks from every node, one per row; -1 follows the end of a walk."""
        from honem.evaluation.baselines.kernels.walking import random_walks

        return random_walks(weights, self.walks_per_node, self.walk_length, seeds, 1 / self.p, 1 / self.q)
