"""The transforms against their formulas, written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from honem import ParameterError
from honem.embedding.transforms import (
    TRANSFORMS,
    NormalizeByDegree,
    Symmetric,
    both_ways,
    near_itself,
    proximity,
    reciprocity,
    scale_by_degree,
)
from tests.comparing import assert_same_matrix

ENTRIES = st.sampled_from([0.0, 0.0, 0.0, 0.02, 1.0, 2.0, 11.0, 1e6])
MATRICES = st.integers(1, 6).flatmap(lambda n: arrays(np.float64, (n, n), elements=ENTRIES))


@given(MATRICES)
def test_both_ways_keeps_observed_entries_and_fills_in_their_reverses_scaled_by_the_slope(dense: np.ndarray) -> None:
    matrix = csr_array(dense)
    slope, found = reciprocity(matrix), both_ways(matrix).toarray()
    others = ~np.eye(len(dense), dtype=bool)
    squares = (dense[others] ** 2).sum()
    if squares:
        assert slope == pytest.approx((dense * dense.T)[others].sum() / squares)
    assert 0 <= slope <= 1 + 1e-12
    np.testing.assert_allclose(found, np.maximum(dense, slope * dense.T), rtol=1e-12)


@given(MATRICES)
def test_a_symmetric_matrix_has_slope_one_and_stays(dense: np.ndarray) -> None:
    symmetric = csr_array(dense + dense.T)
    np.testing.assert_allclose(both_ways(symmetric).toarray(), symmetric.toarray(), rtol=1e-12)


def test_ways_that_are_never_walked_back_are_not_made_up() -> None:
    one_way = csr_array(np.triu(np.ones((4, 4)), 1))
    assert reciprocity(one_way) == 0
    assert_same_matrix(both_ways(one_way), one_way)


@given(MATRICES)
def test_only_the_diagonal_changes_where_nodes_are_made_near_themselves(dense: np.ndarray) -> None:
    others = dense * (1 - np.eye(len(dense)))
    expected = others + np.diag(np.maximum(others.max(axis=0), others.max(axis=1)) / 2)
    np.testing.assert_allclose(near_itself(csr_array(dense)).toarray(), expected, rtol=1e-12)


@given(MATRICES)
def test_scaling_divides_by_the_fifth_root_of_both_sums(dense: np.ndarray) -> None:
    rows, columns = dense.sum(axis=1, keepdims=True), dense.sum(axis=0, keepdims=True)
    scale = np.where((rows > 0) & (columns > 0), rows * columns, 1.0) ** 0.2
    np.testing.assert_allclose(scale_by_degree(csr_array(dense)).toarray(), dense / scale, rtol=1e-12)


@given(MATRICES, st.lists(st.sampled_from(sorted(TRANSFORMS)), max_size=4))
def test_steps_are_taken_in_order_and_leave_what_they_were_given(dense: np.ndarray, names: list[str]) -> None:
    matrix = csr_array(dense)
    expected = matrix
    for name in names:
        expected = TRANSFORMS[name](expected)
    assert_same_matrix(proximity(matrix, names), expected)
    np.testing.assert_array_equal(matrix.toarray(), dense)


def test_a_step_of_ones_own_and_one_that_is_not_known() -> None:
    matrix = csr_array(np.ones((2, 2)))
    assert proximity(matrix, [lambda given: 3 * given]).sum() == 12
    with pytest.raises(ParameterError, match="transforms must be one of 'both_ways', 'near_itself', 'scale_by_degree'"):
        proximity(matrix, ["halve"])


def test_the_spectral_matrix_is_the_normalized_adjacency_matrix() -> None:
    dense = np.random.default_rng(0).random((6, 6)) * (np.random.default_rng(1).random((6, 6)) < 0.6)
    both = dense + dense.T
    root = np.sqrt(both.sum(axis=1))
    found = proximity(csr_array(dense), ["symmetric", "normalize_by_degree"]).toarray()
    np.testing.assert_allclose(found, both / np.outer(root, root), rtol=1e-12)
    assert np.abs(np.linalg.eigvalsh(found)).max() == pytest.approx(1.0)


def test_symmetric_and_normalized_entries_say_what_they_come_from() -> None:
    matrix = csr_array([[0.0, 2.0], [1.0, 1.0]])
    symmetric = Symmetric()
    assert symmetric.numbers(matrix, 0, 1) == {"reverse": 1.0}
    assert symmetric.describe(2.0, 3.0, {"reverse": 1.0}) == "2 + 1 of the reverse entry = 3"
    sums = NormalizeByDegree().numbers(symmetric(matrix), 0, 1)
    assert sums == {"row_sum": 3.0, "column_sum": 5.0}
    assert symmetric(matrix)[0, 1] / (3.0 * 5.0) ** 0.5 == pytest.approx(NormalizeByDegree()(symmetric(matrix))[0, 1])
