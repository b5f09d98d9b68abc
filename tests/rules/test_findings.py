"""Rules for reading: iteration, indexing, the strongest findings, and how they are shown."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, ExtractionParams, ParameterError, RuleTable, extract_rules
from honem.rules import Findings, Rule, Successor
from honem.rules.engines import make_engine
from tests.comparing import rules_as_dict
from tests.strategies import corpora, params

Label = tuple[object, ...]

# What follows "c" depends on the node before it; after "e, c" only on the node before "e".
TRIPS = Corpus.from_sequences(
    [list("acx"), list("bcy"), list("aecx"), list("becy"), list("fecx"), list("fecy")], [40, 60, 20, 30, 10, 10]
)


@pytest.fixture(scope="module", params=["significance", "divergence"])
def rules(request: pytest.FixtureRequest) -> RuleTable:
    table = extract_rules(TRIPS, criterion=request.param)
    assert {rule.context for rule in table if rule.accepted and rule.order > 1} >= {
        ("a", "c"),
        ("b", "c"),
        ("a", "e", "c"),
        ("b", "e", "c"),
    }
    return table


def longest_accepted_suffix(context: Label, known: dict[Label, tuple[dict[object, int], bool]]) -> Label:
    """The context itself if there is none."""
    suffixes = (context[start:] for start in range(1, len(context)))
    return next((suffix for suffix in suffixes if suffix in known and known[suffix][1]), context)


@given(corpora(), params)
def test_every_rule_is_what_the_columns_say(corpus: Corpus, options: ExtractionParams) -> None:
    table = make_engine("local").extract_rules(corpus, options)
    known = rules_as_dict(table)
    found = list(table)
    assert len(table) == len(found) == table.n_rules == len(known)
    assert [rule.context for rule in found] == list(known)
    for number, rule in enumerate(found):
        counts, accepted = known[rule.context]
        assert (rule.accepted, rule.order, rule.support) == (accepted, len(rule.context), sum(counts.values()))
        columns = (table.divergences, table.evidence, table.q_values, table.thresholds)
        facts = (rule.divergence, rule.evidence, rule.q_value, rule.threshold)
        np.testing.assert_array_equal(facts, [column[number] for column in columns])
        assert rule.bits_saved == rule.support * rule.divergence
        assert rule.shorter == longest_accepted_suffix(rule.context, known)
        before = known[rule.shorter][0]
        assert {successor.node: successor for successor in rule.successors} == {
            node: Successor(node, n, n / rule.support, before[node] / sum(before.values()))
            for node, n in counts.items()
        }
        assert [successor.count for successor in rule.successors] == sorted(counts.values(), reverse=True)


def test_indexing_is_that_of_a_sequence(rules: RuleTable) -> None:
    listed = list(rules)
    assert [rules[number] for number in range(len(rules))] == listed
    assert [rules[number] for number in range(-len(rules), 0)] == listed
    assert rules[int(np.int64(2))] == listed[2]
    assert list(rules[1:4]) == listed[1:4]
    for outside in (len(rules), -len(rules) - 1):
        with pytest.raises(IndexError):
            rules[outside]
    assert rules[-1].context == rules.context(len(rules) - 1)
    assert len(rules.select(np.zeros(len(rules), np.bool_))) == 0


@given(corpora(), params, st.data())
def test_a_rule_of_a_selection_is_the_same_rule(corpus: Corpus, options: ExtractionParams, data: st.DataObject) -> None:
    """Whatever is selected, and selected again: what a rule is compared with need not be among the selected."""
    table = make_engine("local").extract_rules(corpus, options)
    whole = list(table)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(whole), max_size=len(whole))), np.bool_)
    part = table.select(chosen)
    assert list(part) == [whole[number] for number in np.flatnonzero(chosen)]
    again = np.array(data.draw(st.lists(st.booleans(), min_size=len(part), max_size=len(part))), np.bool_)
    assert list(part.select(again)) == [whole[number] for number in np.flatnonzero(chosen)[again]]
    for order in table.rules_by_order:
        assert list(table.by_order(order)) == [rule for rule in whole if rule.order == order]


def test_selections_know_the_shorter_rule(rules: RuleTable) -> None:
    second = next(rule for rule in rules.by_order(2) if rule.context == ("a", "c"))
    assert second.shorter == ("c",)
    assert second.largest_change == Successor("x", 40, 1.0, 70 / 170)
    assert [rule.context for rule in rules.by_order(3).for_node("a", "oldest")] == [("a", "e", "c")]
    (third,) = rules.by_order(3).for_node("a", "oldest")
    assert third in list(rules)
    assert third.shorter == ("c",)  # "e, c" is no accepted rule
    assert third.successors == (Successor("x", 20, 1.0, 70 / 170),)


@given(corpora(), params, st.integers(1, 6), st.sampled_from(["evidence", "bits_saved", "divergence", "support"]))
def test_the_strongest_are_the_accepted_with_the_largest_values(
    corpus: Corpus, options: ExtractionParams, n: int, by: Any
) -> None:
    table = make_engine("local").extract_rules(corpus, options)
    found = table.top(n, by)
    candidates = [rule for rule in table if rule.accepted and rule.order > 1]
    assert isinstance(found, Findings)
    assert len(found) == min(n, len(candidates))
    assert list(found) == sorted(candidates, key=lambda rule: -getattr(rule, by))[:n]  # ties as in the table


def test_what_is_not_accepted_or_of_first_order_is_no_finding(rules: RuleTable) -> None:
    kept_only = [rule.context for rule in rules if not rule.accepted]
    assert ("e", "c") in kept_only
    found = {rule.context for rule in rules.top(len(rules))}
    assert found.isdisjoint(kept_only)
    assert all(len(context) > 1 for context in found)
    assert len(found) == sum(rule.accepted and rule.order > 1 for rule in rules)
    assert len(rules.top()) == len(found)
    assert len(rules.top(2)) == 2


def test_an_order_by_something_else(rules: RuleTable) -> None:
    assert rules.top(1)[0].context == rules.top(1, by="evidence")[0].context == ("a", "c")
    assert rules.top(1, by="support")[0].context == ("b", "c")
    first = rules.top(1, by="divergence")[0]
    assert first.divergence == max(rule.divergence for rule in rules if rule.accepted)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 0}, "n must be a whole number of at least 1, not 0"),
        ({"n": 2.5}, r"n must be a whole number of at least 1, not 2\.5"),
        ({"by": "q_value"}, "by must be one of 'evidence', 'bits_saved', 'divergence', 'support', not 'q_value'"),
    ],
)
def test_what_cannot_be_ranked_is_refused(rules: RuleTable, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        rules.top(**options)


def test_rules_without_evidence_can_be_ranked_by_something_else(rules: RuleTable) -> None:
    """As they are in stores of version 0.1.0."""
    unknown = np.full(len(rules), np.nan)
    old = replace(rules, evidence=unknown, q_values=unknown)
    assert [rule.context for rule in old.top(3, by="support")] == [rule.context for rule in rules.top(3, by="support")]
    assert len(old.top(3)) == 3
    assert all(row[-2:] == ("", "") for row in old.top(3).rows())
    assert "nan" not in f"{old.top(3)} {old.top(3)._repr_html_()}"


def test_a_table_of_findings_is_aligned(rules: RuleTable) -> None:
    lines = str(rules.top(3)).split("\n")
    assert lines[0].split() == ["context", "next", "share", "without", "oldest", "seen", "evidence", "q"]
    assert len(lines) == 4
    assert re.fullmatch(r"a > c +x +100 % +41 % +40 +[\d.]+ +\S+", lines[1])
    assert len({len(line) for line in lines}) == 1
    assert repr(rules.top(3)) == f"Findings(3 rules)\n{rules.top(3)}"
    assert repr(rules.top(1)).startswith("Findings(1 rule)\n")


def test_the_successor_shown_is_the_one_whose_probability_rises_most() -> None:
    frequent, risen = Successor("often", 60, 0.6, 0.7), Successor("risen", 40, 0.4, 0.1)
    rule = Rule(("a", "b"), ("b",), (frequent, risen), 100, 1.0, 9.0, 0.01, 5.0, True, verdict="")
    assert rule.largest_change is risen
    assert Findings([rule]).rows() == [("a > b", "risen", "40 %", "10 %", "100", "9.0", "0.01")]


def test_tables_show_the_strongest_findings_first(rules: RuleTable) -> None:
    head, *lines = repr(rules).split("\n")
    assert head.startswith(f"RuleTable({len(rules)} rules: 5 of order 1, ")
    n_accepted = sum(rule.accepted and rule.order > 1 for rule in rules)
    assert head.endswith(f"; {n_accepted} of order 2 or more accepted)")
    assert lines == [str(rule) for rule in rules.top(5)]
    html = rules._repr_html_()
    assert html.startswith(f"<p>{head}</p><table>")
    assert cells(html)[1:] == [list(row) for row in rules.top(5).rows()]


def test_a_table_without_findings_says_so() -> None:
    table = extract_rules(Corpus.from_sequences([list("abc")]))
    assert table.top(3) == ()
    assert str(table.top(3)) == "no accepted rule of order 2 or more"
    assert repr(table.top(3)) == "Findings(no rules)"
    assert repr(table) == "RuleTable(2 rules: 2 of order 1; 0 of order 2 or more accepted)"
    assert repr(table.select(np.zeros(2, np.bool_))).startswith("RuleTable(0 rules: empty;")
    assert len(cells(table._repr_html_())) <= 1


def test_labels_are_escaped() -> None:
    hostile, tag, quotes = "<script>alert('x')</script>", "<b>&amp;", "\"a\" & 'b'\n\x1b[31m"
    trips = [[hostile, tag, quotes], ["home", tag, "office"]]
    table = extract_rules(Corpus.from_sequences(trips, [30, 30]))
    (found,) = (rule for rule in table.top(9) if rule.context[0] == hostile)
    for html in (table._repr_html_(), table.top(9)._repr_html_()):
        assert set(re.findall(r"</?(\w+)", html)) <= {"p", "table", "thead", "tbody", "tr", "th", "td"}
        assert ["<script>alert('x')</script> > <b>&amp;", "\"a\" & 'b'\\n\\x1b[31m"] in [row[:2] for row in cells(html)]
    for text in (str(found), str(table.top(9)), repr(table)):
        assert all(line.isprintable() for line in text.split("\n"))
    assert len(str(table.top(9)).split("\n")) == 3


def cells(html: str) -> list[list[str]]:
    """The text of the cells of a table, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)] for row in rows]
