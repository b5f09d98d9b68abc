"""The truncated SVD is right on every matrix, whatever the solver, the seed and the number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.sparse import block_diag, coo_array, csc_array, csr_array, csr_matrix, eye_array, random_array
from threadpoolctl import threadpool_limits

from honem import HonemError, HonemWarning, ParameterError
from honem.embedding import gram_space, krylov, tall
from honem.embedding import lanczos as module
from honem.embedding.chebyshev import ChebyshevFilter
from honem.embedding.factorizations import TruncatedSvd
from honem.embedding.factorize import SOLVERS, Factors, choose_solver, factorize, signed_factors
from tests.comparing import assert_same_matrix

EXACT = ("auto", "dense", "lanczos")


@pytest.fixture(scope="module", autouse=True)
def one_blas_thread() -> Iterator[None]:
    """For the references: on small matrices threads of BLAS wait for each other most of the time."""
    with threadpool_limits(1):
        yield


def random_walk(n_nodes: int, degree: int, seed: int = 0) -> csr_array:
    """A sparse matrix like S: rows of a few probabilities."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n_nodes), degree)
    weights = rng.random(len(rows)) ** 3
    matrix = coo_array((weights, (rows, rng.integers(n_nodes, size=len(rows)))), shape=(n_nodes, n_nodes)).tocsr()
    return csr_array(matrix / matrix.sum(axis=1)[:, None])


def permutation(n_nodes: int, seed: int = 0) -> csr_array:
    order = np.random.default_rng(seed).permutation(n_nodes)
    return csr_array((np.ones(n_nodes), (np.arange(n_nodes), order)), shape=(n_nodes, n_nodes))


def mostly_certain(n_nodes: int, seed: int = 0) -> csr_array:
    """Nine nodes of ten lead to one other for certain: many values of 1, sqrt(2), sqrt(3)."""
    rng = np.random.default_rng(seed)
    sure = csr_array((np.ones(n_nodes), (np.arange(n_nodes), rng.integers(n_nodes, size=n_nodes))), (n_nodes, n_nodes))
    keep = rng.random(n_nodes) < 0.9
    return csr_array(sure * keep[:, None] + random_walk(n_nodes, 5, seed) * ~keep[:, None])


MATRICES = {
    "random walk": random_walk(450, 8),
    "permutation": permutation(400),
    "identity": csr_array(eye_array(300)),
    "50 equal parts": csr_array(block_diag([random_walk(9, 3)] * 50)),
    "parts with certain transitions": csr_array(block_diag([permutation(7), random_walk(15, 3)] * 20)),
    "mostly certain": mostly_certain(450),
    "wide range": csr_array(random_walk(400, 6) * np.logspace(0, -9, 400)[:, None]),
    "low rank": csr_array(random_array((400, 40), density=0.1, rng=1) @ random_array((40, 400), density=0.1, rng=2)),
    "signed": csr_array(random_array((400, 400), density=0.02, rng=3) - random_array((400, 400), density=0.02, rng=4)),
}


def padded(values: np.ndarray, amount: int) -> np.ndarray:
    """The first values, with a 0 for each that there is not."""
    return np.append(values, np.zeros(amount))[:amount]


def assert_right(factors: Factors, matrix: csr_array, d: int, off: float = 1e-6) -> None:
    """The top values, and an approximation as good as the best there is."""
    dense = matrix.toarray()
    values = np.linalg.svd(dense, compute_uv=False)
    np.testing.assert_allclose(
        factors.singular_values, padded(values, len(factors.singular_values)), rtol=off, atol=1e-9 * values[0]
    )
    assert (values[len(factors.singular_values) : d] <= 1e-9 * values[0]).all()
    best = np.sqrt((values[d:] ** 2).sum())
    error = np.linalg.norm(dense - factors.source @ factors.target.T)
    assert error <= best * (1 + off) + 1e-7 * values[0]
    strongest = np.abs(factors.source).argmax(axis=0)
    assert (factors.source[strongest, np.arange(factors.rank)] >= 0).all()
    lengths = np.linalg.norm(factors.source, axis=0) ** 2
    np.testing.assert_allclose(lengths, factors.singular_values, rtol=1e-6, atol=1e-9 * values[0])


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("d", [1, 20, 128])
@pytest.mark.filterwarnings("ignore::honem.errors.HonemWarning")
def test_lanczos_is_right_also_where_singular_values_are_repeated(name: str, d: int) -> None:
    assert_right(factorize(MATRICES[name], d, solver="lanczos"), MATRICES[name], d)


small_matrices = st.integers(1, 9).flatmap(
    lambda n: arrays(np.float64, (n, n), elements=st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.0, -2.0, 1 / 3, 1e-8, 1e6]))
)


@given(matrix=small_matrices, d=st.integers(1, 12), solver=st.sampled_from(EXACT))
def test_small_matrices_of_every_kind(matrix: np.ndarray, d: int, solver: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonemWarning)
        factors = factorize(csr_array(matrix), d, solver=solver)
    values = np.linalg.svd(matrix, compute_uv=False)
    tiny = 1e-9 * max(values[0], 1e-300)
    np.testing.assert_allclose(factors.singular_values, padded(values, factors.rank), rtol=1e-6, atol=tiny)
    assert (values[factors.rank : d] <= tiny).all()
    if d >= len(matrix):
        np.testing.assert_allclose(factors.source @ factors.target.T, matrix, atol=1e-8 * max(values[0], 1e-300))


@pytest.mark.parametrize(("solver", "error"), [("randomized", 1e-2), ("fast", 0.1)])
def test_randomized_is_close_on_ordinary_matrices(solver: str, error: float) -> None:
    matrix = MATRICES["random walk"]
    exact, near = factorize(matrix, 32), factorize(matrix, 32, solver=solver)
    np.testing.assert_allclose(near.singular_values, exact.singular_values, rtol=error)
    assert near.solver == solver


def test_drafts_are_fast_where_the_exact_solver_is_slow() -> None:
    draft = TruncatedSvd(0.5).quicker()
    assert draft.factorize(random_walk(1100, 4), 8).solver == "fast"
    assert draft.factorize(random_walk(50, 3), 8).solver == "dense"


def test_the_default_is_dense_for_small_and_lanczos_for_large_matrices() -> None:
    assert choose_solver(1000, 128) == "dense"
    assert choose_solver(1001, 128) == "lanczos"
    assert choose_solver(2000, 500) == "dense"
    assert factorize(random_walk(1100, 4), 8).solver == "lanczos"
    assert factorize(random_walk(50, 3), 8).solver == "dense"


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize(
    ("matrix", "rank"),
    [
        (np.zeros((4, 4)), 1),
        (np.zeros((1, 1)), 1),
        (np.ones((1, 1)), 1),
        (np.array([[0.0, 1], [0, 0]]), 1),
        (np.zeros((0, 0)), 0),
    ],
    ids=["all zero", "one node, zero", "one node", "two nodes", "no node"],
)
def test_there_are_no_more_columns_than_the_rank_but_a_warning(solver: str, matrix: np.ndarray, rank: int) -> None:
    with pytest.warns(HonemWarning, match=f"n_components=3 is more than the rank .* {rank} dimension"):
        factors = factorize(csr_array(matrix), 3, solver=solver)
    assert factors.rank == len(factors.singular_values) == rank
    assert factors.source.shape == factors.target.shape == (len(matrix), rank)
    np.testing.assert_allclose(factors.source @ factors.target.T, matrix, atol=1e-12)


@pytest.mark.parametrize("name", ["random walk", "50 equal parts", "permutation"])
def test_the_same_seed_gives_the_same_bits(name: str) -> None:
    one, other = (factorize(MATRICES[name], 40, random_state=3) for _ in range(2))
    assert one.source.tobytes() == other.source.tobytes()
    assert one.target.tobytes() == other.target.tobytes()
    another = factorize(MATRICES[name], 40, random_state=4)
    np.testing.assert_allclose(another.singular_values, one.singular_values, rtol=1e-9)


PRINT_VECTORS = """
import sys
import numpy as np
from tests.embedding.test_factorize import MATRICES, random_walk
from honem.embedding.factorize import factorize
for matrix in (MATRICES["50 equal parts"], MATRICES["mostly certain"], random_walk(600, 5), random_walk(20_000, 3)):
    factors = factorize(matrix, 24)
    sys.stdout.buffer.write(factors.source.tobytes() + factors.target.tobytes())
"""


def test_the_number_of_threads_changes_nothing() -> None:
    """Of BLAS and of ours; also where singular values are repeated and any rotation of their vectors would do."""
    outputs = []
    for cores, threads in (({0}, "1"), (os.sched_getaffinity(0), "2"), (os.sched_getaffinity(0), "8")):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", PRINT_VECTORS],
            env=environment,
            capture_output=True,
            check=True,
            preexec_fn=partial(os.sched_setaffinity, 0, cores),
        )
        outputs.append(np.frombuffer(done.stdout))
    for other in outputs[1:]:
        np.testing.assert_allclose(other, outputs[0], rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("matrix", "options", "words"),
    [
        (np.ones((2, 3)), {}, "square"),
        (np.ones(3), {}, "square"),
        (np.array([[0.0, np.nan], [0, 0]]), {}, "nan in row 0, column 1"),
        (np.array([[0.0, 1], [np.inf, 0]]), {}, "inf in row 1, column 0"),
        (np.array([[1j]]), {}, "real numbers"),
        (np.eye(3), {"n_components": 0}, "n_components"),
        (np.eye(3), {"n_components": 2.0}, "n_components"),
        (np.eye(3), {"n_components": True}, "n_components"),
        (np.eye(3), {"solver": "arpack"}, "'auto', 'dense', 'lanczos', 'randomized'"),
        (np.eye(3), {"tilt": 1.5}, "tilt must be a number from -0.5 to 0.5, not 1.5"),
        (np.eye(3), {"tilt": float("nan")}, "tilt"),
        (np.eye(3), {"random_state": -1}, "random_state"),
        (np.eye(3), {"n_jobs": 0}, "n_jobs"),
    ],
)
def test_what_has_no_svd_is_refused(matrix: np.ndarray, options: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        factorize(matrix, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("factor", [1e-200, 1e-30, 1e150])
def test_the_scale_of_a_matrix_does_not_matter(factor: float) -> None:
    matrix = random_walk(1100, 5)
    one, other = factorize(matrix, 10, solver="lanczos"), factorize(csr_array(matrix * factor), 10, solver="lanczos")
    np.testing.assert_allclose(other.singular_values / factor, one.singular_values, rtol=1e-9)


def powers_of_sums(matrix: NDArray[np.float64], tilt: float, axis: int) -> NDArray[np.float64]:
    """The weights of rows (axis 1) or columns (axis 0), one by one."""
    sums = np.abs(matrix).sum(axis=axis).tolist()
    return np.array([(one / (sum(sums) / len(sums))) ** tilt if one else 1.0 for one in sums])


@given(small_matrices, st.integers(1, 9), st.floats(-0.5, 0.5), st.sampled_from(SOLVERS))
def test_a_tilt_is_a_best_approximation_by_weighted_errors(
    matrix: np.ndarray, d: int, tilt: float, solver: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonemWarning)
        factors = factorize(csr_array(matrix), d, tilt=tilt, solver=solver)
    rows, columns = powers_of_sums(matrix, tilt, 1)[:, None], powers_of_sums(matrix, tilt, 0)
    values = np.linalg.svd(rows * matrix / columns, compute_uv=False)
    np.testing.assert_allclose(factors.singular_values, padded(values, factors.rank), atol=1e-9 * max(values[0], 1e-9))
    left = rows * (matrix - factors.source @ factors.target.T) / columns
    assert np.linalg.norm(left) <= np.sqrt((values[d:] ** 2).sum()) + 1e-9 * values[0]
    strongest = np.abs(factors.source).argmax(axis=0)
    assert (factors.source[strongest, np.arange(factors.rank)] >= 0).all()


@pytest.mark.parametrize("name", ["random walk", "signed"])
def test_the_other_tilt_of_the_transpose_exchanges_source_and_target(name: str) -> None:
    matrix = MATRICES[name]
    one = factorize(matrix, 20, spectrum=(1, 0.4), tilt=0.3)
    other = factorize(csr_array(matrix.T), 20, spectrum=(0.4, 1), tilt=-0.3)
    np.testing.assert_allclose(np.abs(one.source), np.abs(other.target), atol=1e-9)
    np.testing.assert_allclose(one.source @ one.target.T, other.target @ other.source.T, atol=1e-9)


@pytest.mark.parametrize("tilt", [-0.5, 1 / 16])
def test_a_tilt_knows_no_scale(tilt: float) -> None:
    matrix = MATRICES["random walk"]
    one, other = (factorize(csr_array(matrix * factor), 10, tilt=tilt) for factor in (1.0, 9.0))
    np.testing.assert_allclose(other.source, 3 * one.source, atol=1e-9)
    np.testing.assert_allclose(other.target, 3 * one.target, atol=1e-9)


def of_spectrum(values: NDArray[np.float64]) -> csr_array:
    """A matrix with these singular values."""
    (left, right), _ = np.linalg.qr(np.random.default_rng(0).standard_normal((2, len(values), len(values))))
    return csr_array((left * values) @ right.T)


def assert_orthogonal(factors: Factors) -> None:
    expected = np.diag(factors.singular_values)
    for vectors in (factors.source, factors.target):
        np.testing.assert_allclose(vectors.T @ vectors, expected, rtol=0, atol=1e-9 * expected.max())


# As many copies as fit into a block (16), one more, many more, more than d in all, and values that are nearly copies.
SPECTRA = {
    "16 copies": (np.repeat([3.0, 2.0, 1.0], [16, 16, 100]), 32),
    "17 copies": (np.repeat([3.0, 2.0, 1.0], [17, 17, 100]), 34),
    "17 copies, cut": (np.repeat([3.0, 2.0, 1.0], [17, 17, 100]), 20),
    "60 copies": (np.repeat([3.0, 2.0, 1.0], [60, 60, 60]), 125),
    "more copies than components": (np.repeat([3.0, 2.0, 1.0], [5, 150, 45]), 50),
    "as many as the rank": (np.repeat([2.0, 1.0, 0.0], [5, 20, 100]), 25),
    "nearly copies": (1 - np.linspace(0, 1e-7, 150), 40),
    "near copies": (1 - np.linspace(0, 1e-4, 150), 40),
    "wide range of copies": (np.repeat(10.0 ** -np.arange(7.0), 30), 180),
    "wide range": (10.0 ** -np.linspace(0, 7, 200), 150),
}


@pytest.mark.parametrize(("values", "d"), SPECTRA.values(), ids=SPECTRA)
def test_every_copy_is_found(values: NDArray[np.float64], d: int) -> None:
    factors = factorize(of_spectrum(values), d, solver="lanczos")
    np.testing.assert_allclose(factors.singular_values, values[:d], rtol=1e-7)
    assert_orthogonal(factors)


@pytest.mark.parametrize("block", [1, 2, 5])
@pytest.mark.parametrize("copies", [1, 3, 8, 40])
def test_looks_find_what_a_small_block_misses(block: int, copies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    values = np.repeat(np.linspace(1, 0.1, 240 // copies), copies)
    factors = factorize(of_spectrum(values), 50, solver="lanczos")
    np.testing.assert_allclose(factors.singular_values, values[:50], rtol=1e-8)
    assert_orthogonal(factors)


@given(
    part=small_matrices, parts=st.integers(1, 9), d=st.integers(1, 40), block=st.integers(1, 4), seed=st.integers(0, 9)
)
def test_equal_parts_of_every_kind(part: np.ndarray, parts: int, d: int, block: int, seed: int) -> None:
    matrix = csr_array(block_diag([part] * parts))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", HonemWarning)
        patch.setattr(module, "BLOCK", block)
        factors = factorize(matrix, d, solver="lanczos", random_state=seed)
    assert_right(factors, matrix, d)


@pytest.mark.slow
@pytest.mark.parametrize(
    "matrix",
    [random_walk(4000, 20), csr_array(block_diag([random_walk(80, 8)] * 50)), permutation(4000), mostly_certain(4000)],
    ids=["random walk", "50 equal parts", "permutation", "mostly certain"],
)
def test_the_default_is_right_at_4000_nodes(matrix: csr_array) -> None:
    factors = factorize(matrix)
    assert factors.solver == "lanczos"
    assert_right(factors, matrix, 128)
    assert_orthogonal(factors)


@pytest.mark.parametrize("n_jobs", [2, 3, None, -1])
def test_threads_that_share_the_rows_change_no_bit(n_jobs: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tall, "ROWS_A_PIECE", 100)
    matrix = MATRICES["50 equal parts"]
    one, other = (factorize(matrix, 60, solver="lanczos", n_jobs=jobs) for jobs in (1, n_jobs))
    assert one.source.tobytes() == other.source.tobytes()
    assert one.target.tobytes() == other.target.tobytes()
    assert_right(one, matrix, 60)


def test_the_form_of_a_matrix_changes_no_bit_and_it_is_left_alone() -> None:
    matrix = MATRICES["50 equal parts"]
    before, entries = matrix.copy(), matrix.tocoo()
    twice = (np.concatenate([axis[::-1], axis]) for axis in entries.coords)
    halves = coo_array((np.concatenate([entries.data[::-1], entries.data]) / 2, tuple(twice)), shape=matrix.shape)
    first = factorize(matrix, 30, solver="lanczos")
    for form in (csc_array(matrix), csr_matrix(matrix), halves, matrix.toarray()):
        assert factorize(form, 30, solver="lanczos").source.tobytes() == first.source.tobytes()
    assert_same_matrix(matrix, before)


def test_of_equal_entries_the_first_gives_the_sign() -> None:
    left, right = np.array([[0.1, -0.7], [-0.7, 0.1], [0.7, 0.7]]), np.ones((3, 2))
    even = np.ones(3), np.ones(3)
    factors = signed_factors((left, np.array([4.0, 1.0]), right), even, 0, (0.5, 1.0), "dense")
    np.testing.assert_allclose(factors.source, left * [-2, -1])
    np.testing.assert_allclose(factors.target, right * [-4, -1])


@pytest.mark.parametrize("solver", EXACT)
def test_where_divide_and_conquer_fails_another_way_is_taken(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    svd = scipy.linalg.svd

    def failing(matrix: np.ndarray, lapack_driver: Any = "gesdd", **options: Any) -> object:
        if lapack_driver == "gesdd":
            raise scipy.linalg.LinAlgError("SVD did not converge")
        return svd(matrix, lapack_driver=lapack_driver, **options)

    monkeypatch.setattr(scipy.linalg, "svd", failing)
    matrix = MATRICES["50 equal parts"]
    assert_right(factorize(matrix, 60, solver=solver), matrix, 60)


def test_giving_up_is_an_error_and_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_RESTARTS", 1)
    with pytest.raises(HonemError, match="did not find 100 singular values of the 600 x 600 matrix in 1 restarts"):
        factorize(random_walk(600, 3), 100, solver="lanczos")


def test_lost_accuracy_is_an_error_and_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = krylov.KrylovSpace.inaccuracy

    def spoil(space: krylov.KrylovSpace, triplets: krylov.Triplets) -> tuple[float, float]:
        triplets[0][0] += 1e-3
        return measure(space, triplets)

    monkeypatch.setattr(krylov.KrylovSpace, "inaccuracy", spoil)
    with pytest.raises(HonemError, match="lost its accuracy"):
        factorize(random_walk(300, 5), 20, solver="lanczos")


def test_importing_it_loads_no_solver() -> None:
    code = "import sys, honem.embedding.factorize; print({'scipy', 'sklearn', 'threadpoolctl'} & sys.modules.keys())"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


@given(st.integers(1, 12), st.integers(0, 99), st.floats(0.1, 3))
def test_a_filter_is_the_polynomial_of_the_eigenvalues(degree: int, seed: int, cut: float) -> None:
    eigenvalues = np.random.default_rng(seed).uniform(0, 3, 8)
    values = ChebyshevFilter(cut, degree).apply(lambda block: eigenvalues[:, None] * block, np.eye(8))
    expected = np.polynomial.chebyshev.chebval(2 * eigenvalues / cut - 1, np.eye(degree + 1)[degree])
    np.testing.assert_allclose(np.diag(values), expected, rtol=1e-9, atol=1e-9)
    above = eigenvalues > cut
    found = ChebyshevFilter(cut, degree)
    np.testing.assert_allclose(found.images(eigenvalues[above]), expected[above], rtol=1e-9)
    np.testing.assert_allclose(found.eigenvalues(expected[above]), eigenvalues[above], rtol=1e-9)


@pytest.mark.parametrize("copies", [1, 3, 20])
def test_where_values_are_close_a_filter_finds_them_and_their_copies(
    copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = []
    original = gram_space.GramSpace.restart_with_filter

    def noted(*arguments: Any) -> bool:
        used.append(original(*arguments))
        return used[-1]

    monkeypatch.setattr(gram_space.GramSpace, "restart_with_filter", noted)
    part = random_walk(1800 // copies, 12)
    matrix = csr_array(block_diag([part] * copies))
    factors = factorize(matrix, 60, solver="lanczos")
    values = np.repeat(np.linalg.svd(part.toarray(), compute_uv=False), copies)[:60]
    np.testing.assert_allclose(factors.singular_values, values, rtol=1e-9)
    assert_orthogonal(factors)
    assert used == [True] or copies > 1


def test_a_start_changes_neither_values_nor_what_is_found_where_it_is_zero() -> None:
    known, new = random_walk(1100, 6), random_walk(300, 2)
    matrix = csr_array(block_diag([known, new]))
    start = factorize(csr_array(block_diag([known, csr_array((300, 300))])), 30)
    cold, warm = factorize(matrix, 30, tilt=0.1), factorize(matrix, 30, tilt=0.1, start=start)
    np.testing.assert_allclose(warm.singular_values, cold.singular_values, rtol=1e-9)
    np.testing.assert_allclose(warm.source @ warm.target.T, cold.source @ cold.target.T, atol=1e-7)
    assert np.abs(warm.target[1100:]).max() > 0.1
    with pytest.raises(ParameterError, match="start from are of 1400 nodes, the matrix of 1100"):
        factorize(known, 30, start=start)


def test_progress_grows_to_the_number_of_values() -> None:
    seen: list[tuple[str, int, int]] = []
    factorize(random_walk(1100, 8), 30, progress=lambda *step: seen.append(step))
    done = [step[1] for step in seen]
    assert {(step[0], step[2]) for step in seen} == {("factorizing", 30)}
    assert done == sorted(done)
    assert done[-1] == 30
    assert len(set(done)) > 3
