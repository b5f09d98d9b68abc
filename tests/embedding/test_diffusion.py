"""Diffusion and logarithms against dense matrices, and row-wise products against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array, random_array

from honem import ParameterError
from honem.embedding.sparse_rows import largest_entries, product_rows, stochastic
from honem.embedding.transforms import Diffusion, LogScale

matrices = st.integers(1, 8).flatmap(
    lambda n: arrays(np.float64, (n, n), elements=st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.0, 3.0]))
)


def kept(dense: np.ndarray, n_entries: int) -> np.ndarray:
    """The largest entries of each row, of equal ones the first."""
    found = np.zeros_like(dense)
    for row, values in enumerate(dense):
        best = np.argsort(-values, kind="stable")[:n_entries]
        found[row, best] = values[best]
    return found


def diffused(dense: np.ndarray, n_entries: int, weights: list[float]) -> np.ndarray:
    """X + c_1 X P + ..., with dense matrices."""
    sums = dense.sum(axis=1, keepdims=True)
    steps = np.divide(dense, sums, out=np.zeros_like(dense), where=sums > 0)
    total, reached = dense.copy(), dense
    for weight in weights:
        reached = kept(reached @ steps, n_entries)
        total += weight * reached
    return kept(total, n_entries)


WEIGHTS = st.lists(st.sampled_from([0.0, 0.5, 2.0]), max_size=3)


@given(matrices, WEIGHTS)
def test_diffusion_adds_weighted_products(dense: np.ndarray, weights: list[float]) -> None:
    transform, matrix = Diffusion(tuple(weights), len(dense)), csr_array(dense)
    found = transform(matrix).toarray()
    np.testing.assert_allclose(found, diffused(dense, len(dense), weights), atol=1e-12)
    for a, b in np.argwhere(found).tolist():
        assert sum(transform.numbers(matrix, a, b).values()) == pytest.approx(found[a, b])


@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 8), WEIGHTS)
def test_only_the_largest_entries_are_kept(seed: int, n: int, n_entries: int, weights: list[float]) -> None:
    # Random numbers, so that no two entries are equal, of which rounding would decide which is kept.
    dense = np.random.default_rng(seed).random((n, n))
    found = Diffusion(tuple(weights), n_entries)(csr_array(dense)).toarray()
    np.testing.assert_allclose(found, diffused(dense, n_entries, weights), atol=1e-12)


def test_products_have_the_same_bits_for_any_number_of_threads() -> None:
    left, right = (csr_array(random_array((700, 700), density=0.02, rng=seed)) for seed in (1, 2))
    one, three = (product_rows(left, right, 20, n_jobs) for n_jobs in (1, 3))
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))
    expected = largest_entries(csr_array(left @ right), 20)
    np.testing.assert_allclose(one.toarray(), expected.toarray(), atol=1e-12)


def test_rows_of_a_stochastic_matrix_sum_to_one_or_stay_empty() -> None:
    steps = stochastic(csr_array([[1.0, 3.0], [0.0, 0.0]]))
    assert steps.toarray().tolist() == [[0.25, 0.75], [0.0, 0.0]]


@given(matrices)
def test_logarithms_have_the_root_mean_square_1(dense: np.ndarray) -> None:
    matrix = csr_array(dense)
    scaled = LogScale()(matrix)
    np.testing.assert_array_equal(scaled.toarray() != 0, dense != 0)
    if matrix.nnz:
        assert np.sqrt(np.square(scaled.data).mean()) == pytest.approx(1.0)
        order = np.argsort(matrix.data, kind="stable")
        assert (np.diff(scaled.data[order]) >= 0).all()


@pytest.mark.parametrize("options", [{"weights": (-1,)}, {"weights": ("a",)}, {"max_entries": 0}])
def test_bad_values_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        Diffusion(**options)  # type: ignore[arg-type]
