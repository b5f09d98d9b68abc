"""DeepWalk (Perozzi et al. 2014): skip-gram with nodes as words and random walks as sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_switch, require_whole
from honem.errors import ParameterError
from honem.evaluation.baselines.base import Baseline, Sides
from honem.evaluation.methods import register_method

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix


@register_method
@dataclass(frozen=True, kw_only=True)
class DeepWalk(Baseline):
    """Skip-gram over random walks that follow edges by weight and end at nodes without outgoing edges.

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
    """

    walks_per_node: int = 10
    walk_length: int = 40
    window: int = 10
    negative: int = 5
    epochs: int = 1
    contexts: bool = False

    name = "deepwalk"
    position = 30

    def __post_init__(self) -> None:
        super().__post_init__()
        for option in ("walks_per_node", "walk_length", "window", "epochs"):
            require_whole(option, getattr(self, option), least=1)
        require_whole("negative", self.negative, least=0)
        require_switch("contexts", self.contexts)
        if self.contexts and not self.negative:
            raise ParameterError("contexts=True needs negative >= 1: hierarchical softmax has no context vectors")

    def embed(self, weights: Matrix) -> Sides:
        """Generate the walks and train skip-gram vectors on them."""
        from honem.evaluation.baselines.skipgram import skip_gram

        for_walks, for_vectors = np.random.SeedSequence(self.random_state).spawn(2)
        return skip_gram(
            [walk[walk >= 0].tolist() for walk in self.walks(weights, for_walks)],
            weights.shape[0],
            n_components=self.n_components,
            window=self.window,
            negative=self.negative,
            epochs=self.epochs,
            seed=int(for_vectors.generate_state(1)[0]) >> 1,
            contexts=self.contexts,
        )

    def walks(self, weights: Matrix, seeds: np.random.SeedSequence) -> NDArray[np.int32]:
        """Return walks from every node, one per row; -1 follows the end of a walk."""
        from honem.evaluation.baselines.kernels.walking import random_walks

        return random_walks(weights, self.walks_per_node, self.walk_length, seeds)
