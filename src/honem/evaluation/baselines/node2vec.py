"""Node2Vec (Grover and Leskovec 2016): DeepWalk whose walkers remember where they come from."""

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
    """Skip-gram over walks in which, after t -> v, the edge v -> x weighs W_vx times a bias.

    The bias is 1/p for x = t, 1 where there is an edge x -> t, 1/q otherwise: the direction of that edge is the one
    the authors' program tests.
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
        """Walks from every node, a row each; -1 after the end of a walk."""
        from honem.evaluation.baselines.kernels.walking import random_walks

        return random_walks(weights, self.walks_per_node, self.walk_length, seeds, 1 / self.p, 1 / self.q)
