"""PPM-C against its definition with dictionaries."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus
from honem.evaluation.baselines.ppm import PartialMatching
from tests.prediction.obvious import Context, steps
from tests.strategies import corpora


def by_definition(corpus: Corpus, order: int, history: Context) -> list[Fraction]:
    """Escape from context to context, longest first, excluding all nodes that longer ones know."""
    found: dict[int, Fraction] = {}
    rest = Fraction(1)
    for length in range(min(order, len(history)), -1, -1):
        counts: dict[int, int] = {}
        for other, node, weight in steps(corpus):
            is_after = len(other) >= length and other[len(other) - length :] == history[len(history) - length :]
            if is_after and node not in found:
                counts[node] = counts.get(node, 0) + weight
        whole = sum(counts.values()) + len(counts)
        found |= {node: rest * count / whole for node, count in counts.items()}
        rest *= Fraction(len(counts), whole) if counts else 1
    others = corpus.n_nodes - len(found)
    if not others:
        return [found[node] / (1 - rest) for node in range(corpus.n_nodes)]
    return [found.get(node, rest / others) for node in range(corpus.n_nodes)]


@given(corpora(max_sequences=4, max_length=6), st.integers(1, 4))
def test_ppm_c_is_what_its_definition_says(corpus: Corpus, order: int) -> None:
    scores = PartialMatching(order=order).fit(corpus).score(corpus)
    for (history, node, _), log_probability, rank in zip(steps(corpus), *scores, strict=True):
        expected = by_definition(corpus, order, history)
        assert sum(expected) == 1
        assert log_probability == pytest.approx(np.log2(float(expected[node])))
        ahead = sum(value > expected[node] * (1 + Fraction(1, 10**12)) for value in expected)
        assert ahead < rank <= sum(value >= expected[node] * (1 - Fraction(1, 10**12)) for value in expected)
