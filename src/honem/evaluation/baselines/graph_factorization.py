"""Graph Factorization (Ahmed et al. 2013): the dot product of two nodes approximates the weight of their edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_between, require_whole
from honem.evaluation.baselines.base import Baseline, Sides
from honem.evaluation.methods import register_method

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix

START = 0.1  # lengths of the vectors at the beginning; with 0 the gradient would be 0


@register_method
@dataclass(frozen=True, kw_only=True)
class GraphFactorization(Baseline):
    """Minimize, over the edges, 1/2 sum (Y_ij - z_i . z_j)^2 + regularization/2 sum |z_i|^2.

    Y are the weights divided by their mean. With one vector per node, i -> j and j -> i have the same product.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether edges have a direction. False replaces the weights W by W + W^T.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    regularization : float, default=0.1
        Weight of the squared lengths of the vectors.
    max_iterations : int, default=50
        Most iterations of L-BFGS.
    """

    regularization: float = 0.1
    max_iterations: int = 50

    name = "graph-factorization"
    position = 60

    def __post_init__(self) -> None:
        super().__post_init__()
        require_between("regularization", self.regularization, 0)
        require_whole("max_iterations", self.max_iterations, least=1)

    def embed(self, weights: Matrix) -> Sides:
        """Minimize the loss with L-BFGS from random vectors."""
        from scipy.optimize import minimize
        from threadpoolctl import threadpool_limits

        n_nodes = weights.shape[0]
        rng = np.random.default_rng(np.random.SeedSequence(self.random_state))
        start = rng.standard_normal((n_nodes, self.n_components)) * START / np.sqrt(self.n_components)
        with threadpool_limits(1):
            found = minimize(
                _loss,
                start.ravel(),
                args=(weights / weights.data.mean(), self.n_components, self.regularization),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": self.max_iterations},
            )
        return Sides(found.x.reshape(n_nodes, self.n_components))


def _loss(
    flat: NDArray[np.float64], weights: Matrix, n_components: int, regularization: float
) -> tuple[float, NDArray[np.float64]]:
    """Return the loss and its gradient, both over the edges only."""
    from scipy.sparse import csr_array

    vectors = flat.reshape(-1, n_components)
    rows = np.repeat(np.arange(len(vectors)), np.diff(weights.indptr))
    errors = np.einsum("ij,ij->i", vectors[rows], vectors[weights.indices]) - weights.data
    missed = csr_array((errors, weights.indices, weights.indptr), shape=weights.shape)
    gradient = missed @ vectors + missed.T @ vectors + regularization * vectors
    return float(errors @ errors + regularization * (flat @ flat)) / 2, gradient.ravel()
