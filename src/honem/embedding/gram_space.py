"""Krylov spaces of A^T A: only right vectors are kept, which takes half the memory and half the work."""

from __future__ import annotations

import numpy as np

from honem.embedding.chebyshev import ChebyshevFilter
from honem.embedding.krylov import TOLERANCE, KrylovSpace, SvdProblem, Triplets
from honem.embedding.matrices import Array
from honem.embedding.tall import NOISE

NARROW = 3e-3
"""Smallest singular value, relative to the largest, whose square is far enough from the rounding of the largest's."""
RANDOM_SHARE = 0.01
"""Length of the random part of a block that starts from known vectors; it holds what these vectors miss."""


class GramSpace(KrylovSpace):
    """Orthonormal `right` vectors for which B = A^T A, or a Chebyshev filter of B, is a small symmetric `core`.

    With j = `size`, always and to rounding: B right[:, :j] = right[:, :j] core, to which the `last` block adds
    right[:, j:] tail. The next block is right[:, j:], and `expected` is what its image under B has in common with the
    last columns before it.
    """

    check_every = 2

    def __init__(self, problem: SvdProblem, capacity: int, start: Array | None = None) -> None:
        super().__init__(problem, capacity)
        self.filter: ChebyshevFilter | None = None
        self.begin(None if start is None else self.mixture(start))

    def mixture(self, vectors: Array) -> Array:
        """Return a block of random combinations of unit vectors, with a small random part."""
        width = min(self.block, self.n_nodes - self.size)
        weights = self.rng.normal(scale=vectors.shape[1] ** -0.5, size=(vectors.shape[1], width))
        return vectors @ weights + RANDOM_SHARE * self.random_vectors(width)

    def gram(self, block: Array) -> Array:
        """Return A^T A, applied to a block."""
        return self.pieces.product(self.columns, self.pieces.product(self.rows, block))

    def add_block(self) -> None:
        """Extend the basis by the image of the next block."""
        old, new = self.size, self.size + self.width
        block = self.right[:, old:new]
        image = self.gram(block) if self.filter is None else self.filter.apply(self.gram, block)
        own = self.pieces.overlap(block, image)
        self.norm = max(self.norm, float(np.linalg.norm(own, axis=0).max()))
        inside, self.tail = self.append(self.right, new, image, np.vstack([self.expected, (own + own.T) / 2]))
        self.core[:new, old:new], self.core[old:new, :new] = inside, inside.T
        self.expected = self.tail.T
        self.last, self.size, self.width = slice(old, new), new, len(self.tail)

    def solve_core(self) -> None:
        """Compute the eigenvalues of the core and the norms of their residuals.

        With a filter p, a residual of p(B) bounds that of B: p is convex above the cut, so the secant from any smaller
        eigenvalue has at least the slope (p(theta) - 1) / theta.
        """
        core = self.core[: self.size, : self.size]
        images, vectors = np.linalg.eigh((core + core.T) / 2)
        self.images, self.core_vectors = images[::-1], vectors[:, ::-1]
        self.residuals = np.linalg.norm(self.tail @ self.core_vectors[self.last], axis=0)
        if self.filter is None:
            self.eigenvalues, wanted = np.maximum(self.images, 0.0), self.images
        else:
            self.eigenvalues, wanted = self.filter.eigenvalues(self.images), self.images - 1
        self.values = np.sqrt(self.eigenvalues)
        self.allowed = np.maximum(TOLERANCE * wanted, NOISE * self.images[0])

    def restart(self, keep: int, fresh: bool = False) -> None:
        """Keep the vectors of the `keep` largest values, and the next block or, if fresh, a random one."""
        next_block = self.right[:, self.size : self.size + self.width].copy()
        self._keep(keep)
        if fresh:
            self.begin()
        else:
            self.right[:, keep : keep + self.width] = next_block
            self.expected = (self.tail @ self.core_vectors[self.last, :keep]).T

    def _keep(self, keep: int) -> None:
        self.pieces.rotate(self.right, np.ascontiguousarray(self.core_vectors[:, :keep]))
        self.core[:] = 0.0
        np.fill_diagonal(self.core[:keep, :keep], self.images)
        self.size = keep

    def restart_with_filter(self, n_values: int, n_above: int) -> bool:
        """Keep the vectors that have converged, and go on with a filter; return False if no filter would help.

        The next block is a mixture of the vectors that have not converged.
        """
        has_converged = self.residuals <= self.allowed
        n_locked = min(int(np.argmin(has_converged)), n_values)
        entries_per_row = len(self.rows.values) / self.n_nodes
        found = ChebyshevFilter.of(self.eigenvalues, n_values, n_above, n_locked, entries_per_row)
        if self.filter is not None or found is None:
            return False
        self._keep(n_above)
        block = self.mixture(self.right[:, n_locked:n_above])
        self.core[n_locked:] = 0.0
        np.fill_diagonal(self.core[:n_locked, :n_locked], found.images(self.eigenvalues[:n_locked]))
        self.filter, self.size, self.norm = found, n_locked, 0.0
        self.begin(block)
        return True

    def is_narrow(self, n_values: int) -> bool:
        """Return whether the wanted values are large enough to be found by their squares."""
        return len(self.values) >= n_values and bool(self.values[n_values - 1] >= NARROW * self.values[0])

    def triplets(self) -> Triplets:
        """Return the singular value decomposition of A between the vectors that are kept and their images."""
        right = self.right[:, : self.size].copy(order="F")
        self.right = right[:, :0]  # frees memory
        left = np.empty((self.n_nodes, self.size), order="F")
        for first in range(0, self.size, self.block):
            left[:, first : first + self.block] = self.pieces.product(self.rows, right[:, first : first + self.block])
        squares, axes = np.linalg.eigh(self.pieces.overlap(left, left))
        values, axes = np.sqrt(squares[::-1]), np.ascontiguousarray(axes[:, ::-1])
        return self.pieces.rotate(left, axes / values), values, self.pieces.rotate(right, axes)
