"""Scores in both directions: if A -> B was observed, B -> A gets a score as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from honem._internal.words import number
from honem.embedding.matrices import squared_length, without_diagonal
from honem.embedding.transforms.base import Numbers, Transform

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True)
class BothWays(Transform):
    """max(X, rho X^T): if A -> B was observed, B -> A also gets a score, scaled by how reciprocal the data are.

    rho = <X, X^T> / <X, X>, off the diagonal, is the slope of the regression of entries on their reverses: 1 for
    symmetric data, 0 if no pair was observed in both directions.

    >>> from scipy.sparse import csr_array
    >>> BothWays()(csr_array([[0.0, 2.0, 2.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).toarray().round(3).tolist()
    [[0.0, 2.0, 2.0], [2.0, 0.0, 0.0], [1.333, 0.0, 0.0]]
    """

    name = "both_ways"
    uses_reverse = True

    def __call__(self, matrix: Matrix) -> Matrix:
        """Compute max(X, rho X^T)."""
        from scipy.sparse import csr_array

        return csr_array(matrix.maximum(reciprocity(matrix) * matrix.T))

    def numbers(self, matrix: Matrix, a: int, b: int) -> Numbers:
        """Return the entry (b, a) and rho."""
        return {"reverse": float(matrix[b, a]), "reciprocity": reciprocity(matrix)}

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        """Compare the entry with the scaled reverse entry."""
        reverse, slope = numbers["reverse"], numbers["reciprocity"]
        product = (
            f"the reverse entry is {number(reverse)}, times reciprocity {number(slope)} = {number(slope * reverse)}"
        )
        if after > before:
            return f"{product}, more than {number(before)}: taken"
        return f"{product}, not more than {number(before)}: unchanged"


def reciprocity(matrix: Matrix) -> float:
    """Return the slope rho of `BothWays`."""
    others = without_diagonal(matrix)
    squares = squared_length(others.data)
    return float(others.multiply(others.T).sum() / squares) if squares > 0 else 0.0
