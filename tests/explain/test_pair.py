"""A score taken apart: every sum against the matrix or the score it explains."""

from __future__ import annotations

import math
from collections.abc import Hashable
from pathlib import Path as File

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from honem import HONEM, read_paths
from honem.embedding.combining import COMBINATIONS
from honem.embedding.factorizations import TruncatedSvd, WeightedFactorization
from honem.embedding.matrices import Array
from honem.embedding.order_weights import ORDER_WEIGHTS
from honem.embedding.recipe import PRESETS
from honem.embedding.spectrum import SpectrumPowers
from honem.embedding.tilt import Tilt
from honem.embedding.weighting import WEIGHTINGS
from honem.explain import PairExplainer, PairExplanation, explain_pair
from tests.comparing import rules_as_dict
from tests.explain.examples import TRIPS, explanations
from tests.strategies import corpora, params

PRESET_NAMES = sorted(PRESETS)

ignore_surplus_columns = pytest.mark.filterwarnings("ignore::honem.errors.HonemWarning")


factorizations = st.one_of(
    st.fixed_dictionaries(
        {
            "factorization": st.just("svd"),
            "spectrum": st.sampled_from([None, 0.7, (0.2, 1.5)]),
            "tilt": st.sampled_from([None, 0.0, -0.4, 0.5]),
        }
    ),
    st.fixed_dictionaries(
        {
            "factorization": st.just("weighted"),
            "zero_weight": st.sampled_from([None, 0.01, 1.0]),
            "regularization": st.sampled_from([None, 0.01]),
            "length_power": st.sampled_from([None, 0.5]),
        }
    ),
)


@st.composite
def models(draw: st.DrawFn) -> HONEM:
    options = draw(params)
    model = HONEM(
        draw(st.integers(1, 8)),
        min_support=options.min_support,
        support=options.support,
        criterion=options.criterion,
        tau=options.tau,
        alpha=options.alpha,
        count=options.count,
        max_order=options.max_order,
        lower_orders=options.lower_orders,
        preset=draw(st.sampled_from(PRESET_NAMES)),
        weighting=draw(st.sampled_from([None, None, *WEIGHTINGS])),
        order_weights=draw(st.sampled_from([None, None, *ORDER_WEIGHTS])),
        combination=draw(st.sampled_from([None, None, *COMBINATIONS])),
        **draw(factorizations),
        solver="dense",
    )
    return model.fit(draw(corpora(max_nodes=4)))


@ignore_surplus_columns
@given(models())
def test_orders_and_rules_add_up_to_s(model: HONEM) -> None:
    near = model.recipe_.neighborhood(model.rules_)
    for found, a, b in explanations(model):
        expected = pytest.approx(float(near.matrix[a, b]), rel=1e-12, abs=1e-15)
        assert found.entry == expected
        assert sum(order.part for order in found.orders) == expected
        assert sum(rule.part for order in found.orders for rule in order.rules) == expected
        for order in found.orders:
            assert order.value == pytest.approx(float(near.order(order.order)[a, b]), rel=1e-12)


@ignore_surplus_columns
@given(models())
def test_an_order_brings_its_term_of_the_mean_or_is_the_largest(model: HONEM) -> None:
    for found, _, _ in explanations(model):
        said = [order.weight * order.value for order in found.orders]
        if found.is_largest:
            assert found.entry == pytest.approx(max(said, default=0.0), rel=1e-12)
            assert sum(order.part > 0 for order in found.orders) <= 1
        else:
            assert sum(order.weight for order in found.orders) == pytest.approx(1.0 if said else 0.0)
            assert [order.part for order in found.orders] == pytest.approx(said)


@ignore_surplus_columns
@given(models())
def test_rules_share_what_their_order_brings_by_what_made_it(model: HONEM) -> None:
    for found, _, _ in explanations(model):
        for order in found.orders:
            factor = order.weight if order.part else 0.0
            for rule in order.rules:
                by_weighting = {
                    "probability": rule.probability / len(order.rules),
                    "count": rule.count,
                    "evidence": math.log10(1 + 9 * order.count) * rule.count / order.count,
                }
                assert rule.part == pytest.approx(factor * by_weighting[found.weighting], rel=1e-9)


@ignore_surplus_columns
@given(models())
def test_rules_from_one_node_to_the_other_are_all_there(model: HONEM) -> None:
    known = rules_as_dict(model.rules_)
    for found, _, _ in explanations(model):
        expected = {context: counts[found.b] for context, (counts, _) in known.items() if leads(context, counts, found)}
        assert {rule.context: rule.count for order in found.orders for rule in order.rules} == expected
        counted = sorted(expected.values(), reverse=True)[:2]
        direct = [path for path in found.paths if path.kind == "rule"]
        assert [path.count for path in direct] == counted
        assert all(expected[path.nodes[:-1]] == path.count for path in direct)


def leads(context: tuple[Hashable, ...], counts: dict[object, int], found: PairExplanation) -> bool:
    return context[0] == found.a and found.b in counts


@ignore_surplus_columns
@given(models())
def test_steps_lead_from_s_to_the_matrix_that_is_factorised(model: HONEM) -> None:
    for found, a, b in explanations(model):
        assert found.nearness == float(model.proximity_[a, b])
        ways = [found.entry, *(step.after for step in found.steps)]
        assert [step.before for step in found.steps] == ways[:-1]
        assert ways[-1] == found.nearness
        for step in found.steps:
            assert step.after == pytest.approx(again(step.name, step.before, step.numbers, found), abs=1e-12)


def again(name: str, before: float, numbers: dict[str, float], found: PairExplanation) -> float:
    """What a transform makes of one entry, by the numbers told."""
    if name == "both_ways":
        return max(before, numbers["reciprocity"] * numbers["reverse"])
    if name == "near_itself":
        return numbers["largest"] / 2 if found.a == found.b else before
    if name == "diffusion":
        return sum(numbers.values())
    if name == "log_scale":
        return math.log1p(before / numbers["typical"]) / numbers["spread"]
    if name == "symmetric":
        return before + numbers["reverse"]
    exponent = {"scale_by_degree": 0.2, "normalize_by_degree": 0.5}[name]
    return before / (numbers["row_sum"] * numbers["column_sum"]) ** exponent if before else 0.0


def terms_of_svd(model: HONEM, factorization: TruncatedSvd) -> tuple[Array, Array]:
    """W M as a tensor of terms (a, node, b), and the truncated matrix, from U, sigma and V."""
    powers = SpectrumPowers.of(factorization.spectrum)
    values, target = model.embedding_.singular_values, model.embedding_.target
    assert values is not None
    assert target is not None
    values = np.where(values > 0, values, np.inf)
    left = model.embedding_.source / values**powers.source
    values = np.where(np.isinf(values), 0.0, values)
    rows, _ = Tilt(factorization.tilt).weights(model.proximity_)
    weights = np.where(values > 0, values, 1.0) ** (powers.source + powers.target - 1) * (values > 0)
    likeness = left * weights @ left.T * rows**2
    whole = left * values @ (target / np.where(values > 0, values, 1.0) ** powers.target).T
    return likeness[:, :, None] * model.proximity_.toarray()[None], whole


def terms_of_least_squares(model: HONEM, factorization: WeightedFactorization) -> tuple[Array, Array]:
    """L_ak (v_k . A_a^-1 target_b) as a tensor of terms (a, k, b), and the matrix as it is approximated."""
    matrix, target = model.proximity_.toarray(), model.embedding_.target
    assert target is not None
    lengths = np.linalg.norm(target, axis=1, keepdims=True)
    power = factorization.length_power
    solved = target * np.where(lengths > 0, lengths, 1.0) ** (power / (1 - power))
    terms = []
    for row in matrix:
        weights = np.where(row != 0, 1.0, factorization.zero_weight)
        system = (solved.T * weights) @ solved + factorization.regularization * np.eye(solved.shape[1])
        terms.append(row[:, None] * (solved @ np.linalg.solve(system, target.T)))
    return np.array(terms).reshape(len(matrix), len(matrix), len(matrix)), model.embedding_.source @ solved.T


@ignore_surplus_columns
@given(models())
def test_terms_add_up_to_the_score(model: HONEM) -> None:
    embedding, matrix, factorization = model.embedding_, model.proximity_.toarray(), model.recipe_.factorization
    if isinstance(factorization, TruncatedSvd):
        terms, whole = terms_of_svd(model, factorization)
    else:
        assert isinstance(factorization, WeightedFactorization)
        terms, whole = terms_of_least_squares(model, factorization)
    scale = max(matrix.max(initial=0.0), 1.0)
    for found, a, b in explanations(model):
        parts = found.score
        assert parts.score == pytest.approx(embedding.score(found.a, found.b), rel=1e-12, abs=1e-13 * scale)
        told = parts.own.part + sum(term.part for term in parts.others) + parts.rest
        assert told == pytest.approx(parts.score, rel=1e-9, abs=1e-9 * scale)
        assert told + parts.unexplained == pytest.approx(parts.score, rel=1e-12, abs=1e-12 * scale)
        assert parts.truncated == pytest.approx(whole[a, b], abs=1e-9 * scale)
        assert parts.own.nearness == matrix[a, b]
        for term in (parts.own, *parts.others):
            node = embedding.vocabulary.id(term.node)
            assert term.part == pytest.approx(terms[a, node, b], abs=1e-9 * scale)
        others = [abs(term.part) for term in parts.others]
        assert others == sorted(others, reverse=True)
        entries = matrix[:, b] if isinstance(factorization, TruncatedSvd) else matrix[a]
        assert len(others) + parts.n_rest == np.count_nonzero(entries) - (matrix[a, b] > 0)


@ignore_surplus_columns
def test_enough_dimensions_leave_all() -> None:
    for preset in ("evidence", "paper"):
        for found, _, _ in explanations(HONEM(20, preset=preset).fit(TRIPS)):
            assert found.score.truncated == pytest.approx(found.nearness, abs=1e-9)
    for found, _, _ in explanations(HONEM(20, preset="weighted", regularization=1e-6, zero_weight=1.0).fit(TRIPS)):
        assert found.score.truncated == pytest.approx(found.nearness, abs=1e-3)


@ignore_surplus_columns
def test_a_transform_of_ones_own_is_told_before_and_after() -> None:
    def halved(matrix: csr_array) -> csr_array:
        return csr_array(matrix / 2)

    model = HONEM(3, transforms=[halved, "both_ways"]).fit(TRIPS)
    found = explain_pair(model.rules_, model.embedding_, model.recipe_, "dorm", "centre")
    assert [step.name for step in found.steps] == ["halved", "both_ways"]
    assert found.steps[0].after == found.steps[0].before / 2
    assert "halved: 2.258 becomes 1.129" in str(found)


@pytest.mark.slow
def test_wikispeedia_adds_up(real_data: File) -> None:
    model = HONEM(32).fit(read_paths(real_data / "wikispeedia" / "paths.txt.gz"))
    explainer = PairExplainer(model.rules_, model.embedding_, model.recipe_)
    for a, b in [("Africa", "Slavery"), ("Zebra", "Lion"), ("Lion", "Zebra"), ("Zebra", "Piano"), ("Lion", "Lion")]:
        found = explainer.explain(a, b)
        parts = found.score
        told = parts.own.part + sum(term.part for term in parts.others) + parts.rest
        assert told == pytest.approx(model.embedding_.score(a, b), rel=1e-9, abs=1e-9)
        assert sum(order.part for order in found.orders) == pytest.approx(found.entry, rel=1e-12)
