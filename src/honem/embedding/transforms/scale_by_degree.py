"""Rows and columns scaled by their sums, so that hubs do not dominate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.words import number
from honem.embedding.matrices import Array
from honem.embedding.transforms.base import Numbers, Transform

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True)
class ScaleByDegree(Transform):
    """Rows and columns are divided by the fifth root of their sums, so that a few hubs do not fill all dimensions."""

    exponent: float = 0.2

    name = "scale_by_degree"

    def __call__(self, matrix: Matrix) -> Matrix:
        """Multiply rows and columns by their sums to the power of -exponent; empty ones stay 0."""
        from scipy.sparse import csr_array, diags_array

        rows, columns = (self._factors(np.asarray(matrix.sum(axis=axis)).ravel()) for axis in (1, 0))
        return csr_array(diags_array(rows) @ matrix @ diags_array(columns))

    def _factors(self, sums: Array) -> Array:
        factors = np.zeros_like(sums)
        np.power(sums, -self.exponent, where=sums > 0, out=factors)
        return factors

    def numbers(self, matrix: Matrix, a: int, b: int) -> Numbers:
        """Return the sums of row a and column b."""
        return {"row_sum": float(matrix[[a], :].sum()), "column_sum": float(matrix[:, [b]].sum())}

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        """Show the division by the scaled sums."""
        sums = f"{number(numbers['row_sum'])} x {number(numbers['column_sum'])}"
        return f"{number(before)} / (row sum x column sum = {sums}) ^ {number(self.exponent)} = {number(after)}"


@dataclass(frozen=True)
class NormalizeByDegree(ScaleByDegree):
    """Rows and columns are divided by the square root of their sums.

    The singular vectors of a symmetric matrix are then those of its normalized Laplacian, as in spectral clustering.
    """

    exponent: float = 0.5

    name = "normalize_by_degree"
