"""Eigenvectors of the smallest eigenvalues, correct also for repeated eigenvalues."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from honem.embedding import Vectors
from honem.errors import HonemWarning

if TYPE_CHECKING:
    from honem.evaluation.baselines.base import Matrix


def flattest_vectors(matrix: Matrix, trivial: Vectors, highest: float, n_vectors: int) -> Vectors:
    """Return orthonormal eigenvectors of the smallest eigenvalues, ascending, orthogonal to the `trivial` one.

    The matrix is symmetric; its eigenvalues are between 0, the one of `trivial`, and `highest`. The sign of each vector
    makes its largest entry positive. If there are too few vectors, columns of 0 follow, with a warning. The matrix is
    made dense for LAPACK, because a network with several components has repeated eigenvalues, some of which Lanczos
    misses without notice.
    """
    from scipy.linalg import eigh
    from threadpoolctl import threadpool_limits

    n_nodes = matrix.shape[0]
    n_found = min(n_vectors, n_nodes - 1)
    if n_found < n_vectors:
        warnings.warn(
            f"n_components={n_vectors} is more than the {n_found} eigenvectors of {n_nodes} nodes with edges: "
            f"the last {n_vectors - n_found} columns are 0",
            HonemWarning,
            stacklevel=2,
        )
    vectors = np.zeros((n_nodes, n_vectors))
    if n_found:
        # The trivial vector is lifted above all others, so that it is not found even where 0 is a repeated eigenvalue.
        direction = trivial / np.linalg.norm(trivial)
        lifted = matrix.toarray() + 2 * highest * np.outer(direction, direction)
        with threadpool_limits(1):
            found: Vectors = eigh(lifted, subset_by_index=(0, n_found - 1), overwrite_a=True)[1]
        strongest = np.abs(found).argmax(axis=0)
        vectors[:, :n_found] = found * np.copysign(1.0, found[strongest, np.arange(n_found)])
    return vectors
