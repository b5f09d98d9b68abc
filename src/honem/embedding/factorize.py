"""A matrix -> source, target, singular values: the truncated singular value decomposition (section 5)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from honem._internal.threads import count_threads
from honem._internal.validation import require_one_of, require_whole
from honem.embedding.lanczos import BLOCK, EPSILON, Array, Triplets, dense_svd, lanczos_triplets
from honem.errors import HonemWarning, ParameterError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64, tuple[int, int]]

Spectrum = float | Sequence[float]
"""The power of the singular values in both factors, or that in `source` and that in `target`."""

SOLVERS = ("auto", "dense", "lanczos", "randomized")
DENSE_NODES = 1000  # up to here LAPACK takes half a second at most
DENSE_SHARE = 5  # for more than N / 5 components a Krylov space would be most of the whole space


@dataclass(frozen=True, eq=False)
class Factors:
    """`source @ target.T` is the best approximation of S by a matrix of rank d.

    That holds for p + q = 1. `source` = U sigma^p and `target` = V sigma^q are N x d, strongest column first; a larger
    power gives the strong columns more say. With a tilt, what is best is judged by weighted errors, see `factorize`,
    and U, sigma and V are those of the tilted matrix, with the weights taken out of U and V again. Columns from `rank`
    on are 0. `solver` is the one that ran, never "auto".
    """

    source: Array
    target: Array
    singular_values: Array
    rank: int
    solver: str


def factorize(
    matrix: Any,
    n_components: int = 128,
    *,
    spectrum: Spectrum = 0.5,
    tilt: float = 0.0,
    max_rank: int | None = None,
    solver: str = "auto",
    random_state: int | None = 0,
    n_jobs: int | None = None,
) -> Factors:
    """Factorise the square sparse matrix S ~ U diag(sigma) V^T, truncated to d = `n_components`.

    Each column's sign makes the entry of `source` with the largest absolute value positive. More components than the
    rank, or than `max_rank`, are no error: the surplus columns are 0, with a warning. The same matrix and seed give the
    same bits, whatever the number of threads. Where singular values are repeated any rotation of their vectors is
    right, and one is given.

    Parameters
    ----------
    spectrum : the power of sigma in both factors, or a pair, p in `source` and q in `target`. With p + q = 1 the
        product approximates the matrix; with p = 1 distances of `source` are those of its rows, busy
        columns weighed less by the tilt; 0 whitens.
    tilt : errors of the approximation count more in rows with large sums, and less in columns with large sums: rows are
        multiplied by that power of their sums (of absolute values, over the mean), columns divided by it, and both
        undone in the factors. What the product approximates stays the same. Above 0 the dimensions are spent on telling
        sources apart, where a column that everything leads to says little; below 0 on targets.
    max_rank : how many components are used at most; all that there are unless said.
    solver : "dense": LAPACK; N^2 memory, N^3 time.
        "lanczos": block Lanczos, repeated until no copy of a singular value is missing.
        "randomized": scikit-learn's randomized_svd, 20 power iterations and 64 extra vectors. Approximate: nothing
        checks that it has converged.
        "auto": "dense" up to 1,000 nodes and where d is more than N / 5, otherwise "lanczos".
    random_state : seed of the random vectors that "lanczos" and "randomized" begin with; None for another each time.
    n_jobs : threads of "lanczos"; all cores unless said.

    >>> from scipy.sparse import csr_array
    >>> factors = factorize(csr_array([[0.0, 4.0], [1.0, 0.0]]), 1)
    >>> factors.singular_values
    array([4.])
    >>> factors.source @ factors.target.T
    array([[0., 4.],
           [0., 0.]])
    """
    require_whole("n_components", n_components, least=1)
    require_one_of("solver", solver, SOLVERS)
    powers = spectrum_powers(spectrum)
    require_tilt(tilt)
    if max_rank is not None:
        require_whole("max_rank", max_rank, least=1)
    if random_state is not None:
        require_whole("random_state", random_state, least=0)
    n_threads = count_threads(n_jobs)
    scaled, exponent = scale_to_one(canonical_matrix(matrix))
    n_nodes = scaled.shape[0]
    most = n_nodes if max_rank is None else min(max_rank, n_nodes)
    if solver == "auto":
        solver = choose_solver(n_nodes, n_components)
    weights = tilt_weights(scaled, tilt)
    rng = np.random.default_rng(random_state)
    triplets = triplets_of(tilted(scaled, weights), min(n_components, most), solver, rng, n_threads)
    factors = signed_factors(triplets, weights, exponent, n_components, powers, solver)
    if factors.rank < n_components:
        limit = f"the rank {factors.rank} of the {n_nodes} x {n_nodes} matrix"
        if factors.rank == most < n_nodes:
            limit = f"the {most} dimensions that are used for {n_nodes} nodes"
        warnings.warn(
            f"n_components={n_components} is more than {limit}: the last {n_components - factors.rank} columns are 0",
            HonemWarning,
            stacklevel=2,
        )
    return factors


def spectrum_powers(spectrum: Spectrum) -> tuple[float, float]:
    """The powers of the singular values in source and target; refuses those that nobody means.

    >>> spectrum_powers(0.5), spectrum_powers([1.2, 0.1])
    ((0.5, 0.5), (1.2, 0.1))
    """
    powers = tuple(spectrum) if isinstance(spectrum, Sequence) else (spectrum, spectrum)
    if len(powers) != 2 or not all(isinstance(power, Real) and 0 <= power <= 2 for power in powers):
        raise ParameterError(f"spectrum must be one or two numbers from 0 to 2, not {spectrum!r}")
    return float(powers[0]), float(powers[1])


def require_tilt(tilt: float) -> None:
    """Refuses a tilt that nobody means; beyond a square root, rows that are nearly 0 would become noise."""
    if not (isinstance(tilt, Real) and -0.5 <= tilt <= 0.5):
        raise ParameterError(f"tilt must be a number from -0.5 to 0.5, not {tilt!r}")


def tilt_weights(matrix: Matrix, tilt: float) -> tuple[Array, Array]:
    """By what rows are multiplied and columns divided; rows and columns of 0 stay as they are.

    >>> from scipy.sparse import csr_array
    >>> rows, columns = tilt_weights(csr_array([[0.0, 4.0], [0.0, 4.0]]), 0.5)
    >>> rows.tolist(), columns.round(3).tolist()
    ([1.0, 1.0], [1.0, 1.414])
    """
    sizes = abs(matrix)
    rows, columns = (np.asarray(sizes.sum(axis=axis), dtype=np.float64).ravel() for axis in (1, 0))
    mean = rows.sum() / max(len(rows), 1) or 1.0
    return np.where(rows > 0, rows / mean, 1.0) ** tilt, np.where(columns > 0, columns / mean, 1.0) ** tilt


def tilted(matrix: Matrix, weights: tuple[Array, Array]) -> Matrix:
    """The matrix itself, with its rows multiplied and its columns divided by their weights."""
    rows, columns = weights
    matrix.data *= np.repeat(rows, np.diff(matrix.indptr)) / columns[matrix.indices]
    return matrix


def choose_solver(n_nodes: int, n_components: int) -> str:
    """What "auto" stands for."""
    return "dense" if n_nodes <= DENSE_NODES or n_components * DENSE_SHARE > n_nodes else "lanczos"


def canonical_matrix(matrix: Any) -> Matrix:
    """A copy in the one form in which equal matrices are equal arrays; refuses what has no decomposition."""
    from scipy.sparse import csr_array

    shape = np.shape(matrix)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ParameterError(f"the matrix to factorise must be square, not of shape {shape}")
    if np.dtype(matrix.dtype).kind not in "biuf":
        raise ParameterError(f"the matrix to factorise must hold real numbers, not {matrix.dtype}")
    canonical: Matrix = csr_array(matrix, dtype=np.float64, copy=True)
    canonical.sum_duplicates()
    canonical.eliminate_zeros()
    wrong = np.flatnonzero(~np.isfinite(canonical.data))
    if len(wrong):
        row = int(np.searchsorted(canonical.indptr, wrong[0], side="right")) - 1
        column, value = canonical.indices[wrong[0]], canonical.data[wrong[0]]
        raise ParameterError(f"the matrix to factorise must be finite, not {value} in row {row}, column {column}")
    return canonical


def scale_to_one(matrix: Matrix) -> tuple[Matrix, int]:
    """The matrix over a power of 2, which is exact, so that squares of its entries neither overflow nor vanish."""
    exponent = int(np.frexp(np.abs(matrix.data).max(initial=0.0))[1])
    matrix.data = np.ldexp(matrix.data, -exponent)
    return matrix, exponent


def signed_factors(
    triplets: Triplets,
    weights: tuple[Array, Array],
    exponent: int,
    n_components: int,
    powers: tuple[float, float],
    solver: str,
) -> Factors:
    """U sigma^p and V sigma^q, their tilt undone, with the signs that section 5 wants, and 0 beyond the rank."""
    left, values, right = triplets
    n_nodes = len(left)
    rank = int(np.count_nonzero(values > EPSILON * max(n_nodes, BLOCK) * values.max(initial=0.0)))
    singular_values = np.zeros(n_components)
    singular_values[:rank] = np.ldexp(values[:rank], exponent)
    source, target = np.zeros((n_nodes, n_components)), np.zeros((n_nodes, n_components))
    rows, columns = weights
    for factor, vectors, power, weight in zip(
        (source, target), (left, right), powers, (1 / rows, columns), strict=True
    ):
        np.multiply(vectors[:, :rank], singular_values[:rank] ** power, out=factor[:, :rank])
        factor *= weight[:, np.newaxis]
    if n_nodes:
        strongest = np.abs(source).argmax(axis=0)
        signs = np.copysign(1.0, source[strongest, np.arange(n_components)])
        source *= signs
        target *= signs
    return Factors(source, target, singular_values, rank, solver)


def triplets_of(matrix: Matrix, n_values: int, solver: str, rng: np.random.Generator, n_threads: int) -> Triplets:
    """U, sigma and V, the largest values first, by a solver."""
    from threadpoolctl import threadpool_limits

    n_nodes = matrix.shape[0]
    if matrix.nnz == 0:
        return np.zeros((n_nodes, n_values)), np.zeros(n_values), np.zeros((n_nodes, n_values))
    # With another number of threads BLAS adds in another order, and where singular values are repeated the last bit
    # decides which vectors come out. So BLAS gets one thread, which costs "dense" 1.4 times the time on two cores;
    # "lanczos" has threads of its own that change no bit.
    with threadpool_limits(1):
        if solver == "dense":
            return dense_triplets(matrix, n_values)
        if solver == "lanczos":
            return lanczos_triplets(matrix, n_values, rng, n_threads)
        return randomized_triplets(matrix, n_values, rng)


def dense_triplets(matrix: Matrix, n_values: int) -> Triplets:
    left, values, right = dense_svd(matrix.toarray())
    return left[:, :n_values], values[:n_values], right[:, :n_values]


def randomized_triplets(matrix: Matrix, n_values: int, rng: np.random.Generator) -> Triplets:
    from sklearn.utils.extmath import randomized_svd

    seed = int(rng.integers(2**31))
    left, values, right = randomized_svd(matrix, n_values, n_oversamples=64, n_iter=20, random_state=seed)
    return left, values, right.T
