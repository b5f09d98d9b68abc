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
    n_components, directed, random_state
        As for every method that embeds a network.
    walks_per_node, walk_length, window, negative, epochs, contexts
        As for DeepWalk.
    p : float, default 1
        Higher values make a step back less likely.
    q : float, default 1
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
