"""Every parameter of HONEM is checked by `plan`, before any work is done."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from honem import HONEM, ParameterError

NAN = float("nan")
BAD: dict[str, list[Any]] = {
    "n_components": [0, -1, 2.5, True, "8", None],
    "min_support": [0, 1.5, "1", None],
    "support": ["both", None, 3],
    "tau": [-0.1, NAN, float("inf"), "1", True],
    "max_order": [0, 1.5, "2"],
    "lower_orders": ["some", None],
    "criterion": ["nope", 5],
    "alpha": [0, 1, 2, NAN, "0.05", True],
    "count": ["ships", None, 5],
    "preset": ["best", 5, ["paper"]],
    "tune_for": ["speed", None, 5],
    "weighting": ["bits", 5, np.ones(2)],
    "order_weights": ["nope", 5, [], [1, -1], [0, 0], [1, NAN], ["a"], [True]],
    "combination": ["median", 5],
    "transforms": ["both_ways", ["log"], [5], 5],
    "factorization": ["pca", 5],
    "spectrum": [-1, 3, NAN, "a", [1], [1, 2, 3], [1, "x"], True],
    "tilt": [0.6, -0.6, NAN, "much", True],
    "zero_weight": [0, 1.1, NAN, "half", True],
    "regularization": [0, -1, NAN, "much", True],
    "length_power": [-0.1, 1, NAN, "half", True],
    "score": ["dot", 5],
    "engine": ["nope", None, 5],
    "solver": ["nope", None, 5],
    "random_state": ["x", -1, 1.5],
    "n_jobs": ["x", 0, -2, 1.5],
    "features": ["vector", None, True],
    "half_life": [0, -1, NAN, "30 moons", "0d", True, [1]],
    "window": [0, -1, NAN, "90", "0d", True, [1]],
    "verbose": [3, None, "yes"],
}
CASES = [(name, value) for name, values in BAD.items() for value in values]


def test_every_parameter_has_bad_values_here() -> None:
    assert list(BAD) == list(inspect.signature(HONEM.__init__).parameters)[1:]


@pytest.mark.parametrize(("name", "value"), CASES, ids=lambda part: repr(part)[:20])
def test_a_bad_value_is_refused_by_name(name: str, value: Any) -> None:
    needed = {"factorization": "weighted"} if name in ("zero_weight", "regularization", "length_power") else {}
    model = HONEM(**{**needed, name: value})  # only stored here, as scikit-learn wants it
    with pytest.raises(ParameterError, match=rf"\b{name}\b"):
        model.plan()
    with pytest.raises(ParameterError, match=rf"\b{name}\b"):
        model.fit(raised_when_read())


def raised_when_read() -> Any:
    raise AssertionError("the data were read before the parameters were checked")
    yield


def test_threads_have_no_meaning_on_spark() -> None:
    with pytest.raises(ParameterError, match="n_jobs=2 does not apply to engine='spark'"):
        HONEM(engine="spark", n_jobs=2).plan()


@pytest.mark.parametrize(
    "options",
    [
        {"random_state": None, "n_jobs": -1, "max_order": 1},
        {"order_weights": np.array([1.0, 0.5]), "spectrum": (1, 0.5), "transforms": ()},
        {"order_weights": lambda k: 1.0, "combination": "maximum", "transforms": [lambda matrix: matrix]},
    ],
    ids=["numbers", "arrays", "functions"],
)
def test_good_values_pass(options: dict[str, Any]) -> None:
    HONEM(**options).plan()
