"""Tilt: which errors of the approximation count more, those in busy rows or those in busy columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from honem._internal.option_names import option
from honem._internal.validation import is_number
from honem.embedding.matrices import Array
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


class TiltWeights(NamedTuple):
    """Rows are multiplied by `rows` and columns divided by `columns` before the matrix is decomposed."""

    rows: Array
    columns: Array


@dataclass(frozen=True)
class Tilt:
    """Multiply rows by a power of their sums, divide columns by that power of theirs, and undo both in the factors.

    The product of the factors still approximates the same matrix. With a power above 0, errors count more in rows with
    large sums and less in columns with large sums, so that the dimensions are spent on distinguishing sources, where a
    column that everything leads to says little; with a power below 0, on distinguishing targets. Beyond a square root
    either way, rows that are nearly 0 would be blown up to noise.
    """

    power: float

    def __post_init__(self) -> None:
        """Raise ParameterError unless -0.5 <= power <= 0.5."""
        if not (is_number(self.power) and -0.5 <= self.power <= 0.5):
            raise ParameterError(f"{option('tilt')} must be a number from -0.5 to 0.5, not {self.power!r}")

    def weights(self, matrix: Matrix) -> TiltWeights:
        """Return the weights of rows and columns: powers of their sums of absolute values, divided by the mean sum.

        Rows and columns of zeros have the weight 1.

        >>> from scipy.sparse import csr_array
        >>> rows, columns = Tilt(0.5).weights(csr_array([[0.0, 4.0], [0.0, 4.0]]))
        >>> rows.tolist(), columns.round(3).tolist()
        ([1.0, 1.0], [1.0, 1.414])
        """
        sizes = abs(matrix)
        rows, columns = (np.asarray(sizes.sum(axis=axis), dtype=np.float64).ravel() for axis in (1, 0))
        mean = rows.sum() / max(len(rows), 1) or 1.0
        return TiltWeights(*(np.where(sums > 0, sums / mean, 1.0) ** self.power for sums in (rows, columns)))


def apply_tilt(matrix: Matrix, weights: TiltWeights) -> Matrix:
    """Multiply rows and divide columns of the matrix by their weights, in place, and return it."""
    matrix.data *= np.repeat(weights.rows, np.diff(matrix.indptr)) / weights.columns[matrix.indices]
    return matrix
