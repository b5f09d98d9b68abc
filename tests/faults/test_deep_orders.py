"""Long chains of contexts: time and memory are those of the rules, and too many rules are refused with one line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from honem import Corpus, CorpusError, extract_rules
from honem.rules.engines.local import closure
from tests.comparing import assert_same_rules

DIVERGENCE: dict[str, Any] = {"criterion": "divergence"}


def chain(length: int) -> Corpus:
    """One node many times, then another one: every context is accepted if the threshold is 0."""
    return Corpus.from_sequences([["A"] * length + ["B"]])


def shared_middle(length: int, weight: int = 10**9) -> Corpus:
    """Two sequences whose ends depend on their beginnings, far back."""
    middle = [f"m{place}" for place in range(length)]
    return Corpus.from_sequences([["x", *middle, "y"], ["u", *middle, "v"]], [weight] * 2)


CASES: list[tuple[Corpus, dict[str, Any]]] = [
    (chain(30), {"tau": 0, **DIVERGENCE}),
    (chain(30), {}),
    (Corpus.from_sequences([["A"] * 12 + ["B"]] * 40 + [["B"] * 9 + ["A"]] * 40), {}),
    (shared_middle(20, 1000), {"tau": 0.01, **DIVERGENCE}),
    (shared_middle(20, 1000), {}),
]


@pytest.mark.parametrize("lower_orders", ["all", "significant", "hon"])
@pytest.mark.parametrize(("corpus", "options"), CASES)
def test_chains_give_the_rules_of_the_reference(corpus: Corpus, options: dict[str, Any], lower_orders: str) -> None:
    if lower_orders == "hon" and "criterion" not in options:
        pytest.skip("lower_orders='hon' belongs to the divergence")
    expected, found = (
        extract_rules(corpus, engine=engine, lower_orders=lower_orders, **options) for engine in ("reference", "local")
    )
    assert_same_rules(expected, found)


def test_windows_of_a_chain_are_considered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sorted_windows = []
    unique = np.unique

    def counting(values: Any, **options: Any) -> Any:
        sorted_windows.append(len(values))
        return unique(values, **options)

    monkeypatch.setattr(np, "unique", counting)
    length = 300
    rules = extract_rules(chain(length), tau=0, **DIVERGENCE)
    assert rules.max_order == rules.n_rules == length
    assert sum(sorted_windows) < length**2  # and not its cube


@pytest.mark.parametrize("options", [{"tau": 0.01, **DIVERGENCE}, {}], ids=["divergence", "significance"])
def test_more_rules_than_can_be_stored(options: dict[str, Any]) -> None:
    # The sub-contexts of one context of 1,001 nodes have 167 million nodes.
    with pytest.raises(CorpusError, match=r"contexts of up to 1001 nodes .* set max_order, for example") as e:
        extract_rules(shared_middle(1000), **options)
    assert "\n" not in str(e.value)
    assert extract_rules(shared_middle(1000), max_order=64, **options).max_order == 1
    assert extract_rules(shared_middle(1000), lower_orders="significant", **options).max_order == 1001
    assert extract_rules(shared_middle(200), **options).max_order == 201


def test_more_windows_than_can_be_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closure, "MOST_DEEP_CONTEXTS", 1000)
    with pytest.raises(CorpusError, match=r"sub-contexts of order 65 or more, above the limit of 1000"):
        extract_rules(chain(200), tau=0, **DIVERGENCE)
