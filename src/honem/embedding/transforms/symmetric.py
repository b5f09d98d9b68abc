"""Directions forgotten: entry (a, b) and entry (b, a) are added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from honem._internal.words import number
from honem.embedding.transforms.base import Numbers, Transform

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True)
class Symmetric(Transform):
    """X + X^T: how near two nodes are, whichever comes first.

    >>> from scipy.sparse import csr_array
    >>> Symmetric()(csr_array([[1.0, 2.0], [0.0, 0.0]])).toarray().tolist()
    [[2.0, 2.0], [2.0, 0.0]]
    """

    name = "symmetric"
    uses_reverse = True

    def __call__(self, matrix: Matrix) -> Matrix:
        """Compute X + X^T."""
        from scipy.sparse import csr_array

        return csr_array(matrix + matrix.T)

    def numbers(self, matrix: Matrix, a: int, b: int) -> Numbers:
        """Return the entry (b, a)."""
        return {"reverse": float(matrix[b, a])}

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        """Show the sum of the two directions."""
        return f"{number(before)} + {number(numbers['reverse'])} of the reverse entry = {number(after)}"
