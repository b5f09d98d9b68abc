"""Laplacian eigenmaps (Belkin and Niyogi 2003): nodes with a strong edge are close together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.validation import require_between
from honem.evaluation.baselines.base import Baseline, Sides, out_strengths, step_probabilities
from honem.evaluation.baselines.spectral import flattest_vectors
from honem.evaluation.methods import register_method

if TYPE_CHECKING:
    from honem.embedding import Vectors
    from honem.evaluation.baselines.base import Matrix

TOLERANCE = 1e-13


@register_method
@dataclass(frozen=True, kw_only=True)
class LaplacianEigenmaps(Baseline):
    """Solve (D - F) y = lambda D y for the smallest lambda, without the constant solution; F are symmetric weights.

    For undirected networks F = W + W^T. For directed ones F is the flow of a random walker in both directions, as in
    the Laplacian of Chung (2005): F = (Phi P + P^T Phi) / 2, with P = D^-1 W and Phi the stationary distribution.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether edges have a direction. False replaces the weights W by W + W^T.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    teleport : float, default=0.05
        Probability that the walker jumps to a random node; at nodes without outgoing edges it always jumps.
    """

    teleport: float = 0.05

    name = "laplacian"
    position = 70

    def __post_init__(self) -> None:
        super().__post_init__()
        require_between("teleport", self.teleport, 0, 1)

    def embed(self, weights: Matrix) -> Sides:
        """Compute the eigenvectors of the normalized Laplacian with the smallest eigenvalues."""
        from scipy.sparse import csr_array, diags_array, eye_array

        self._require_dense(weights.shape[0])
        flow = symmetric_flow(weights, self.teleport) if self.directed else weights
        roots = np.sqrt(out_strengths(flow))
        scale = diags_array(1 / roots)
        laplacian = csr_array(eye_array(len(roots)) - scale @ flow @ scale)
        return Sides(flattest_vectors(laplacian, roots, 2.0, self.n_components) / roots[:, None])


def symmetric_flow(weights: Matrix, teleport: float) -> Matrix:
    """Return (Phi P + P^T Phi) / 2: how often a random walker takes each edge, in both directions."""
    from scipy.sparse import csr_array, diags_array

    steps = step_probabilities(weights)
    flow = csr_array(diags_array(stationary(steps, teleport)) @ steps)
    return csr_array(0.5 * (flow + flow.T))


def stationary(steps: Matrix, teleport: float) -> Vectors:
    """Return the stationary distribution of a random walker with teleportation."""
    n_nodes = steps.shape[0]
    backwards = steps.T.tocsr()
    share = np.full(n_nodes, 1 / n_nodes)
    for _ in range(int(np.log(TOLERANCE) / np.log1p(-teleport)) + 1):
        moved = (1 - teleport) * (backwards @ share)
        share = moved + (1 - moved.sum()) / n_nodes
    return share
