"""GraRep (Cao et al. 2015): one factorization per number of steps, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.validation import require_whole
from honem.embedding.factorize import factorize
from honem.errors import ParameterError
from honem.evaluation.baselines.base import Baseline, Sides, powers, step_probabilities
from honem.evaluation.methods import register_method

if TYPE_CHECKING:
    from honem.embedding import Vectors
    from honem.evaluation.baselines.base import Matrix


@register_method
@dataclass(frozen=True, kw_only=True)
class GraRep(Baseline):
    """Factorize the positive log-probabilities of 1 to `steps` steps, each into its share of the columns.

    X^k_ij = max(log(P^k_ij / sum_i P^k_ij) - log(1 / N), 0), P = D^-1 W: how much more likely i is than a random node,
    given that j was reached in k steps.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    directed : bool, default=True
        Whether edges have a direction. False replaces the weights W by W + W^T.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    steps : int, default=5
        Highest number of steps.
    """

    steps: int = 5

    name = "grarep"
    position = 80

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("steps", self.steps, least=1)
        if self.n_components < self.steps:
            raise ParameterError(f"n_components={self.n_components} must be at least steps={self.steps}: a column each")

    def embed(self, weights: Matrix) -> Sides:
        """Factorize the matrix of each number of steps and concatenate the vectors."""
        from scipy.sparse import csr_array

        self._require_dense(weights.shape[0])
        parts = []
        for number, reached in enumerate(powers(step_probabilities(weights), self.steps)):
            n_columns = (self.n_components + self.steps - 1 - number) // self.steps
            parts.append(factorize(csr_array(positive_log(reached)), n_columns, random_state=self.random_state))
        return Sides(np.hstack([part.source for part in parts]), np.hstack([part.target for part in parts]))


def positive_log(reached: Vectors) -> Vectors:
    """Return max(log(N A_ij / sum_i A_ij), 0) for the probabilities A of k steps."""
    arriving = reached.sum(axis=0)
    ratios = reached * (len(reached) / np.where(arriving > 0, arriving, 1.0))
    logs: Vectors = np.log(np.maximum(ratios, 1.0))
    return logs
