"""HOPE (Ou et al. 2016) with the Katz index: all walks between two nodes, with less weight for longer ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.validation import require_between
from honem.embedding.factorize import factorize
from honem.evaluation.baselines.base import Baseline, Sides
from honem.evaluation.methods import register_method

if TYPE_CHECKING:
    from honem.embedding import Vectors
    from honem.evaluation.baselines.base import Matrix

DENSE_NODES = 500


@register_method
@dataclass(frozen=True, kw_only=True)
class Hope(Baseline):
    """Factorize the Katz matrix (I - beta W)^-1 beta W = sum over k of (beta W)^k.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether edges have a direction. False replaces the weights W by W + W^T.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    decay : float, default=0.5
        beta as a share of its limit 1 / (spectral radius of W), beyond which the sum is infinite. A network without
        cycles has no limit; 1 / |W|_2 is used instead.
    """

    decay: float = 0.5

    name = "hope"
    position = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        require_between("decay", self.decay, 0, 1)

    def embed(self, weights: Matrix) -> Sides:
        """Compute the Katz matrix and factorize it."""
        from scipy.sparse import csr_array

        self._require_dense(weights.shape[0])
        limit = spectral_radius(weights) or float(factorize(weights, 1).singular_values[0])
        katz = csr_array(katz_matrix(weights, self.decay / limit))
        factors = factorize(katz, self.n_components, random_state=self.random_state)
        return Sides(factors.source, factors.target)


def katz_matrix(weights: Matrix, beta: float) -> Vectors:
    """Return (I - beta W)^-1 beta W; negative rounding errors, where there is no walk, become 0."""
    from scipy.linalg import solve
    from threadpoolctl import threadpool_limits

    scaled = beta * weights.toarray()
    with threadpool_limits(1):
        katz: Vectors = solve(np.eye(len(scaled)) - scaled, scaled, overwrite_a=True, check_finite=False)
    return np.maximum(katz, 0.0, out=katz)


def spectral_radius(weights: Matrix) -> float:
    """Return the largest eigenvalue of a matrix without negative entries; 0 if there are no cycles."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components
    from scipy.sparse.linalg import eigs

    # Edges between strongly connected components change no eigenvalue, and without them 0 is exactly 0.
    _, component = connected_components(weights, connection="strong")
    edges = weights.tocoo()
    on_cycle = component[edges.row] == component[edges.col]
    cycles = csr_array((edges.data[on_cycle], (edges.row[on_cycle], edges.col[on_cycle])), shape=weights.shape)
    if not cycles.nnz:
        return 0.0
    if weights.shape[0] <= DENSE_NODES:
        return float(np.abs(np.linalg.eigvals(cycles.toarray())).max())
    start = np.ones(weights.shape[0])
    return float(abs(eigs(cycles, k=1, which="LR", v0=start, return_eigenvectors=False)[0]))
