"""LINE, second order (Tang et al. 2015): nodes that lead to the same nodes are similar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.validation import require_between, require_whole
from honem.evaluation.baselines.base import Baseline, Sides, in_strengths, out_strengths
from honem.evaluation.methods import register_method

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix

NOISE_POWER = 0.75


@register_method
@dataclass(frozen=True, kw_only=True)
class Line(Baseline):
    """Draw edges i -> j by weight; increase `source_i . target_j`, and decrease it for noise nodes instead of j.

    Noise nodes are drawn by (in-strength + out-strength)^0.75, as the authors' program does.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether edges have a direction. False replaces the weights W by W + W^T.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    negative : int, default=5
        Number of noise nodes per edge.
    epochs : int, default=200
        Number of edges drawn, as a multiple of the number of edges.
    learning_rate : float, default=0.025
        Falls linearly to a 10,000th of this value.
    """

    negative: int = 5
    epochs: int = 200
    learning_rate: float = 0.025

    name = "line"
    position = 50

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("negative", self.negative, least=1)
        require_whole("epochs", self.epochs, least=1)
        require_between("learning_rate", self.learning_rate, 0)

    def embed(self, weights: Matrix) -> Sides:
        """Train source and target vectors on edges drawn at random."""
        from honem.evaluation.baselines.kernels.edge_sampling import ROW_UNIT, alias_table, train

        for_start, for_steps = np.random.SeedSequence(self.random_state).spawn(2)
        edges = weights.tocoo()
        n_nodes = weights.shape[0]
        leaving = out_strengths(weights)
        strengths = leaving + in_strengths(weights)
        # The kernel takes a fixed number of columns at a time; columns that begin with 0 stay 0.
        source, target = np.zeros((2, n_nodes, -(-self.n_components // ROW_UNIT) * ROW_UNIT), np.float32)
        start = np.random.default_rng(for_start).random((n_nodes, self.n_components), np.float32)
        source[:, : self.n_components] = (start - np.float32(0.5)) / np.float32(self.n_components)
        train(
            edges.row.astype(np.int64),
            edges.col.astype(np.int64),
            *alias_table(edges.data),
            *alias_table(strengths**NOISE_POWER),
            self.epochs * edges.nnz,
            self.negative,
            self.learning_rate,
            for_steps.generate_state(1, np.uint64)[0],
            source,
            target,
        )
        source[leaving == 0] = 0.0  # never drawn, so only the random start
        return Sides(source[:, : self.n_components], target[:, : self.n_components])
