"""Block Lanczos: the largest singular values and vectors of a sparse matrix, repeated values included."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from honem.embedding.matrices import Array
from honem.errors import HonemError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

Triplets = tuple[Array, Array, Array]  # left vectors N x k, singular values, right vectors N x k

EPSILON = float(np.finfo(np.float64).eps)
BLOCK = 16  # columns per step, and so the copies of a singular value that one Krylov space can hold
TOLERANCE = 1e-9  # of a residual, relative to its singular value; the error of the value goes with its square
NOISE = 64 * EPSILON  # anything smaller than this share of the largest singular value is rounding
EQUAL = 1e-6  # singular values closer than this may be copies of one
GAIN = 1e-8  # a search that increases no singular value by this share has found nothing
SOUND = 1e-7  # tolerance of residuals and orthogonality in the final check, where they are measured
CHECK_EVERY = 4  # blocks between two computations of the residuals
MAX_RESTARTS = 2000
MAX_ROUNDS = 20
ROWS_A_PIECE = 8192


def lanczos_triplets(matrix: Matrix, n_values: int, rng: np.random.Generator, n_threads: int) -> Triplets:
    """Run block Lanczos with thick restarts, then search for copies of singular values that it may have missed.

    With a single starting vector, as in scipy's `svds`, Lanczos' method finds one copy of each singular value; others
    are missed silently, or found by rounding. A Krylov space that starts with b random vectors holds b copies. If b of
    the values found are equal there may be more, so the search starts again with b random vectors orthogonal to all
    that was found, until it gains nothing. If no b values are equal, no copy can be missing.
    """
    spare = max(12 * BLOCK, n_values // 2)
    with row_pieces(matrix.shape[0], n_threads) as pieces:
        space = KrylovSpace(matrix, n_values + spare, pieces, rng)
        kept = None
        for _ in range(MAX_RESTARTS):
            # A search has ended when the largest remaining value is known too; it follows those that are kept.
            if not space.grow_until_converged(n_values + (kept is not None)):
                space.restart(n_values + spare // 3)
                continue
            found = space.values[:n_values]
            is_sure = space.spans_everything or not (may_hide_copies(found) if kept is None else is_gain(found, kept))
            space.restart(n_values, fresh=not is_sure)
            if is_sure:
                space.require_sound()
                return space.left[:, :n_values], found, space.right[:, :n_values]
            kept = found
    raise HonemError(
        f"solver 'lanczos' did not find {n_values} singular values of the {matrix.shape[0]} x {matrix.shape[0]} matrix "
        f"in {MAX_RESTARTS} restarts; try fewer components, or solver='dense'"
    )


def may_hide_copies(values: Array) -> bool:
    """Return whether some b of the values, largest first, are equal."""
    first, last = values[: max(len(values) - BLOCK + 1, 0)], values[BLOCK - 1 :]
    return bool((last >= first * (1 - EQUAL)).any())


def is_gain(found: Array, kept: Array) -> bool:
    """Return whether some singular value has become larger by more than rounding."""
    return bool((found > kept * (1 + GAIN) + kept[0] * NOISE).any())


class KrylovSpace:
    """Orthonormal `left` and `right` vectors between which the matrix A is a small `core` (Golub and Kahan).

    With j = `size`, always and to rounding: A right[:, :j] = left core, and A^T left = right[:, :j] core^T, to which
    the `last` block of left adds right[:, j:] tail. The next block is right[:, j:], and `expected` is what its image
    under A has in common with the last columns of left.
    """

    def __init__(self, matrix: Matrix, capacity: int, pieces: RowPieces, rng: np.random.Generator) -> None:
        self.n_nodes = matrix.shape[0]
        self.pieces, self.rng = pieces, rng
        self.rows, self.columns = pieces.split(matrix), pieces.split(matrix.T.tocsr())
        self.capacity = min(capacity, self.n_nodes)
        # Column-major, because products take the first columns.
        self.left = np.zeros((self.n_nodes, self.capacity), order="F")
        self.right = np.zeros((self.n_nodes, min(self.capacity + BLOCK, self.n_nodes)), order="F")
        self.core = np.zeros((self.capacity, self.capacity))
        self.tail = np.zeros((0, 0))
        self.last = slice(0, 0)
        self.norm = 0.0
        self.size: int = 0
        self.begin()

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
            if is_full or (self.size >= n_values and n_blocks % CHECK_EVERY == 0):
                self.solve_core()
                allowed = np.maximum(TOLERANCE * self.values, NOISE * self.values[0])
                if (self.residuals <= allowed)[:n_values].all():
                    return True
        return False

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

    def begin(self) -> None:
        """Take random vectors as the next block."""
        block = self.random_vectors(min(BLOCK, self.n_nodes - self.size))
        self.width = len(self.append(self.right, self.size, block, expected=block[:0])[1])
        self.expected = block[:0, : self.width]

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

    def require_sound(self) -> None:
        """Measure orthogonality and residuals of the vectors that are kept; raise HonemError if they are inaccurate."""
        values = self.core.diagonal()[: self.size]
        left, right = self.left[:, : self.size], self.right[:, : self.size]
        for parts, vectors, images in ((self.rows, right, left), (self.columns, left, right)):
            angles = np.abs(self.pieces.overlap(vectors, vectors) - np.eye(self.size)).max()
            residuals = np.abs(self.pieces.product(parts, vectors) - images * values).max() / values[0]
            if not max(angles, residuals) <= SOUND:
                raise HonemError(
                    f"solver 'lanczos' lost its accuracy (orthogonality {angles:.1e}, residual {residuals:.1e}); "
                    "try solver='dense'"
                )


def leading_axes(gram: Array, noise: float) -> tuple[Array, Array]:
    """Return lengths and directions of the axes, longest first, of a block with this Gram matrix."""
    squares, axes = np.linalg.eigh(gram)
    # Squaring hides what is shorter than sqrt(epsilon) of the longest; the next round sees it.
    least = max(4 * EPSILON * squares[-1], (noise / 2) ** 2)
    return np.sqrt(np.maximum(squares[::-1], least)), axes[:, ::-1]


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

    def split(self, matrix: Matrix) -> list[Matrix]:
        """Return the rows of a matrix, piece by piece."""
        return [matrix[rows] for rows in self.slices]

    def product(self, parts: list[Matrix], block: Array) -> Array:
        """Multiply the matrix that has these parts with a block."""
        block, result = np.ascontiguousarray(block), np.empty((self.n_rows, block.shape[1]))

        def multiply(rows: slice) -> None:
            result[rows] = parts[rows.start // ROWS_A_PIECE] @ block

        self.each(multiply)
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


def dense_svd(matrix: Array) -> Triplets:
    """Compute the singular value decomposition of a dense matrix."""
    from scipy.linalg import LinAlgError, svd

    try:
        left, values, right = svd(matrix, full_matrices=False)
    except LinAlgError:
        # LAPACK's divide and conquer fails on rare matrices with repeated singular values; its slower QR does not.
        left, values, right = svd(matrix, full_matrices=False, lapack_driver="gesvd")
    return left, values, right.T
