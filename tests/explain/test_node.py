"""What is told of a node, against its rules and a slow formula."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterator

import pytest
from hypothesis import given

from honem import Corpus, ExtractionParams, UnknownNodeError, extract_rules
from honem.explain import explain_node
from honem.rules.engines import make_engine
from tests.comparing import rules_as_dict
from tests.explain.examples import TRIPS
from tests.strategies import corpora, params


def ends(history: tuple[Hashable, ...]) -> Iterator[tuple[Hashable, ...]]:
    """A history without its oldest nodes, longest first."""
    return (history[start:] for start in range(len(history)))


@given(corpora(), params)
def test_a_node_has_all_the_rules_that_end_there(corpus: Corpus, options: ExtractionParams) -> None:
    rules = make_engine("local").extract_rules(corpus, options)
    known = rules_as_dict(rules)
    for node in corpus.vocabulary:
        found = explain_node(rules, node)
        assert {rule.context for rule in found.rules} == {context for context in known if context[-1] == node}
        assert found.n_beginning == sum(context[0] == node for context in known)
        assert sum(found.rules_by_order.values()) == len(found.rules)
        assert found.max_order == max((len(context) for context in known if context[-1] == node), default=0)
        for rule in found.rules:
            counts, accepted = known[rule.context]
            assert {share.node: share.count for share in rule.next} == counts
            assert (rule.support, rule.accepted) == (sum(counts.values()), accepted)
            assert all(share.probability == pytest.approx(share.count / rule.support) for share in rule.next)
            assert [share.count for share in rule.next] == sorted(counts.values(), reverse=True)


@given(corpora(), params)
def test_a_rule_stands_beside_the_longest_accepted_end(corpus: Corpus, options: ExtractionParams) -> None:
    rules = make_engine("local").extract_rules(corpus, options)
    known = rules_as_dict(rules)
    for node in corpus.vocabulary:
        for rule in explain_node(rules, node).rules:
            accepted = (end for end in ends(rule.context[1:]) if end in known and known[end][1])
            assert rule.shorter == next(accepted, rule.context)
            counts, _ = known[rule.shorter]
            for share in rule.next:
                assert share.shorter == pytest.approx(counts[share.node] / sum(counts.values()))
            if rules.params.lower_orders != "hon":
                bits = sum(share.probability * math.log2(share.probability / share.shorter) for share in rule.next)
                assert rule.divergence == pytest.approx(bits, abs=1e-9)
                assert rule.order == 1 or rule.accepted == (rule.margin > 1e-9)


@given(corpora(), params)
def test_the_gain_is_the_mean_of_the_bits_that_longest_rules_save(corpus: Corpus, options: ExtractionParams) -> None:
    rules = make_engine("local").extract_rules(corpus, options)
    known = {context: counts for context, (counts, _) in rules_as_dict(rules).items()}

    def bits(context: tuple[Hashable, ...], target: Hashable) -> float:
        return -math.log2(known[context][target] / sum(known[context].values()))

    saved = dict.fromkeys(corpus.vocabulary, 0.0)
    for sequence, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
        for place in range(1, len(sequence)):
            history, target = sequence[:place], sequence[place]
            fitting = [end for end in ends(history) if target in known.get(end, ())]
            if fitting:
                saved[history[-1]] += weight * (bits(fitting[-1], target) - bits(fitting[0], target))
    for node in corpus.vocabulary:
        found = explain_node(rules, node)
        steps = sum(known.get((node,), {}).values())
        assert found.gain == pytest.approx(saved[node] / steps if steps else 0.0, abs=1e-9)
        assert -1e-9 <= found.gain <= found.entropy + 1e-9


def test_a_node_in_words() -> None:
    rules = extract_rules(Corpus.from_sequences(TRIPS))
    found = explain_node(rules, "centre")
    words = " ".join(str(found).split())
    assert "after dorm, then centre: library 100 % (centre alone: 44 %); seen 20 times" in words
    assert f"{found.rules[1].divergence:.2f} bits against a threshold of {found.rules[1].threshold:.2f}" in words
    assert "1 more rule" in found.describe(1)
    assert json.loads(json.dumps(found.to_dict()))["rules"][1]["margin"] == found.rules[1].margin
    assert str(explain_node(rules, "park")) == "park: nothing was seen to follow it, so it has no rules"
    assert "first order says all" in str(explain_node(rules, "dorm"))
    with pytest.raises(UnknownNodeError, match="no node 'moon'"):
        explain_node(rules, "moon")
