"""Chebyshev filters: polynomials that separate large eigenvalues, which makes Krylov spaces smaller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from honem.embedding.matrices import Array

LEAST_DEGREE = 4
"""With a lower degree, products cost more than smaller spaces save."""
GREATEST_DEGREE = 12
PRODUCTS_PER_ROW = 160
"""Entries per row times the degree: the sparser the matrix, the less products cost compared with orthogonalization."""
GREATEST_RATIO = 1e6
"""Of the filtered eigenvalues, so that rounding of the largest does not hide the smallest that is wanted."""


@dataclass(frozen=True)
class ChebyshevFilter:
    """The polynomial T_m(2 B / cut - 1): between -1 and 1 up to the cut, and growing fast above it.

    Attributes
    ----------
    cut : float
        An eigenvalue of B below all that are wanted.
    degree : int
        m.
    """

    cut: float
    degree: int

    @classmethod
    def of(cls, eigenvalues: Array, n_wanted: int, n_above: int, n_locked: int, entries_per_row: float) -> Self | None:
        """Return a filter for estimated eigenvalues, largest first, or None if there is none that helps.

        Parameters
        ----------
        eigenvalues : ndarray
            Estimates from below.
        n_wanted : int
            Number of eigenvalues that are wanted.
        n_above : int
            Number of estimates above the cut; more than are wanted.
        n_locked : int
            Number of eigenvalues, from the largest, whose vectors are known.
        entries_per_row : float
            Entries of the matrix per row.
        """
        cut = float(eigenvalues[n_above - 1])
        if cut <= 0:
            return None
        degree = int(np.clip(PRODUCTS_PER_ROW / entries_per_row, LEAST_DEGREE, GREATEST_DEGREE))
        largest = eigenvalues[[0, min(n_locked, n_wanted - 1), n_wanted - 1]]
        for tried in range(degree, LEAST_DEGREE - 1, -1):
            images = cls(cut, tried).images(largest)
            if images[0] <= images[2] * GREATEST_RATIO:
                return cls(cut, tried)
        return None

    def apply(self, operator: Callable[[Array], Array], block: Array) -> Array:
        """Return the polynomial of the operator, applied to a block."""
        before, scale = np.ascontiguousarray(block), 2 / self.cut
        now = operator(before) * scale - before
        for _ in range(self.degree - 1):
            image = operator(now)
            image *= scale
            image -= now
            image *= 2
            image -= before
            before, now = now, image
        return now

    def images(self, eigenvalues: Array) -> Array:
        """Return the polynomial of eigenvalues; 1 for those below the cut."""
        found: Array = np.cosh(self.degree * np.arccosh(np.maximum(2 * eigenvalues / self.cut - 1, 1.0)))
        return found

    def eigenvalues(self, images: Array) -> Array:
        """Return the eigenvalues that have these images; the cut where the image is at most 1."""
        found: Array = self.cut / 2 * (np.cosh(np.arccosh(np.maximum(images, 1.0)) / self.degree) + 1)
        return found
