"""The sparse matrices of the pipeline: their type, and what several steps do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64, tuple[int, int]]

Array = NDArray[np.float64]


def squared_length(values: Array) -> float:
    """Return the sum of squares; unlike a product by BLAS, its bits do not depend on the number of threads."""
    return float(np.square(values).sum())


def without_diagonal(matrix: Matrix) -> Matrix:
    """Return the matrix with zeros on its diagonal."""
    from scipy.sparse import csr_array, diags_array

    return csr_array(matrix - diags_array(matrix.diagonal()))
