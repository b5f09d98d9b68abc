"""Every piece of a recipe can be replaced by one from outside: it computes, and it explains what it computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from honem import HONEM, RuleTable
from honem.embedding import Embedding
from honem.embedding.combining import COMBINATIONS, Combination
from honem.embedding.factorizations import FACTORIZATIONS, Factorization, ScoreTerms
from honem.embedding.factorize import Factors
from honem.embedding.order_weights import ORDER_WEIGHTS, OrderWeighting
from honem.embedding.transforms import TRANSFORMS, Transform
from honem.embedding.weighting import WEIGHTINGS, Weighting, sum_by_pair
from honem.rules import Rules
from tests.comparing import assert_same_matrix

TRIPS = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20 + [["dorm", "library"]] * 3


@dataclass(frozen=True)
class Presence(Weighting):
    """D^v(i, j) is the number of rules from i to j."""

    name = "presence"

    def matrix(self, rules: Rules, order: int) -> csr_array:
        pairs = rules.pair_sums(order)
        return sum_by_pair(rules, pairs, pairs.amounts)

    def contributions(self, table: RuleTable, rows: list[int]) -> NDArray[Any]:
        return np.ones(len(rows))

    def describe(self, value: float, count: int) -> str:
        return f"{value:g} rules"


@dataclass(frozen=True)
class OnlyHighest(OrderWeighting):
    """1 for the highest order, 0 for the others."""

    name = "only_highest"

    def weights(self, matrices: Sequence[Any]) -> NDArray[np.float64]:
        return np.asarray(np.eye(len(matrices))[-1])

    def describe(self) -> str:
        return "1 for the highest order"


@dataclass(frozen=True)
class Total(Combination):
    """S is the sum of w_k D^v, not divided by the sum of the weights."""

    name = "total"
    result_name = "total"

    def matrix(self, matrices: Sequence[csr_array], weights: NDArray[np.float64], n_nodes: int) -> csr_array:
        terms = (weight * matrix for weight, matrix in zip(weights, matrices, strict=True))
        return sum(terms, csr_array((n_nodes, n_nodes)))

    def parts(self, weights: Sequence[float], values: Sequence[float]) -> list[float]:
        return [weight * value for weight, value in zip(weights, values, strict=True)]


@dataclass(frozen=True)
class Halve(Transform):
    """Every entry divided by 2."""

    name = "halve"

    def __call__(self, matrix: csr_array) -> csr_array:
        return csr_array(matrix / 2)

    def numbers(self, matrix: csr_array, a: int, b: int) -> dict[str, float]:
        return {"divisor": 2.0}

    def describe(self, before: float, after: float, numbers: Mapping[str, float]) -> str:
        return f"divided by {numbers['divisor']:g}"


@dataclass(frozen=True)
class OneHot(Factorization):
    """Every node has a dimension of its own: source is the matrix, target the identity, both times a factor."""

    name = "one_hot"
    factor: float = 1.0

    def factorize(self, matrix: csr_array, n_components: int, **_: Any) -> Factors:
        source, target = self.factor * matrix.toarray(), np.eye(matrix.shape[0]) / self.factor
        return Factors(source, target, np.ones(matrix.shape[0]), matrix.shape[0], self.name)

    def scores(self, embedding: Embedding, matrix: csr_array) -> OneHotScores:
        return OneHotScores(matrix)


@dataclass(frozen=True)
class OneHotScores:
    """The only term of a score is the entry of the matrix."""

    matrix: csr_array

    def terms(self, a: int, b: int) -> ScoreTerms:
        likeness = np.eye(self.matrix.shape[0])[a]
        entry = float(self.matrix[a, b])
        return ScoreTerms(entry, likeness, self.matrix[:, [b]].toarray().ravel(), entry, own=a)

    def describe(self, a: str, b: str) -> str:
        return f"{a} is like itself only"


def assert_adds_up(model: HONEM) -> None:
    found = model.explain("dorm", "library")
    assert found.entry == pytest.approx(float(model.neighborhood_.matrix[0, 2]))
    assert sum(rule.part for order in found.orders for rule in order.rules) == pytest.approx(found.entry)
    assert [found.entry, found.nearness] == pytest.approx([found.steps[0].before, found.steps[-1].after])
    assert found.score.unexplained == pytest.approx(0.0, abs=1e-12)


PIECES = [
    ("weighting", Presence(), WEIGHTINGS, "x 1 rules"),
    ("order_weights", OnlyHighest(), ORDER_WEIGHTS, "(weights: 1 for the highest order)"),
    ("combination", Total(), COMBINATIONS, "the total of weight x value"),
    ("transforms", Halve(), TRANSFORMS, "halve: divided by 2"),
    ("factorization", OneHot(), FACTORIZATIONS, "the score by nodes: dorm is like itself only"),
]


@pytest.mark.parametrize(("parameter", "piece", "registry", "words"), PIECES, ids=[piece[0] for piece in PIECES])
def test_a_piece_from_outside_computes_and_explains(
    parameter: str, piece: Any, registry: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_list = parameter == "transforms"
    given: dict[str, Any] = {parameter: [piece, "both_ways"] if as_list else piece}
    model = HONEM(3, **given).fit(TRIPS)
    assert_adds_up(model)
    assert words in str(model.explain("dorm", "library"))
    monkeypatch.setitem(registry, piece.name, piece)
    named: dict[str, Any] = {parameter: [piece.name, "both_ways"] if as_list else piece.name}
    by_name = HONEM(3, **named).fit(TRIPS)
    np.testing.assert_array_equal(by_name.embedding_.source, model.embedding_.source)
    stored = by_name.recipe_.to_dict()[parameter]
    assert (stored["name"] if parameter == "factorization" else stored) == named[parameter]
    assert by_name.explain("dorm", "library") == model.explain("dorm", "library")


def test_pieces_from_outside_do_what_they_say() -> None:
    model = HONEM(3, preset="paper", weighting=Presence(), combination=Total(), order_weights=[1, 10]).fit(TRIPS)
    found = model.explain("dorm", "library")
    assert [(order.weight, order.value) for order in found.orders] == [(1.0, 1.0), (10.0, 1.0)]
    assert found.entry == 11
    highest = HONEM(2, preset="paper", order_weights=OnlyHighest(), transforms=[Halve()]).fit(TRIPS)
    assert_same_matrix(highest.proximity_, highest.neighborhood_.order(2) / 2)
