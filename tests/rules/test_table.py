"""RuleTable: columns that agree with each other, selections and exits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from honem import Corpus, ExtractionParams, HonemError, RuleTable, extract_rules
from tests.comparing import rules_as_dict
from tests.strategies import corpora, params

CITY = Corpus.from_sequences([["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20)


@pytest.fixture
def city() -> RuleTable:
    return extract_rules(CITY)


def test_a_table_tells_what_it_holds(city: RuleTable) -> None:
    shown = repr(city)
    assert "RuleTable(5 rules: 3 of order 1, 2 of order 2; 2 of order 2 or more accepted)" in shown
    assert (
        "after dorm, then downtown: library 100 % (downtown alone: 50 %); seen 20 times, 33.2 bits of evidence" in shown
    )
    number = next(number for number, rule in enumerate(city) if rule.context == ("dorm", "downtown"))
    assert city.describe(number) == "downtown | dorm -> library 100% (support 20, 33.2 bits of evidence)"
    paper = extract_rules(CITY, criterion="divergence")
    assert paper.describe(number) == (
        "downtown | dorm -> library 100% (support 20, 1.00 bits against a threshold of 0.46)"
    )


def test_rows_say_everything_about_a_rule(city: RuleTable) -> None:
    record = next(r for r in city.records() if r["context"] == ["dorm", "downtown"])
    assert record == {
        "context": ["dorm", "downtown"],
        "target": "library",
        "order": 2,
        "count": 20,
        "probability": 1.0,
        "support": 20,
        "divergence": pytest.approx(1.0),
        "threshold": pytest.approx(np.log2(2 / (0.05 * 2))),
        "evidence": pytest.approx(33.1738622),
        "q_value": pytest.approx(2 / 2 / 2**33.1738622),
        "accepted": True,
    }
    paper = next(
        r for r in extract_rules(CITY, criterion="divergence").records() if r["context"] == ["dorm", "downtown"]
    )
    assert paper == record | {"threshold": pytest.approx(2 / np.log2(21))}


@given(corpora(), params)
def test_arrow_and_records_say_the_same(corpus: Corpus, options: ExtractionParams) -> None:
    table = extract_rules(corpus, **vars(options))
    assert table.to_arrow().to_pylist() == list(table.records())


def test_pandas_has_a_row_a_target(city: RuleTable) -> None:
    frame = city.to_pandas()
    assert len(frame) == city.n_rows == 6
    assert len(city) == 5
    assert frame.query("order == 2")["probability"].tolist() == [1.0, 1.0]


def test_nodes_of_several_types_cannot_be_one_column() -> None:
    table = extract_rules(Corpus.from_sequences([[1, "a", 2.5, (1, 2)]]))
    with pytest.raises(HonemError, match="different types"):
        table.to_arrow()
    assert len(list(table.records())) == 3


@given(corpora(), params)
def test_selections_are_parts_of_the_whole(corpus: Corpus, options: ExtractionParams) -> None:
    table = extract_rules(corpus, **vars(options))
    whole = rules_as_dict(table)
    parts: dict[tuple[object, ...], object] = {}
    for order in range(1, table.max_order + 1):
        parts |= rules_as_dict(table.by_order(order))
        assert [tuple(row) for row in table.contexts(order).tolist()] == [
            tuple(corpus.vocabulary.id(label) for label in context) for context in whole if len(context) == order
        ]
    assert parts == whole
    node = corpus.vocabulary[0]
    assert rules_as_dict(table.for_node(node)) == {c: r for c, r in whole.items() if c[-1] == node}
    assert rules_as_dict(table.for_node(node, "oldest")) == {c: r for c, r in whole.items() if c[0] == node}
    assert rules_as_dict(table.for_node(node, "any")) == {c: r for c, r in whole.items() if node in c}


def test_unknown_words_are_refused(city: RuleTable) -> None:
    with pytest.raises(HonemError, match="'newest', 'oldest', 'any'"):
        city.for_node("dorm", "middle")  # type: ignore[arg-type]
    with pytest.raises(HonemError, match="no node 'mars'"):
        city.for_node("mars")
    with pytest.raises(HonemError, match="order"):
        city.by_order(0)
