"""NetMF (Qiu et al. 2018): factorize the matrix that DeepWalk factorizes implicitly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.validation import require_whole
from honem.embedding.factorize import factorize
from honem.evaluation.baselines.base import Baseline, Sides, in_strengths, powers, step_probabilities
from honem.evaluation.methods import register_method

if TYPE_CHECKING:
    from honem.embedding import Vectors
    from honem.evaluation.baselines.base import Matrix


@register_method
@dataclass(frozen=True, kw_only=True)
class NetMF(Baseline):
    """Factorize log max(M, 1), M = vol / (negative window) (P + ... + P^window) D^-1, P = D^-1 W ("small window").

    The last D are the strengths of the target nodes. In directed networks these are the in-strengths: M compares how
    often j comes within the window after i with how often it comes at all.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether edges have a direction. False replaces the weights W by W + W^T.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    window : int, default=10
        Number of steps.
    negative : int, default=1
        Number of noise nodes per pair in DeepWalk.
    """

    window: int = 10
    negative: int = 1

    name = "netmf"
    position = 90

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("window", self.window, least=1)
        require_whole("negative", self.negative, least=1)

    def embed(self, weights: Matrix) -> Sides:
        """Compute log max(M, 1) and factorize it."""
        from scipy.sparse import csr_array

        self._require_dense(weights.shape[0])
        matrix = csr_array(deepwalk_matrix(weights, self.window, self.negative))
        factors = factorize(matrix, self.n_components, random_state=self.random_state)
        return Sides(factors.source, factors.target)


def deepwalk_matrix(weights: Matrix, window: int, negative: int) -> Vectors:
    """Return log max(M, 1)."""
    total: Vectors = sum(powers(step_probabilities(weights), window), start=np.zeros(weights.shape))
    arriving = in_strengths(weights)
    total *= weights.sum() / (negative * window) / np.where(arriving > 0, arriving, 1.0)
    logs: Vectors = np.log(np.maximum(total, 1.0, out=total), out=total)
    return logs
