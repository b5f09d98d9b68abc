"""What two nodes both lead to: the terms add up to the cosine of their rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from honem.explain.common_parts import CommonTargets

ENTRY = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0, -0.5])


@given(st.lists(st.lists(ENTRY, min_size=5, max_size=5), min_size=5, max_size=5), st.integers(1, 6))
def test_terms_add_up_to_the_cosine(entries: list[list[float]], n: int) -> None:
    dense = np.array(entries)
    common = CommonTargets.of(csr_array(dense))
    lengths = np.linalg.norm(dense, axis=1)
    for a in range(5):
        for b in range(5):
            found = common.parts(a, b, "vwxyz", n)
            lengths_of_both = lengths[a] * lengths[b]
            products = dense[a] * dense[b] / lengths_of_both if lengths_of_both else np.zeros(5)
            assert found.cosine == pytest.approx(products.sum())
            assert sum(term.part for term in found.terms) + found.rest == pytest.approx(found.cosine)
            assert len(found.terms) + found.n_rest == np.count_nonzero(products)
            for term in found.terms:
                assert term.part == pytest.approx(products["vwxyz".index(str(term.node))])
            sizes = [abs(term.part) for term in found.terms]
            assert sizes == sorted(sizes, reverse=True)
