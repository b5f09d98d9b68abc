"""S -> the matrix that is factorised: named steps, each a function of a matrix alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_one_of
from honem.embedding.neighborhood import without_diagonal

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64, tuple[int, int]]

Transform = Callable[["Matrix"], "Matrix"]

SELF_SHARE = 0.5  # of a node's largest entry: as near to itself as half its nearest other
DEGREE_EXPONENT = 0.2


def proximity(matrix: Matrix, transforms: Sequence[str | Transform] = ()) -> Matrix:
    """The matrix after some transforms, by name or one's own, in the order given; without any, the matrix itself.

    >>> from scipy.sparse import csr_array
    >>> proximity(csr_array([[0.0, 2.0], [1.0, 0.0]]), ["near_itself"]).toarray().tolist()
    [[1.0, 2.0], [1.0, 1.0]]
    """
    for transform in named_transforms(transforms):
        matrix = transform(matrix)
    return matrix


def named_transforms(transforms: Sequence[str | Transform]) -> list[Transform]:
    """The functions that names stand for; functions stand for themselves."""
    for transform in transforms:
        if isinstance(transform, str):
            require_one_of("transform", transform, tuple(TRANSFORMS))
    return [TRANSFORMS[transform] if isinstance(transform, str) else transform for transform in transforms]


def both_ways(matrix: Matrix) -> Matrix:
    """max(X, rho X^T): a pair seen one way only is foreseen the other way too, by as much as the data says.

    rho = <X, X^T> / <X, X>, off the diagonal, is the slope of the regression of entries on their reverses: 1 where
    every way is walked as much in both directions, 0 where none is.

    >>> from scipy.sparse import csr_array
    >>> both_ways(csr_array([[0.0, 2.0, 2.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).toarray().round(3).tolist()
    [[0.0, 2.0, 2.0], [2.0, 0.0, 0.0], [1.333, 0.0, 0.0]]
    """
    from scipy.sparse import csr_array

    return csr_array(matrix.maximum(reciprocity(matrix) * matrix.T))


def reciprocity(matrix: Matrix) -> float:
    """The rho of `both_ways`."""
    others = without_diagonal(matrix)
    squares = others.data @ others.data
    return float(others.multiply(others.T).sum() / squares) if squares > 0 else 0.0


def near_itself(matrix: Matrix) -> Matrix:
    """The diagonal becomes half the largest other entry of row and column.

    Nobody asks how near a node is to itself. But 0 there would be approximated like any other entry, and it is the
    one that nodes in similar places must not share.
    """
    from scipy.sparse import csr_array, diags_array

    others = without_diagonal(matrix)
    largest = np.maximum(others.max(axis=1).toarray().ravel(), others.max(axis=0).toarray().ravel())
    return csr_array(others + diags_array(SELF_SHARE * largest))


def scale_by_degree(matrix: Matrix) -> Matrix:
    """Rows and columns over the fifth root of their sums, so that few busy nodes do not take all dimensions."""
    from scipy.sparse import csr_array, diags_array

    rows, columns = (_negative_power(np.asarray(matrix.sum(axis=axis)).ravel()) for axis in (1, 0))
    return csr_array(diags_array(rows) @ matrix @ diags_array(columns))


def _negative_power(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.zeros_like(sums)
    np.power(sums, -DEGREE_EXPONENT, where=sums > 0, out=powers)
    return powers


TRANSFORMS: dict[str, Transform] = {
    transform.__name__: transform for transform in (both_ways, near_itself, scale_by_degree)
}
