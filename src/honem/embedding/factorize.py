"""From a matrix to source and target vectors: truncated singular value decomposition (section 5 of the paper)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from honem._internal.option_names import option
from honem._internal.progress import Progress
from honem._internal.threads import count_threads
from honem._internal.validation import require_one_of, require_seed, require_whole
from honem._internal.words import amount
from honem.embedding.krylov import Triplets, dense_svd
from honem.embedding.lanczos import BLOCK, lanczos_triplets
from honem.embedding.matrices import Array
from honem.embedding.spectrum import Spectrum, SpectrumPowers
from honem.embedding.tall import EPSILON
from honem.embedding.tilt import Tilt, apply_tilt
from honem.errors import HonemWarning, ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

RANDOMIZED = {"randomized": {"n_oversamples": 64, "n_iter": 20}, "fast": {"n_oversamples": 32, "n_iter": 4}}
"""The approximate solvers, and their options of scikit-learn's `randomized_svd`."""
SOLVERS = ("auto", "dense", "lanczos", *RANDOMIZED)
DENSE_NODES = 1000  # up to here LAPACK takes at most half a second
DENSE_SHARE = 5  # with more than N / 5 components a Krylov space would be most of the whole space


@dataclass(frozen=True, eq=False)
class Factors:
    """Source and target vectors of a matrix.

    With p + q = 1 and no tilt, `source @ target.T` is the best approximation of the matrix by one of rank d. A larger
    power gives strong columns more weight. With a tilt, errors are weighted, see `factorize`; U, sigma and V are then
    those of the tilted matrix, and the weights are removed from U and V again.

    Attributes
    ----------
    source, target : ndarray of shape (n_nodes, n_components)
        U sigma^p and V sigma^q, strongest column first.
    singular_values : ndarray of shape (n_components,)
        sigma, largest first; none is 0.
    rank : int
        Number of columns, which is less than asked for if the rank of the matrix is less.
    solver : str
        The solver that ran, never "auto".
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
    solver: str = "auto",
    random_state: int | None = 0,
    n_jobs: int | None = None,
    start: Factors | None = None,
    progress: Progress | None = None,
) -> Factors:
    """Factorize a square sparse matrix by a truncated singular value decomposition, U diag(sigma) V^T.

    The sign of each column makes the entry of `source` with the largest absolute value positive. If more components
    are asked for than the rank of the matrix, there are as many columns as the rank, and a warning says so. The same
    matrix and seed give the same bits for any number of threads. Where singular values are repeated, their vectors are
    determined up to a rotation only.

    Parameters
    ----------
    matrix : sparse array or ndarray of shape (n_nodes, n_nodes)
        The matrix to factorize. It is not changed.
    n_components : int, default=128
        Largest number of columns of the factors, d.
    spectrum : float or pair of floats, default=0.5
        The power of sigma in both factors, or a pair: p in `source` and q in `target`. With p + q = 1 the product of
        the factors approximates the matrix. With p = 1 distances between rows of `source` are those between rows of the
        matrix, with busy columns weighted less by the tilt. A power of 0 whitens.
    tilt : float, default=0.0
        Between -0.5 and 0.5. Rows are multiplied by that power of their sums (of absolute values, divided by their
        mean), columns are divided by it, and both are undone in the factors, so that the product still approximates
        the same matrix. Above 0, errors count more in rows with large sums and less in columns with large sums: the
        dimensions are spent on distinguishing sources. Below 0, on distinguishing targets.
    solver : {"auto", "dense", "lanczos", "randomized", "fast"}, default="auto"
        "dense": LAPACK; memory N^2, time N^3. "lanczos": block Lanczos, with a Chebyshev filter where singular values
        are close together, repeated until no copy of a singular value is missing. "randomized": scikit-learn's
        randomized_svd with 20 power iterations and 64 extra vectors, which is approximate; convergence is not checked.
        "fast": the same with 4 power iterations and 32 extra vectors; singular values are a few per cent too small,
        most so where they decay slowly. "auto": "dense" up to 1,000 nodes and where d is more than N / 5, otherwise
        "lanczos".
    random_state : int or None, default=0
        Seed of the random vectors that "lanczos" and "randomized" start from; None for different ones each time.
    n_jobs : int or None, default=None
        Number of threads of "lanczos"; None or -1 for all cores.
    start : Factors or None, default=None
        Factors of a similar matrix with the same nodes, from which "lanczos" starts; other solvers do not use them. The
        result is the same up to the accuracy of the solver.
    progress : callable or None, default=None
        Called by "lanczos" with the name of the task, the number of values done, and of all values.

    Returns
    -------
    Factors

    Raises
    ------
    ParameterError
        For values out of range, and for a matrix that is not square, real and finite.

    Examples
    --------
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
    powers = SpectrumPowers.of(spectrum)
    weigh = Tilt(tilt)
    require_seed("random_state", random_state)
    n_threads = count_threads(n_jobs)
    scaled, exponent = scale_to_one(canonical_matrix(matrix))
    n_nodes = scaled.shape[0]
    if solver == "auto":
        solver = choose_solver(n_nodes, n_components)
    weights = weigh.weights(scaled)
    known = None if start is None else starting_vectors(start, n_nodes, weights[1])
    rng = np.random.default_rng(random_state)
    tilted, n_values = apply_tilt(scaled, weights), min(n_components, n_nodes)
    triplets = triplets_of(tilted, n_values, solver, rng, n_threads, known, progress)
    factors = signed_factors(triplets, weights, exponent, (powers.source, powers.target), solver)
    if factors.rank < n_components:
        warn_of_fewer_dimensions(factors.rank, n_components)
    return factors


def warn_of_fewer_dimensions(n_columns: int, n_components: int) -> None:
    """Warn that vectors have fewer dimensions than asked for, because the matrix has no more."""
    warnings.warn(
        f"{option('n_components', n_components)} is more than the rank of the matrix: the vectors have "
        f"{amount(n_columns, 'dimension')}",
        HonemWarning,
        stacklevel=3,
    )


def choose_solver(n_nodes: int, n_components: int) -> str:
    """Return the solver that "auto" means."""
    return "dense" if n_nodes <= DENSE_NODES or n_components * DENSE_SHARE > n_nodes else "lanczos"


def canonical_matrix(matrix: Any) -> Matrix:
    """Return a copy in canonical form, in which equal matrices have equal arrays; raise for unusable matrices."""
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
    """Divide the matrix by a power of 2, which is exact, so that squares of its entries neither overflow nor vanish."""
    exponent = int(np.frexp(np.abs(matrix.data).max(initial=0.0))[1])
    matrix.data = np.ldexp(matrix.data, -exponent)
    return matrix, exponent


def signed_factors(
    triplets: Triplets, weights: tuple[Array, Array], exponent: int, powers: tuple[float, float], solver: str
) -> Factors:
    """Return U sigma^p and V sigma^q with the tilt undone and signs fixed, without columns beyond the rank."""
    left, values, right = triplets
    n_nodes = len(left)
    rank = int(np.count_nonzero(values > EPSILON * max(n_nodes, BLOCK) * values.max(initial=0.0)))
    rank = min(max(rank, 1), n_nodes)  # vectors of a matrix of zeros have one dimension, which is 0
    singular_values = np.ldexp(values[:rank], exponent)
    rows, columns = weights
    source, target = (
        np.ascontiguousarray(vectors[:, :rank]) * singular_values**power * weight[:, np.newaxis]
        for vectors, power, weight in zip((left, right), powers, (1 / rows, columns), strict=True)
    )
    signs = column_signs(source)
    return Factors(source * signs, target * signs, singular_values, rank, solver)


def column_signs(vectors: Array) -> Array:
    """Return the sign by which the entry of each column with the largest absolute value becomes positive."""
    if not vectors.size:
        return np.ones(vectors.shape[1])
    strongest = np.abs(vectors).argmax(axis=0)
    signs: Array = np.copysign(1.0, vectors[strongest, np.arange(vectors.shape[1])])
    return signs


def starting_vectors(start: Factors, n_nodes: int, column_weights: Array) -> Array | None:
    """Return unit vectors along the right singular vectors of factors, with the weights of the tilt."""
    if len(start.target) != n_nodes:
        raise ParameterError(f"the factors to start from are of {len(start.target)} nodes, the matrix of {n_nodes}")
    vectors = start.target / column_weights[:, np.newaxis]
    lengths = np.linalg.norm(vectors, axis=0)
    unit: Array = vectors[:, lengths > 0] / lengths[lengths > 0]
    return unit if unit.shape[1] else None


def triplets_of(
    matrix: Matrix,
    n_values: int,
    solver: str,
    rng: np.random.Generator,
    n_threads: int,
    start: Array | None = None,
    progress: Progress | None = None,
) -> Triplets:
    """Return U, sigma and V, largest values first, computed by a solver."""
    from threadpoolctl import threadpool_limits

    n_nodes = matrix.shape[0]
    if matrix.nnz == 0:
        return np.zeros((n_nodes, n_values)), np.zeros(n_values), np.zeros((n_nodes, n_values))
    # BLAS adds in an order that depends on the number of threads, and where singular values are repeated the last bit
    # decides which vectors are found. So BLAS gets one thread, which makes "dense" 1.4 times as slow on two cores;
    # "lanczos" has its own threads, which do not change the result.
    with threadpool_limits(1):
        if solver == "dense":
            return dense_triplets(matrix, n_values)
        if solver == "lanczos":
            return lanczos_triplets(matrix, n_values, rng, n_threads, start, progress)
        return randomized_triplets(matrix, n_values, rng, **RANDOMIZED[solver])


def dense_triplets(matrix: Matrix, n_values: int) -> Triplets:
    """Compute the triplets with LAPACK."""
    left, values, right = dense_svd(matrix.toarray())
    return left[:, :n_values], values[:n_values], right[:, :n_values]


def randomized_triplets(
    matrix: Matrix, n_values: int, rng: np.random.Generator, n_oversamples: int, n_iter: int
) -> Triplets:
    """Compute approximate triplets with scikit-learn."""
    from sklearn.utils.extmath import randomized_svd

    seed = int(rng.integers(2**31))
    left, values, right = randomized_svd(
        matrix, n_values, n_oversamples=n_oversamples, n_iter=n_iter, random_state=seed
    )
    return left, values, right.T
