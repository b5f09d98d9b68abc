"""What two nodes have in common: the cosine of their rows of the proximity matrix as a sum over nodes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem.embedding.matrices import Array

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True)
class CommonTerm:
    """The part of the cosine of two rows that one node contributes.

    Attributes
    ----------
    node : hashable
        The node j that both lead to.
    part : float
        M[a, j] M[b, j], divided by the lengths of the rows a and b of the proximity matrix M.
    """

    node: Hashable
    part: float


@dataclass(frozen=True)
class CommonParts:
    """The cosine of two rows of the proximity matrix, divided among the nodes that both lead to.

    Vectors approximate the rows, so nodes that lead to the same nodes are near each other.

    Attributes
    ----------
    cosine : float
        The cosine similarity of the rows, which the cosine of the source vectors approximates.
    terms : tuple of CommonTerm
        The terms with the largest absolute values.
    rest : float
        The sum of the terms that are not listed.
    n_rest : int
        The number of terms that are not listed.
    """

    cosine: float
    terms: tuple[CommonTerm, ...]
    rest: float
    n_rest: int


@dataclass(frozen=True, eq=False)
class CommonTargets:
    """Find what rows of a matrix have in common; the matrix is normalized once."""

    rows: Matrix

    @classmethod
    def of(cls, matrix: Matrix) -> CommonTargets:
        """Divide each row of a sparse matrix by its length; rows of zeros remain."""
        from sklearn.preprocessing import normalize

        rows: Any = normalize(matrix.tocsr())
        return cls(rows)

    def products(self, a: int, others: Sequence[int]) -> list[tuple[NDArray[np.int64], Array]]:
        """Return for each other node the nodes that it and `a` lead to, strongest first, and their parts."""
        rows: Any = self.rows
        dense = np.zeros(rows.shape[1])
        own = slice(rows.indptr[a], rows.indptr[a + 1])
        dense[rows.indices[own]] = rows.data[own]
        return [self._strongest(dense, slice(rows.indptr[b], rows.indptr[b + 1])) for b in others]

    def _strongest(self, dense: Array, row: slice) -> tuple[NDArray[np.int64], Array]:
        rows: Any = self.rows
        nodes, parts = rows.indices[row], rows.data[row] * dense[rows.indices[row]]
        order = np.lexsort((nodes, -np.abs(parts)))[: int(np.count_nonzero(parts))]
        return nodes[order].astype(np.int64), parts[order]

    def parts(self, a: int, b: int, nodes: Sequence[Hashable], n: int) -> CommonParts:
        """Return the n strongest terms of the cosine of the rows a and b, and the sum of the rest."""
        ((found, parts),) = self.products(a, [b])
        terms = zip(found[:n].tolist(), parts[:n].tolist(), strict=True)
        return CommonParts(
            cosine=float(parts.sum()),
            terms=tuple(CommonTerm(nodes[node], part) for node, part in terms),
            rest=float(parts[n:].sum()),
            n_rest=len(parts[n:]),
        )
