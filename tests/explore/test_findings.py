"""What the page says was found is what the rules and vectors say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from honem import HONEM, Corpus, Embedding, ExtractionParams, extract_rules
from honem.evaluation.memory import share_of_changed_steps
from honem.explore.findings import findings_of, longest_for, memory_by_order, new_pairs, nodes_with_memory
from tests.explore.conftest import THROUGH_M
from tests.strategies import corpora, significance_params


@given(corpora(), significance_params)
def test_orders_share_all_steps(corpus: Corpus, options: ExtractionParams) -> None:
    rules = extract_rules(corpus, engine="reference", **vars(options))
    memory = memory_by_order(rules)
    assert (longest_for(rules) >= 0).all()
    if rules.n_rules and options.min_support == 1:
        assert sum(one["share"] for one in memory[1:]) == pytest.approx(share_of_changed_steps(corpus, rules))
        assert sum(one["share"] for one in memory) == pytest.approx(1.0)


def test_saved_bits_are_those_of_the_longest_rules_against_first_order() -> None:
    rules = extract_rules(THROUGH_M)
    memory = memory_by_order(rules)
    # Each walk has three steps. Only the last is uncertain at first order, and certain after the rules of order 3.
    entropy = -(0.4 * np.log2(0.4) + 0.6 * np.log2(0.6))
    assert [one["rules"] for one in memory] == [4, 0, 2]
    assert [one["bits"] for one in memory] == pytest.approx([0.0, 0.0, entropy / 3])
    assert [one["share"] for one in memory] == pytest.approx([2 / 3, 0.0, 1 / 3])
    (found,) = nodes_with_memory(rules)
    assert found == {
        "node": rules.vocabulary.id("x"),
        "bits": pytest.approx(entropy),
        "share": 1.0,
        "steps": 50,
        "rules": 2,
    }


def test_the_strongest_rules_are_the_top_of_the_table(city_model: HONEM) -> None:
    rules = city_model.rules_
    found = findings_of(rules, [city_model.embedding_], [])
    assert found is not None
    labels = rules.vocabulary.labels
    for shown, rule in zip(found["rules"], rules.top(24), strict=True):
        assert tuple(labels[node] for node in shown["context"]) == rule.context
        next = rule.largest_change
        assert (labels[shown["target"]], shown["probability"]) == (next.node, next.probability)
        assert (shown["support"], shown["verdict"]) == (rule.support, rule.verdict)
    assert found["pairs"] == []
    assert findings_of(None, [city_model.embedding_], []) is None


def test_new_pairs_are_near_each_other_and_were_not_before() -> None:
    random = np.random.default_rng(0)
    vocabulary = Corpus.from_sequences([list(range(40))]).vocabulary
    higher, first = (Embedding(vocabulary, random.normal(size=(40, 6))) for _ in range(2))
    near, near_first = (one.nearest(n=5, space="cosine") for one in (higher, first))
    steps = np.arange(40)
    found = list(new_pairs(first, near, near_first, steps))
    assert found
    gains = [one["cosine"] - one["first_order"] for one in found]
    assert gains == sorted(gains, reverse=True)
    used = [node for one in found for node in one["nodes"]]
    assert len(used) == len(set(used))
    for one in found:
        a, b = one["nodes"]
        assert a in near[0][b]
        assert b in near[0][a]
        assert a not in near_first[0][b]
        assert b not in near_first[0][a]
        assert min(steps[a], steps[b]) >= 19.5
        assert one["cosine"] == pytest.approx(higher.score(a, b, "cosine"))
        assert one["first_order"] == pytest.approx(first.score(a, b, "cosine"))
