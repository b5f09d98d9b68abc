"""Every criterion: its three forms agree, its bound is one, and all engines take the same decisions with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import honem
from honem import Corpus, ExtractionParams, ParameterError
from honem._internal.compilation import linked
from honem.rules.criteria import (
    CRITERIA,
    ComparedCounts,
    CompiledForm,
    Criterion,
    Divergence,
    Significance,
    criterion_class,
    register_criterion,
)
from honem.rules.engines import make_engine
from tests.comparing import assert_same_rules
from tests.rules.criteria.toys import AboveMeanShift, LargeShift
from tests.strategies import corpora

EVERY: list[Criterion] = [
    Divergence(),
    Divergence(tau=0.3),
    Significance(),
    Significance(alpha=0.5, count="sequences"),
    LargeShift(),
    AboveMeanShift(),
]
every_criterion = pytest.mark.parametrize("criterion", EVERY, ids=repr)

margins = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3000)), min_size=1, max_size=8).filter(
    lambda rows: any(own for own, _ in rows)
)


@every_criterion
@given(cases=st.lists(margins, min_size=1, max_size=5))
def test_the_forms_of_the_score_agree(criterion: Criterion, cases: list[list[tuple[int, int]]]) -> None:
    """`cases`: per context, per successor, its own count and by how much the compared one is larger."""
    counts = [{t: own for t, (own, _) in enumerate(rows) if own} for rows in cases]
    compared = [{t: own + more for t, (own, more) in enumerate(rows) if own + more} for rows in cases]
    expected = [criterion.score(own, other, 2) for own, other in zip(counts, compared, strict=True)]
    vectorised = criterion.scores(
        ComparedCounts(
            orders=np.full(len(cases), 2),
            offsets=np.concatenate(([0], np.cumsum([len(own) for own in counts]))),
            counts=np.array([n for own in counts for n in own.values()]),
            compared=np.array([other[t] for own, other in zip(counts, compared, strict=True) for t in own]),
            supports=np.array([sum(own.values()) for own in counts]),
            compared_supports=np.array([sum(other.values()) for other in compared]),
        )
    )
    np.testing.assert_allclose(vectorised, expected, rtol=1e-12, atol=1e-10)
    compiled = [compiled_score(criterion, own, other) for own, other in zip(counts, compared, strict=True)]
    np.testing.assert_allclose(compiled, expected, rtol=1e-12, atol=1e-10)


@cache
def compiled_functions(form: CompiledForm) -> dict[Callable[..., Any], Callable[..., Any]]:
    """Compile the functions of a criterion once."""
    return linked(form.functions)


def compiled_score(criterion: Criterion, counts: dict[int, int], compared: dict[int, int]) -> float:
    """The compiled score of one context."""
    score = compiled_functions(criterion.compiled)[criterion.compiled.score]
    targets = np.array(list(counts), np.int32)
    own, other = np.zeros((2, 8), np.int64)
    own[targets] = list(counts.values())
    other[list(compared)] = list(compared.values())
    supports = int(own.sum()), int(other.sum())
    return float(score(criterion.numbers, criterion.table, 2, *supports, len(targets), targets, own, other))


@every_criterion
@given(corpus=corpora(), min_support=st.integers(1, 3), max_order=st.none() | st.integers(1, 4))
def test_local_and_reference_engine_agree(
    criterion: Criterion, corpus: Corpus, min_support: int, max_order: int | None
) -> None:
    """The reference has no early stop: where the two agree, the bound has cut off nothing that passes."""
    options = ExtractionParams(min_support=min_support, max_order=max_order, criterion=criterion)
    expected = make_engine("reference").extract_rules(corpus, options)
    assert_same_rules(make_engine("local", n_jobs=1).extract_rules(corpus, options), expected)


def test_the_toy_that_decides_in_the_end_drops_candidates() -> None:
    """So the test above is about a decision that is not taken at once."""
    trips = [list("axp"), list("bxq"), list("cxp"), list("cxq")]
    corpus = Corpus.from_sequences(trips, weights=[10, 10, 6, 5])
    table = honem.extract_rules(corpus, criterion=AboveMeanShift(least=0.01))
    found = {table.context(rule) for rule in range(table.n_rules) if table.orders[rule] == 2 and table.accepted[rule]}
    assert found == {("a", "x"), ("b", "x")}
    assert AboveMeanShift(least=0.01).score({0: 6, 1: 5}, {0: 16, 1: 15}, 2) > 0.01


def test_a_registered_criterion_is_known_by_its_name() -> None:
    with pytest.raises(ParameterError, match="criterion must be one of 'significance', 'divergence'"):
        criterion_class("large-shift")
    register_criterion(LargeShift)
    try:
        rules = honem.extract_rules(Corpus.from_sequences([list("abcabd")] * 3), criterion="large-shift")
        assert rules.params.acceptance == LargeShift()
        assert rules.params.to_dict()["criterion"] == "large-shift"
    finally:
        del CRITERIA["large-shift"]


def test_parameters_without_meaning_are_refused() -> None:
    with pytest.raises(ParameterError, match="criterion must be one of 'significance', 'divergence', not 'nope'"):
        ExtractionParams(criterion="nope")
    with pytest.raises(ParameterError, match="tau must be a finite number of at least 0"):
        ExtractionParams(criterion="divergence", tau=float("nan"))
    with pytest.raises(ParameterError, match="lower_orders='hon' is not possible with criterion='above-mean-shift'"):
        ExtractionParams(criterion=AboveMeanShift(), lower_orders="hon")
    with pytest.raises(ParameterError, match="support='transition' is not possible with criterion='significance'"):
        ExtractionParams(support="transition")
    with pytest.raises(ParameterError, match="count must be one of 'occurrences', 'sequences', not 'ships'"):
        ExtractionParams(count="ships")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"tau=2\.0 has no effect with criterion='significance'"):
        ExtractionParams(tau=2.0)
    with pytest.raises(ParameterError, match=r"alpha=0\.2: set alpha on the criterion object instead"):
        ExtractionParams(criterion=Significance(0.1), alpha=0.2)
    with pytest.raises(ParameterError, match="count='sequences': set count on the criterion object instead"):
        ExtractionParams(criterion=Significance(0.1), count="sequences")
    with pytest.raises(ParameterError, match=r"tau=1\.0: set tau on the criterion object instead"):
        ExtractionParams(criterion=Divergence(0.5), tau=1.0)
    with pytest.raises(ParameterError, match=r"alpha=0\.1 has no effect with criterion='divergence'"):
        ExtractionParams(criterion="divergence", alpha=0.1)


@pytest.mark.parametrize("alpha", [0, 1, 2, -0.1, float("nan"), "0.05", True])
def test_a_false_discovery_rate_is_between_0_and_1(alpha: Any) -> None:
    with pytest.raises(ParameterError, match="alpha must be a finite number above 0 and below 1"):
        ExtractionParams(alpha=alpha)
