"""Alternating least squares for the weighted factorization, with conjugate gradients for the system of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from honem._internal.compilation import reassociated
from honem._internal.progress import Progress
from honem.embedding.matrices import Array
from honem.embedding.sparse_rows import ForEachRange, row_ranges

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

N_STEPS = 3
"""Steps of conjugate gradients per row and round; each round starts from the previous solution."""
EXACT = 1e-11
"""Relative residual of the last solution for the source vectors, by which scores are explained."""
MAX_STEPS = 1000
"""Limit of the steps that the last solution may take; some tens are usual."""
START = 0.1
"""Standard deviation of the random vectors at the start."""


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """The weighted least squares problem of a matrix, see `honem.embedding.factorizations.weighted`.

    Parameters
    ----------
    matrix : csr_array of shape (n_nodes, n_nodes)
        The matrix; entries that are not stored are the zeros.
    zero_weight, regularization : float
        Weight of zeros, and weight of squared lengths.
    n_jobs : int or None
        Number of threads; None or -1 for all cores. Results do not depend on it.
    """

    matrix: Matrix
    zero_weight: float
    regularization: float
    n_jobs: int | None = None

    def alternate(
        self, n_components: int, n_rounds: int, rng: np.random.Generator, progress: Progress | None = None
    ) -> tuple[Array, Array]:
        """Return source and target vectors that are solved for in turn, starting from random vectors.

        A start from the singular value decomposition gets stuck near it. Single precision is enough, and twice as fast.
        """
        from scipy.sparse import csr_array

        rows: Any = self.matrix.astype(np.float32)
        columns = csr_array(rows.T)
        shape = (self.matrix.shape[0], n_components)
        source, target = (START * rng.standard_normal(shape, dtype=np.float32) for _ in range(2))
        with row_ranges(self.n_jobs) as for_each:
            for done in range(n_rounds):
                if progress is not None:
                    progress("factorizing", done, n_rounds)
                self._improve(rows, target, source, for_each)
                self._improve(columns, source, target, for_each)
        return source.astype(np.float64), target.astype(np.float64)

    def solve_exactly(self, source: Array, target: Array) -> None:
        """Replace source vectors by the solutions for these target vectors, so that scores can be explained."""
        with row_ranges(self.n_jobs) as for_each:
            self._improve(self.matrix, target, source, for_each, n_steps=MAX_STEPS, tolerance=EXACT)

    def _improve(
        self,
        matrix: Matrix,
        fixed: Any,
        unknown: Any,
        for_each: ForEachRange,
        n_steps: int = N_STEPS,
        tolerance: float = 0.0,
    ) -> None:
        """Improve the vectors of all rows of the matrix, in place, given those of its columns."""
        gram = fixed.T @ fixed
        arrays = (matrix.indptr, matrix.indices, matrix.data, fixed, gram, unknown)
        weights = (fixed.dtype.type(self.zero_weight), fixed.dtype.type(self.regularization))
        for_each(lambda first, last: solve_rows(*arrays, first, last, *weights, n_steps, tolerance), matrix.shape[0])


@reassociated
def length_squared(vector: Any) -> Any:
    """Return the sum of squares."""
    total = vector.dtype.type(0)
    for k in range(len(vector)):
        total += vector[k] * vector[k]
    return total


@reassociated
def apply_system(
    columns: Any,
    begin: int,
    end: int,
    fixed: Any,
    gram: Any,
    zero_weight: Any,
    regularization: Any,
    vector: Any,
    image: Any,
) -> None:
    """Write A times the vector to `image`."""
    size = len(vector)
    for row in range(size):
        total = vector.dtype.type(0)
        for k in range(size):
            total += gram[row, k] * vector[k]
        image[row] = zero_weight * total + regularization * vector[row]
    extra = vector.dtype.type(1) - zero_weight
    for place in range(begin, end):
        y = fixed[columns[place]]
        product = vector.dtype.type(0)
        for k in range(size):
            product += y[k] * vector[k]
        product *= extra
        for k in range(size):
            image[k] += product * y[k]


@reassociated
def solve_rows(
    pointers: Any,
    columns: Any,
    values: Any,
    fixed: Any,
    gram: Any,
    unknown: Any,
    first: int,
    last: int,
    zero_weight: Any,
    regularization: Any,
    n_steps: int,
    tolerance: float,
) -> None:
    """Run conjugate gradients on A x = b for the rows from `first` to `last`, starting from `unknown`.

    A = zero_weight gram + (1 - zero_weight) sum of y y^T + regularization, b = sum of value y, where y are the fixed
    vectors of the nonzero entries of the row. Rows without entries get vectors of zeros.
    """
    size = fixed.shape[1]
    image = np.empty(size, fixed.dtype)
    residual = np.empty(size, fixed.dtype)
    direction = np.empty(size, fixed.dtype)
    for row in range(first, last):
        x = unknown[row]
        begin, end = pointers[row], pointers[row + 1]
        if begin == end:
            x[:] = 0
            continue
        residual[:] = 0
        for place in range(begin, end):
            y = fixed[columns[place]]
            for k in range(size):
                residual[k] += values[place] * y[k]
        enough = length_squared(residual) * tolerance * tolerance
        apply_system(columns, begin, end, fixed, gram, zero_weight, regularization, x, image)
        for k in range(size):
            residual[k] -= image[k]
            direction[k] = residual[k]
        size_of_residual = length_squared(residual)
        for _ in range(n_steps):
            if size_of_residual <= enough:
                break
            apply_system(columns, begin, end, fixed, gram, zero_weight, regularization, direction, image)
            curvature = fixed.dtype.type(0)
            for k in range(size):
                curvature += direction[k] * image[k]
            length = size_of_residual / curvature
            for k in range(size):
                x[k] += length * direction[k]
                residual[k] -= length * image[k]
            before = size_of_residual
            size_of_residual = length_squared(residual)
            for k in range(size):
                direction[k] = residual[k] + size_of_residual / before * direction[k]
