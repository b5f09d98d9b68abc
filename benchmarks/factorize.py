"""Truncated SVD: error and time of every solver, on ordinary, repeated and large matrices.

    python benchmarks/factorize.py            # all, about a quarter of an hour
    python benchmarks/factorize.py --quick    # smaller matrices, to see that it runs
    python benchmarks/factorize.py --speed    # one matrix, time and passes, two to three minutes

Three solvers of honem against those of scipy and scikit-learn with their defaults. Each runs twice, with one thread of
BLAS and with one a core (which honem sets itself), and the better time counts. "and a look" adds what it takes to know
whether the answer is right: the largest singular value of S less its approximation. Errors:

* values: the largest relative error of the d largest singular values;
* matrix: by how much the distance of S to the matrix of rank d (Frobenius) is more than the least possible.

The truth is LAPACK's, of the dense matrix. For the large ones it is the default's, and what is printed below the
table must vouch for it: residuals and orthogonality measured afresh, a look at what is left of S when the approximation
is taken off it, and the values of other solvers.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray
from scipy.sparse import block_diag, csr_array, diags_array
from scipy.sparse.linalg import LinearOperator, svds
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from honem._internal.threads import available_cores
from honem.embedding.factorize import factorize
from honem.embedding.tall import RowPieces

Array = NDArray[np.float64]
Factors = tuple[Array, Array, Array]  # source, target, singular values
Solver = Callable[[csr_array, int], Factors]

DEFAULT = "honem, default"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small matrices and d = 32")
    parser.add_argument("--speed", action="store_true", help="one matrix of 100,000 nodes and 5 million entries only")
    args = parser.parse_args()
    if args.speed:
        print_machine()
        compare_speed(random_walk(100_000, 52, inequality=0.7), 128)
        return
    n_nodes, n_large, d = (1200, 10_000, 32) if args.quick else (4000, 200_000, 128)
    print_machine()
    factorize(random_walk(1100, 5), 8)  # imports what it needs
    factorize(random_walk(100, 5), 8, solver="randomized")
    head = "| matrix | solver | seconds | default = 1 | values off by | matrix off by |"
    print(f"d = {d}\n\n{head}\n|---|---|---|---|---|---|")
    compare(f"ordinary: random walk, {n_nodes:,} nodes", random_walk(n_nodes, 20), d)
    part = random_walk(n_nodes // 50, 8)
    compare(f"repeated: 50 equal parts of {n_nodes // 50} nodes", csr_array(block_diag([part] * 50)), d)
    compare(f"repeated: permutation of {n_nodes:,} nodes", permutation(n_nodes), d)
    compare(f"repeated: 9 of 10 transitions certain, {n_nodes:,} nodes", mostly_certain(n_nodes), d)
    large = random_walk(n_large, 21)
    found = compare(f"large: random walk, {n_large:,} nodes, {large.nnz:,} entries", large, d, has_dense=False)
    flat = random_walk(n_large // 4, 20, inequality=0)
    name = f"flat: random walk to nodes all alike, {n_large // 4:,} nodes, {flat.nnz:,} entries"
    found_flat = compare(name, flat, d, has_dense=False)
    vouch_for("Large", large, found)
    vouch_for("Flat", flat, found_flat)


def random_walk(n_nodes: int, out_degree: int, inequality: float = 1.0) -> csr_array:
    """Transition probabilities between nodes as unequal as those of real traffic.

    Where all nodes are alike, inequality 0, so are the singular values: the hardest case for any Krylov space.
    """
    rng = np.random.default_rng(0)
    popularity = np.arange(1, n_nodes + 1) ** -inequality
    columns = rng.choice(n_nodes, size=n_nodes * out_degree, p=popularity / popularity.sum())
    rows = np.repeat(np.arange(n_nodes), out_degree)
    counts = csr_array((rng.exponential(size=len(rows)), (rows, columns)), shape=(n_nodes, n_nodes))
    return csr_array(diags_array(1 / counts.sum(axis=1)) @ counts)


def permutation(n_nodes: int) -> csr_array:
    order = np.random.default_rng(0).permutation(n_nodes)
    return csr_array((np.ones(n_nodes), (np.arange(n_nodes), order)), shape=(n_nodes, n_nodes))


def mostly_certain(n_nodes: int) -> csr_array:
    rng = np.random.default_rng(0)
    goals = rng.integers(n_nodes, size=n_nodes)
    certain = csr_array((np.ones(n_nodes), (np.arange(n_nodes), goals)), shape=(n_nodes, n_nodes))
    is_certain = rng.random(n_nodes) < 0.9
    return csr_array(diags_array(is_certain * 1.0) @ certain + diags_array(~is_certain * 1.0) @ random_walk(n_nodes, 8))


def honem(**options: Any) -> Solver:
    def solve(matrix: csr_array, d: int) -> Factors:
        factors = factorize(matrix, d, **options)
        return factors.source, factors.target, factors.singular_values

    return solve


def scipy_svds(solver: Literal["arpack", "propack", "lobpcg"]) -> Solver:
    def solve(matrix: csr_array, d: int) -> Factors:
        found: Any = svds(matrix, k=d, solver=solver, rng=np.random.default_rng(0))
        left, values, right = found
        order = np.argsort(-values)
        return left[:, order] * values[order], right[order].T, values[order]

    return solve


def propack_and_a_look(matrix: csr_array, d: int) -> Factors:
    factors = scipy_svds("propack")(matrix, d)
    largest_left_over(matrix, factors)
    return factors


def largest_left_over(matrix: csr_array, factors: Factors) -> float:
    source, target, _ = factors
    left_over = LinearOperator(
        matrix.shape,
        matvec=lambda x: matrix @ x - source @ (target.T @ x),
        rmatvec=lambda x: matrix.T @ x - target @ (source.T @ x),
        dtype=np.float64,
    )
    value = svds(
        left_over, k=1, solver="propack", maxiter=1000, return_singular_vectors=False, rng=np.random.default_rng(1)
    )
    return float(value[0])


def scikit_learn(matrix: csr_array, d: int) -> Factors:
    left, values, right = randomized_svd(matrix, d, random_state=0)
    return left * values, right.T, values


SOLVERS: dict[str, Solver] = {
    DEFAULT: honem(),
    'honem, "dense"': honem(solver="dense"),
    'honem, "randomized"': honem(solver="randomized"),
    "scipy svds, arpack": scipy_svds("arpack"),
    "scipy svds, propack": scipy_svds("propack"),
    "scipy svds, propack, and a look": propack_and_a_look,
    "scikit-learn randomized_svd": scikit_learn,
}


def compare(name: str, matrix: csr_array, d: int, has_dense: bool = True) -> dict[str, Factors]:
    """Print a row a solver; the factors of those that gave any."""
    found: dict[str, Factors] = {}
    seconds, failures = {}, {}
    for solver, solve in SOLVERS.items():
        if solver == 'honem, "dense"' and not has_dense:
            continue
        seconds[solver] = np.inf
        for threads in (1, None):
            started = time.perf_counter()
            try:
                with threadpool_limits(threads):
                    found[solver] = solve(matrix, d)
            except Exception as error:  # whatever it is, it belongs into the table
                failures[solver] = f"{type(error).__name__}: {error}"
            seconds[solver] = min(seconds[solver], time.perf_counter() - started)
    truth = found['honem, "dense"' if has_dense else DEFAULT]
    least = distance(matrix, truth)
    for solver, spent in seconds.items():
        line = f"| {name} | {solver} | {spent:.2f} | {spent / seconds[DEFAULT]:.1f} |"
        if solver in failures:
            print(f"{line} {failures[solver]} | |", flush=True)
            continue
        values_off = np.max(np.abs(found[solver][2] - truth[2]) / truth[2])
        matrix_off = max(distance(matrix, found[solver]) / least - 1, 0)
        print(f"{line} {in_words(values_off)} | {in_words(matrix_off)} |", flush=True)
    return found


class Counted(LinearOperator):
    """A matrix that counts by how many vectors it was multiplied."""

    def __init__(self, matrix: csr_array) -> None:
        super().__init__(np.float64, matrix.shape)  # type: ignore[call-arg]
        self.matrix, self.transposed, self.n_vectors = matrix, csr_array(matrix.T), 0

    def _matmat(self, block: Array) -> Any:
        self.n_vectors += block.shape[1]
        return self.matrix @ block

    def _matvec(self, vector: Array) -> Any:
        self.n_vectors += 1
        return self.matrix @ vector

    def _rmatmat(self, block: Array) -> Any:
        self.n_vectors += block.shape[1]
        return self.transposed @ block

    def _rmatvec(self, vector: Array) -> Any:
        self.n_vectors += 1
        return self.transposed @ vector


def compare_speed(matrix: csr_array, d: int) -> None:
    """Print one row per solver: seconds, multiplied vectors and the largest relative error of the singular values."""
    counted: Any = Counted(matrix)
    product = RowPieces.product

    def counting(pieces: RowPieces, rows: Any, block: Array) -> Array:
        counted.n_vectors += block.shape[1]
        return product(pieces, rows, block)

    setattr(RowPieces, "product", counting)  # noqa: B010
    factorize(random_walk(1100, 5), 8)  # imports and compiles what it needs
    solvers: dict[str, Callable[[], Any]] = {
        DEFAULT: lambda: factorize(matrix, d).singular_values,
        'honem, "fast"': lambda: factorize(matrix, d, solver="fast").singular_values,
        "scipy svds, propack": lambda: scipy_svds("propack")(counted, d)[2],
        "scipy svds, arpack": lambda: scipy_svds("arpack")(counted, d)[2],
        "scikit-learn randomized_svd": lambda: scikit_learn(matrix, d)[2],
        "scipy svds, lobpcg, 20 iterations": lambda: svds(
            counted, k=d, solver="lobpcg", maxiter=20, rng=np.random.default_rng(0), return_singular_vectors=False
        ),
    }
    try:
        primme: Any = import_module("primme")
        solvers["PRIMME"] = lambda: primme.svds(counted, d, tol=1e-9)[1]
    except ImportError:
        print("PRIMME is not installed and left out.\n")
    print(f"d = {d}, {matrix.shape[0]:,} nodes, {matrix.nnz:,} entries\n")
    print("| solver | seconds | default = 1 | vectors multiplied | values off by |\n|---|---|---|---|---|")
    truth, first = np.empty(0), 0.0
    for name, solve in solvers.items():
        counted.n_vectors = 0
        started = time.perf_counter()
        values = np.sort(solve())[::-1]
        seconds = time.perf_counter() - started
        if name == DEFAULT:
            truth, first = values, seconds
        off = np.max(np.abs(values / truth - 1))
        passes = f"{counted.n_vectors:,}" if counted.n_vectors else "not counted"
        print(f"| {name} | {seconds:.2f} | {seconds / first:.1f} | {passes} | {in_words(off)} |", flush=True)


def in_words(error: float) -> str:
    return "< 1e-8" if error < 1e-8 else f"{error:.0e}" if error < 1e-3 else f"{error:.1%}"


def distance(matrix: csr_array, factors: Factors) -> float:
    """Frobenius norm of S - source target^T, without ever making it."""
    source, target, _ = factors
    entries = matrix.tocoo()
    shared = 0.0
    for rows in np.array_split(np.arange(entries.nnz), max(entries.nnz // 500_000, 1)):
        pairs = np.einsum("ij,ij->i", source[entries.row[rows]], target[entries.col[rows]])
        shared += float(entries.data[rows] @ pairs)
    square = float(entries.data @ entries.data) - 2 * shared + float(((source.T @ source) * (target.T @ target)).sum())
    return float(np.sqrt(max(square, 0.0)))


def vouch_for(name: str, matrix: csr_array, found: dict[str, Factors]) -> None:
    """What makes the default's answer the truth where there is no dense one."""
    source, target, values = found[DEFAULT]
    left, right = source / np.sqrt(values), target / np.sqrt(values)
    residual = max(
        np.linalg.norm(matrix @ right - left * values, axis=0).max(),
        np.linalg.norm(matrix.T @ left - right * values, axis=0).max(),
    )
    angle = max(np.abs(vectors.T @ vectors - np.eye(len(values))).max() for vectors in (left, right))
    next_value = largest_left_over(matrix, found[DEFAULT])
    print(f"\n{name} matrix, {DEFAULT}: largest residual {residual:.1e}, vectors orthonormal to {angle:.1e}. ", end="")
    print(f"Smallest value kept {values[-1]:.6f}, largest value left over {next_value:.6f}. ", end="")
    print("Values of others, largest difference: ", end="")
    others = {name: np.max(np.abs(factors[2] / values - 1)) for name, factors in found.items() if name != DEFAULT}
    print(", ".join(f"{name} {off:.0e}" for name, off in others.items()) + ".")


def print_machine() -> None:
    command = " ".join(["python", "benchmarks/factorize.py", *sys.argv[1:]])
    print(
        f"`{command}`, Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, ", end=""
    )
    print(f"scikit-learn {sklearn.__version__}, {available_cores()} cores, {platform.machine()}\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
