"""Tall dense matrices: products on threads that do not change the result, and growing orthonormal bases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem.embedding.matrices import Array
from honem.errors import HonemError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

EPSILON = float(np.finfo(np.float64).eps)
NOISE = 64 * EPSILON  # anything smaller than this share of the largest singular value is rounding
MAX_ROUNDS = 20
ROWS_A_PIECE = 8192


class Rows(NamedTuple):
    """A sparse matrix by rows, in the types that `multiply_block` is compiled for."""

    pointers: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: Array

    @classmethod
    def of(cls, matrix: Matrix) -> Rows:
        """Return the arrays of a matrix."""
        return cls(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)


class RowPieces:
    """Products of tall matrices, computed in pieces of some thousand rows.

    Threads share the pieces, and sums over pieces are added in a fixed order, so that the number of threads does not
    change the result.
    """

    def __init__(self, n_rows: int, run: Callable[..., Iterable[Any]]) -> None:
        self.n_rows, self.run = n_rows, run
        self.slices = [slice(first, first + ROWS_A_PIECE) for first in range(0, n_rows, ROWS_A_PIECE)]

    def each(self, work: Callable[[slice], Any]) -> list[Any]:
        """Return the results of a function of all pieces."""
        return list(self.run(work, self.slices))

    def total(self, work: Callable[[slice], Array]) -> Array:
        """Return the sum of the results."""
        total: Array = sum(self.each(work))
        return total

    def product(self, matrix: Rows, block: Array) -> Array:
        """Multiply a sparse matrix with a block; every row of the result is computed by one thread."""
        from honem.embedding.sparse_rows import multiply_block  # loads Numba

        block, result = np.ascontiguousarray(block), np.empty((self.n_rows, block.shape[1]))
        self.each(lambda rows: multiply_block(*matrix, block, result, rows.start, min(rows.stop, self.n_rows)))
        return result

    def overlap(self, basis: Array, block: Array) -> Array:
        """Compute basis^T block."""
        return self.total(lambda rows: basis[rows].T @ block[rows])

    def subtract(self, block: Array, basis: Array, overlap: Array) -> Array:
        """Subtract basis overlap from the block, in place, and return the new Gram matrix of the block."""

        def take(rows: slice) -> Array:
            block[rows] -= basis[rows] @ overlap
            return block[rows].T @ block[rows]

        return self.total(take)

    def rotate(self, tall: Array, small: Array) -> Array:
        """Multiply the first columns of the tall matrix with the small one, in place."""
        n_before, n_after = small.shape

        def multiply(rows: slice) -> None:
            tall[rows, :n_after] = tall[rows, :n_before] @ small

        self.each(multiply)
        return tall[:, :n_after]


@contextmanager
def row_pieces(n_rows: int, n_threads: int) -> Iterator[RowPieces]:
    """Provide RowPieces that run on so many threads."""
    from threadpoolctl import threadpool_limits

    if n_threads == 1 or n_rows <= ROWS_A_PIECE:
        yield RowPieces(n_rows, map)
        return
    # Some builds of BLAS hold their number of threads per thread, so each of ours sets it.
    with ThreadPoolExecutor(n_threads, initializer=threadpool_limits, initargs=(1,)) as pool:
        yield RowPieces(n_rows, pool.map)


class GrowingBasis:
    """What is needed to add blocks to orthonormal vectors of the nodes."""

    def __init__(self, n_nodes: int, pieces: RowPieces, rng: np.random.Generator) -> None:
        self.n_nodes, self.pieces, self.rng = n_nodes, pieces, rng
        self.norm = 0.0

    def append(self, vectors: Array, size: int, block: Array, expected: Array) -> tuple[Array, Array]:
        """Return H, R with block = vectors[:, :size] H + Q R; the orthonormal Q becomes the next columns of vectors.

        `expected` are the last rows of H according to the recurrence. The other rows are rounding, but would grow. So
        the expected part is subtracted first; then, in rounds, the block is projected and scaled by its Gram matrix
        (SVQB of Stathopoulos and Wu, for few columns much faster than QR), until a round changes little. Q has as many
        columns as the block, or as there are dimensions left; columns that are only rounding are replaced by random
        ones.
        """
        basis, near = vectors[:, :size], slice(size - len(expected), size)
        inside, outside = np.zeros((size, block.shape[1])), np.eye(block.shape[1])
        inside[near] = expected
        self.pieces.subtract(block, vectors[:, near], expected)
        noise = 0.0
        for _ in range(MAX_ROUNDS):
            overlap = self.pieces.overlap(basis, block)
            gram = self.pieces.subtract(block, basis, overlap)
            inside += overlap @ outside
            removed, length = np.linalg.norm(overlap), np.sqrt(gram.trace())
            noise = noise or NOISE * max(self.norm, removed, length)
            lengths, axes = leading_axes(gram, noise)
            outside = (axes * lengths).T @ outside
            is_real = np.linalg.norm(outside, axis=1) > noise
            block, outside = self.pieces.rotate(block, (axes / lengths)[:, is_real]), outside[is_real]
            if (lengths[is_real] >= max(2 * removed, length / 64)).all():
                break
        else:
            raise HonemError(f"solver 'lanczos' found no new direction after {size} vectors; try solver='dense'")
        room = min(inside.shape[1], self.n_nodes - size)
        found = min(len(outside), room)
        vectors[:, size : size + found] = block[:, :found]
        if found < room:
            self.append(vectors, size + found, self.random_vectors(room - found), expected[:0, : room - found])
        return inside, np.vstack([outside[:found], np.zeros((room - found, inside.shape[1]))])

    def random_vectors(self, n_vectors: int) -> Array:
        """Return random vectors of length near 1."""
        return self.rng.normal(scale=self.n_nodes**-0.5, size=(self.n_nodes, n_vectors))


def leading_axes(gram: Array, noise: float) -> tuple[Array, Array]:
    """Return lengths and directions of the axes, longest first, of a block with this Gram matrix."""
    squares, axes = np.linalg.eigh(gram)
    # Squaring hides what is shorter than sqrt(epsilon) of the longest; the next round sees it.
    least = max(4 * EPSILON * squares[-1], (noise / 2) ** 2)
    return np.sqrt(np.maximum(squares[::-1], least)), axes[:, ::-1]
