"""The diagonal: how near a node is to itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.words import number
from honem.embedding.matrices import without_diagonal
from honem.embedding.transforms.base import Numbers, Transform

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True)
class NearItself(Transform):
    """The diagonal becomes `share` (one half) times the largest other entry of row and column.

    The similarity of a node to itself is never used, but a 0 on the diagonal would be approximated like any other
    entry, and it would push apart nodes with similar neighbours.
    """

    share: float = 0.5

    name = "near_itself"

    def __call__(self, matrix: Matrix) -> Matrix:
        """Replace the diagonal."""
        from scipy.sparse import csr_array, diags_array

        others = without_diagonal(matrix)
        largest = np.maximum(others.max(axis=1).toarray().ravel(), others.max(axis=0).toarray().ravel())
        return csr_array(others + diags_array(self.share * largest))

    def numbers(self, matrix: Matrix, a: int, b: int) -> Numbers:
        """Return the largest other entry of row and column for an entry on the diagonal, else nothing."""
        if a != b:
            return {}
        others = [matrix[[a], :].toarray().ravel(), matrix[:, [a]].toarray().ravel()]
        return {"largest": max(float(np.delete(entries, a).max(initial=0.0)) for entries in others)}

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        """Show how an entry on the diagonal was computed; say that all others are unchanged."""
        if "largest" not in numbers:
            return "changes the diagonal only: unchanged"
        return f"{number(self.share)} x its largest other entry, {number(numbers['largest'])} = {number(after)}"
