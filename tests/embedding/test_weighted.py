"""The weighted factorization against dense linear algebra."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array, random_array

from honem.embedding.factorizations import TruncatedSvd, WeightedFactorization
from honem.embedding.factorize import Factors
from honem.errors import HonemWarning

SPARSE = csr_array(random_array((300, 300), density=0.03, rng=5))


def fitted(factorization: WeightedFactorization | TruncatedSvd, matrix: csr_array, d: int, n_jobs: int = 2) -> Factors:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonemWarning)
        return factorization.factorize(matrix, d, n_jobs=n_jobs)


def loss(matrix: np.ndarray, factors: Factors, how: WeightedFactorization) -> float:
    weights = np.where(matrix != 0, 1.0, how.zero_weight)
    errors = weights * (matrix - factors.source @ factors.target.T) ** 2
    lengths = (factors.source**2).sum() + (factors.target**2).sum()
    return float(errors.sum() + how.regularization * lengths)


small = st.integers(1, 8).flatmap(
    lambda n: arrays(np.float64, (n, n), elements=st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0]))
)


@given(small, st.integers(1, 9), st.sampled_from([0.01, 0.3, 1.0]), st.sampled_from([0.1, 1.0]))
def test_sources_solve_their_systems(matrix: np.ndarray, d: int, zero_weight: float, regularization: float) -> None:
    factors = fitted(WeightedFactorization(zero_weight, regularization), csr_array(matrix), d)
    for row, source in zip(matrix, factors.source, strict=True):
        weights = np.where(row != 0, 1.0, zero_weight)
        system = (factors.target.T * weights) @ factors.target + regularization * np.eye(factors.rank)
        np.testing.assert_allclose(source, np.linalg.solve(system, factors.target.T @ row), atol=1e-9)


def test_no_small_change_lowers_the_loss_by_much() -> None:
    how, dense = WeightedFactorization(0.1, 1.0, n_rounds=60), SPARSE.toarray()
    factors = fitted(how, SPARSE, 8)
    least = loss(dense, factors, how)
    assert least < loss(dense, fitted(replace(how, n_rounds=1), SPARSE, 8), how)
    rng = np.random.default_rng(0)
    for _ in range(20):
        source, target = (side + 1e-2 * rng.standard_normal(side.shape) for side in (factors.source, factors.target))
        assert loss(dense, replace(factors, source=source, target=target), how) > least * (1 - 1e-6)


def test_equal_weights_without_much_regularization_are_the_singular_value_decomposition() -> None:
    matrix = csr_array(np.outer([1.0, 2, 3, 4], [4.0, 3, 2, 1]) + np.diag([2.0, 0, 0, 0.1]))
    weighted = fitted(WeightedFactorization(1.0, 1e-5, n_rounds=300), matrix, 2)
    svd = fitted(TruncatedSvd(), matrix, 2)
    np.testing.assert_allclose(weighted.source @ weighted.target.T, svd.source @ svd.target.T, rtol=2e-3)


def test_the_same_bits_for_any_number_of_threads_and_other_ones_for_another_seed() -> None:
    how = WeightedFactorization()
    one, three = (fitted(how, SPARSE, 16, n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.source, three.source)
    np.testing.assert_array_equal(one.target, three.target)
    assert (how.factorize(SPARSE, 16, random_state=1).source != one.source).any()


def test_columns_are_sorted_signed_and_not_negligible() -> None:
    factors = fitted(WeightedFactorization(regularization=20.0), SPARSE, 64)
    assert factors.rank == factors.source.shape[1] == len(factors.singular_values) < 64
    assert (np.diff(factors.singular_values) <= 0).all()
    strongest = np.abs(factors.source).argmax(axis=0)
    assert (factors.source[strongest, np.arange(factors.rank)] > 0).all()


def test_what_is_derived_is_what_would_be_found() -> None:
    how = WeightedFactorization()
    for other in (replace(how, length_power=0.5), how):
        derived = how.derived(fitted(how, SPARSE, 8), other, 8)
        assert derived is not None
        np.testing.assert_array_equal(derived.target, fitted(other, SPARSE, 8).target)
    svd, stronger = TruncatedSvd((1.2, 0.1), 0.1), TruncatedSvd((1.8, 0.2), 0.1)
    derived = svd.derived(fitted(svd, SPARSE, 8), stronger, 5)
    assert derived is not None
    np.testing.assert_allclose(derived.source, fitted(stronger, SPARSE, 5).source, atol=1e-12)
    assert how.derived(fitted(how, SPARSE, 8), replace(how, zero_weight=0.5), 8) is None
    assert svd.derived(fitted(svd, SPARSE, 8), TruncatedSvd((1.2, 0.1), 0.2), 8) is None
    assert svd.derived(fitted(svd, SPARSE, 8), svd, 9) is None


def test_the_length_of_targets_is_shortened() -> None:
    plain, half = (fitted(WeightedFactorization(length_power=power), SPARSE, 8).target for power in (0.0, 0.5))
    lengths = np.linalg.norm(plain, axis=1)
    np.testing.assert_allclose(np.linalg.norm(half, axis=1), np.sqrt(lengths), atol=1e-12)


def test_options_of_another_factorization_are_named() -> None:
    with pytest.raises(ValueError, match="tilt is not an option of factorization='weighted', which has zero_weight"):
        WeightedFactorization().with_options(tilt=0.1)
