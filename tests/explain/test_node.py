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
            assert {share.node: share.count for share in rule.successors} == counts
            assert (rule.support, rule.accepted) == (sum(counts.values()), accepted)
            assert all(share.probability == pytest.approx(share.count / rule.support) for share in rule.successors)
            assert [share.count for share in rule.successors] == sorted(counts.values(), reverse=True)


@given(corpora(), params)
def test_a_rule_stands_beside_the_longest_accepted_end(corpus: Corpus, options: ExtractionParams) -> None:
    rules = make_engine("local").extract_rules(corpus, options)
    known = rules_as_dict(rules)
    for node in corpus.vocabulary:
        for rule in explain_node(rules, node).rules:
            accepted = (end for end in ends(rule.context[1:]) if end in known and known[end][1])
            assert rule.shorter == next(accepted, rule.context)
            counts, _ = known[rule.shorter]
            for share in rule.successors:
                assert share.shorter == pytest.approx(counts[share.node] / sum(counts.values()))
            if rules.params.lower_orders != "hon":
                terms = (share.probability * math.log2(share.probability / share.shorter) for share in rule.successors)
                assert rule.divergence == pytest.approx(sum(terms), abs=1e-9)
            if rule.order > 1:
                score = rule.evidence if rules.params.criterion == "significance" else rule.divergence
                assert rule.accepted == (score > rule.threshold + 1e-9)


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


@given(corpora(), params)
def test_accepted_rules_come_first_and_the_others_are_counted(corpus: Corpus, options: ExtractionParams) -> None:
    rules = make_engine("local").extract_rules(corpus, options)
    for node in corpus.vocabulary:
        found = explain_node(rules, node)
        places = [(rule.order > 1, not rule.accepted, -rule.bits_saved) for rule in found.rules]
        assert places == sorted(places)
        assert found.n_kept_only == sum(not rule.accepted for rule in found.rules)
        words = " ".join(found.describe(len(found.rules)).split())
        assert words.count("kept for longer contexts only") == (found.n_kept_only + 1 if found.n_kept_only else 0)


@pytest.mark.parametrize("criterion", ["significance", "divergence"])
def test_a_node_in_words(criterion: str) -> None:
    rules = extract_rules(Corpus.from_sequences(TRIPS), criterion=criterion)
    found = explain_node(rules, "centre")
    words = " ".join(str(found).split())
    assert "after dorm, then centre: library 100 % (centre alone: 44 %); seen 20 times" in words
    rule = found.rules[1]
    verdicts = {
        "significance": f"{rule.evidence:.1f} bits of evidence",
        "divergence": f"{rule.divergence:.2f} bits against a threshold of {rule.threshold:.2f}",
    }
    assert verdicts[criterion] in words
    assert "1 more rule" in found.describe(1)
    as_json = json.loads(json.dumps(found.to_dict()))
    for fact in ("evidence", "q_value", "divergence", "threshold", "support", "bits_saved", "accepted"):
        assert as_json["rules"][1][fact] == getattr(rule, fact)
    assert (as_json["n_kept_only"], as_json["max_order"]) == (0, 2)
    assert str(explain_node(rules, "park")) == "park: nothing was seen to follow it, so it has no rules"
    assert "no longer context is a rule: the next step is predicted from dorm alone" in str(explain_node(rules, "dorm"))
    with pytest.raises(UnknownNodeError, match="no node 'moon'"):
        explain_node(rules, "moon")


def test_a_rule_that_is_kept_for_longer_contexts_is_shown_as_such() -> None:
    """What follows d, c depends on what precedes them; d alone before c changes nothing."""
    trips = [["a", "d", "c", "x"]] * 30 + [["b", "d", "c", "y"]] * 30 + [["e", "c", "x"]] * 30 + [["e", "c", "y"]] * 30
    found = explain_node(extract_rules(Corpus.from_sequences(trips)), "c")
    kept_only = [rule.context for rule in found.rules if not rule.accepted]
    assert kept_only == [("d", "c")]
    assert "(1 kept for longer contexts only)" in " ".join(str(found).split())
    line = next(line for line in str(found).split("\nafter") if line.startswith(" d, then c"))
    assert " ".join(line.split()).endswith("bits of evidence: kept for longer contexts only")
    assert [rule.context for rule in found.rules[1:3]] == [("a", "d", "c"), ("b", "d", "c")]
