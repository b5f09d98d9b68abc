"""What it means for two rule tables or two sparse matrices to be the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from honem import RuleTable
from honem.embedding.neighborhood import neighborhood
from honem.rules import Rules

EXACT = ("context_nodes", "context_offsets", "target_offsets", "targets", "counts", "accepted")


def assert_same_rules(found: RuleTable, expected: RuleTable, bits: float = 1e-9) -> None:
    """The same contexts, integer counts and decisions; divergences equal to rounding."""
    for column in EXACT:
        np.testing.assert_array_equal(getattr(found, column), getattr(expected, column), err_msg=column)
    np.testing.assert_allclose(found.divergences, expected.divergences, rtol=0, atol=bits)
    np.testing.assert_allclose(found.evidence, expected.evidence, rtol=1e-12, atol=bits)
    np.testing.assert_allclose(found.q_values, expected.q_values, rtol=bits)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-12, atol=bits)
    np.testing.assert_allclose(found.thresholds, expected.thresholds, rtol=1e-12)
    assert found.tests == expected.tests
    for column in EXACT:
        assert getattr(found, column).dtype == getattr(expected, column).dtype, column


def assert_same_neighborhood(rules: Rules, table: RuleTable) -> None:
    """The same entries of every D^v, to the bit, of counts and of probabilities."""
    for weighting in ("count", "probability"):
        found, expected = (neighborhood(source, weighting=weighting) for source in (rules, table))
        assert len(found.by_order) == len(expected.by_order)
        for one, other in zip(found.by_order, expected.by_order, strict=True):
            np.testing.assert_array_equal(one.indptr, other.indptr)
            np.testing.assert_array_equal(one.indices, other.indices)
            assert one.data.tobytes() == other.data.tobytes()


def rules_as_dict(table: RuleTable) -> dict[tuple[object, ...], tuple[dict[object, int], bool]]:
    """Each context, as labels, with its counts and whether it was accepted."""
    labels = table.vocabulary.labels
    found = {}
    for rule in range(table.n_rules):
        rows = range(table.target_offsets[rule], table.target_offsets[rule + 1])
        counts = {labels[table.targets[row]]: int(table.counts[row]) for row in rows}
        found[table.context(rule)] = (counts, bool(table.accepted[rule]))
    return found


def assert_same_matrix(found: Any, expected: Any) -> None:
    """Two sparse matrices of the same shape without a differing entry; stored zeros count as zeros."""
    assert found.shape == expected.shape
    assert (found != expected).nnz == 0
