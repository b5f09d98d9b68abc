"""Krylov spaces: what Lanczos' methods for singular values have in common, and the two-sided one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from honem.embedding.matrices import Array
from honem.embedding.tall import NOISE, GrowingBasis, RowPieces, Rows

Triplets = tuple[Array, Array, Array]  # left vectors N x k, singular values, right vectors N x k
Watch = Callable[[float], None]
"""Called with the share of the work that is done."""

TOLERANCE = 1e-9  # of a residual, relative to its singular value; the error of the value goes with its square
SOUND = 1e-7  # tolerance of residuals and orthogonality in the final check, where they are measured
FILLING = 0.1  # share of the work that is done when there are as many vectors as values are wanted


@dataclass(frozen=True, eq=False)
class SvdProblem:
    """A matrix and how to search for its singular values.

    Attributes
    ----------
    rows, columns : Rows
        The matrix and its transpose.
    block : int
        Number of vectors that are added at a time, and so the copies of a singular value that one space can hold.
    pieces : RowPieces
        Products of tall matrices.
    rng : Generator
        Random vectors.
    watch : callable
        Called with the share of the work that is done.
    """

    rows: Rows
    columns: Rows
    block: int
    pieces: RowPieces
    rng: np.random.Generator
    watch: Watch


class KrylovSpace(GrowingBasis, ABC):
    """Orthonormal vectors to which blocks are added until the largest singular values have converged.

    Attributes
    ----------
    values, residuals, allowed : ndarray
        Singular values, norms of their residuals, and how large these may be; after `solve_core`.
    """

    check_every: int  # blocks between two computations of the residuals
    values: Array
    residuals: Array
    allowed: Array

    def __init__(self, problem: SvdProblem, capacity: int) -> None:
        super().__init__(problem.pieces.n_rows, problem.pieces, problem.rng)
        self.rows, self.columns, self.block = problem.rows, problem.columns, problem.block
        self.watch = problem.watch
        self.capacity = min(capacity, self.n_nodes)
        # Column-major, because products take the first columns.
        self.right = np.zeros((self.n_nodes, min(self.capacity + self.block, self.n_nodes)), order="F")
        self.core = np.zeros((self.capacity, self.capacity))
        self.tail = np.zeros((0, 0))
        self.last = slice(0, 0)
        self.size: int = 0

    @property
    def spans_everything(self) -> bool:
        """Whether there are no directions left."""
        return not self.width

    def grow_until_converged(self, n_values: int) -> bool:
        """Add blocks; return whether the `n_values` largest singular values converge before the space is full."""
        n_blocks, is_full = 0, False
        while not is_full:
            self.add_block()
            n_blocks += 1
            is_full = self.spans_everything or self.size + self.width > self.capacity
            if is_full or (self.size >= n_values and n_blocks % self.check_every == 0):
                self.solve_core()
                self.watch(FILLING + (1 - FILLING) * self.share_of_digits(n_values))
                if (self.residuals <= self.allowed)[:n_values].all():
                    return True
            elif self.size < n_values:
                self.watch(FILLING * self.size / n_values)
        return False

    def share_of_digits(self, n_values: int) -> float:
        """Return how many of the digits that are wanted are correct, of the largest values together."""
        with np.errstate(divide="ignore"):
            ratios = np.log10(self.residuals[:n_values] / np.maximum(self.allowed[:n_values], np.finfo(float).tiny))
        return float(1 - np.clip(ratios / -np.log10(TOLERANCE), 0, 1).mean())

    def begin(self, block: Array | None = None) -> None:
        """Take some vectors as the next block, by default random ones."""
        if block is None:
            block = self.random_vectors(min(self.block, self.n_nodes - self.size))
        self.width = len(self.append(self.right, self.size, block, expected=block[:0])[1])
        self.expected = block[:0, : self.width]

    @abstractmethod
    def add_block(self) -> None:
        """Extend the space by the image of the next block."""

    @abstractmethod
    def solve_core(self) -> None:
        """Compute singular values, the norms of their residuals, and what is allowed."""

    @abstractmethod
    def restart(self, keep: int, fresh: bool = False) -> None:
        """Keep the vectors of the `keep` largest values, and the next block or, if fresh, a random one."""

    @abstractmethod
    def triplets(self) -> Triplets:
        """Return singular vectors and values of the vectors that are kept; these may be overwritten."""

    def inaccuracy(self, triplets: Triplets) -> tuple[float, float]:
        """Measure triplets: the largest error of orthogonality, and of an entry of a residual."""
        left, values, right = triplets
        angles, residuals = 0.0, 0.0
        for matrix, vectors, images in ((self.rows, right, left), (self.columns, left, right)):
            overlap = self.pieces.overlap(vectors, vectors)
            angles = max(angles, float(np.abs(overlap - np.eye(len(values))).max()))
            for first in range(0, len(values), self.block):
                some = slice(first, first + self.block)
                error = self.pieces.product(matrix, vectors[:, some]) - images[:, some] * values[some]
                residuals = max(residuals, float(np.abs(error).max()) / values[0])
        return angles, residuals


class TwoSidedSpace(KrylovSpace):
    """Orthonormal `left` and `right` vectors between which the matrix A is a small `core` (Golub and Kahan).

    With j = `size`, always and to rounding: A right[:, :j] = left core, and A^T left = right[:, :j] core^T, to which
    the `last` block of left adds right[:, j:] tail. The next block is right[:, j:], and `expected` is what its image
    under A has in common with the last columns of left.
    """

    check_every = 4

    def __init__(self, problem: SvdProblem, capacity: int) -> None:
        super().__init__(problem, capacity)
        self.left = np.zeros((self.n_nodes, self.capacity), order="F")
        self.begin()

    def restart(self, keep: int, fresh: bool = False) -> None:
        """Keep the vectors of the `keep` largest values, and the next block or, if fresh, a random one."""
        next_block = self.right[:, self.size : self.size + self.width].copy()
        self.pieces.rotate(self.left, self.core_left[:, :keep])
        self.pieces.rotate(self.right, self.core_right[:, :keep])
        self.core[:] = 0.0
        np.fill_diagonal(self.core[:keep, :keep], self.values)
        self.size = keep
        if fresh:
            self.begin()
        else:
            self.right[:, keep : keep + self.width] = next_block
            self.expected = (self.tail @ self.core_left[self.last, :keep]).T

    def add_block(self) -> None:
        """Extend both bases by the image of the next block."""
        old, new = self.size, self.size + self.width
        image = self.pieces.product(self.rows, self.right[:, old:new])
        inside, outside = self.append(self.left, old, image, self.expected)
        self.core[:old, old:new], self.core[old:new, old:new] = inside, outside
        self.norm = max(self.norm, float(np.linalg.norm(self.core[:new, old:new], axis=0).max()))
        image = self.pieces.product(self.columns, self.left[:, old:new])
        _, self.tail = self.append(self.right, new, image, outside.T)
        self.expected = self.tail.T
        self.last, self.size, self.width = slice(old, new), new, len(self.tail)

    def solve_core(self) -> None:
        """Compute the singular values of the core and the norms of their residuals."""
        self.core_left, self.values, self.core_right = dense_svd(self.core[: self.size, : self.size])
        self.residuals = np.linalg.norm(self.tail @ self.core_left[self.last], axis=0)
        self.allowed = np.maximum(TOLERANCE * self.values, NOISE * self.values[0])

    def triplets(self) -> Triplets:
        """Return the vectors that are kept, with the diagonal of the core."""
        return self.left[:, : self.size], self.core.diagonal()[: self.size].copy(), self.right[:, : self.size]


def dense_svd(matrix: Array) -> Triplets:
    """Compute the singular value decomposition of a dense matrix."""
    from scipy.linalg import LinAlgError, svd

    try:
        left, values, right = svd(matrix, full_matrices=False)
    except LinAlgError:
        # LAPACK's divide and conquer fails on rare matrices with repeated singular values; its slower QR does not.
        left, values, right = svd(matrix, full_matrices=False, lapack_driver="gesvd")
    return left, values, right.T
