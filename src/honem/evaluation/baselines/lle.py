"""Locally linear embedding (Roweis and Saul 2000): a node is the mean of those it leads to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honem.evaluation.baselines.base import Baseline, Sides, out_strengths, step_probabilities
from honem.evaluation.baselines.spectral import flattest_vectors
from honem.evaluation.methods import register_method

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix


@register_method
@dataclass(frozen=True, kw_only=True)
class LocallyLinear(Baseline):
    """Minimize sum |y_i - sum_j P_ij y_j|^2 for orthonormal columns, without the constant one; P = D^-1 W.

    A node without outgoing edges is the mean of those that lead to it.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether edges have a direction. False replaces the weights W by W + W^T.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    """

    name = "lle"
    position = 110

    def embed(self, weights: Matrix) -> Sides:
        """Compute the eigenvectors of (I - P)^T (I - P) with the smallest eigenvalues."""
        from scipy.sparse import csr_array, diags_array, eye_array

        self._require_dense(weights.shape[0])
        leads_nowhere = out_strengths(weights) == 0
        means = step_probabilities(csr_array(weights + diags_array(leads_nowhere.astype(np.float64)) @ weights.T))
        errors = csr_array(eye_array(len(leads_nowhere)) - means)
        # |E|_2^2 is at most the product of the largest absolute row sum and column sum.
        highest = float(abs(errors).sum(axis=1).max() * abs(errors).sum(axis=0).max()) or 1.0
        constant = np.ones(len(leads_nowhere))
        return Sides(flattest_vectors(csr_array(errors.T @ errors), constant, highest, self.n_components))
