"""Who beats whom: duels, tallies and ranks are what they are by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem.evaluation.reproduce.claims import (
    CaseScore,
    ClaimCount,
    Duel,
    case_scores,
    duel_table,
    duels,
    in_words,
    mean_ranks,
    rank_table,
    ranks,
    tally,
)
from honem.evaluation.reproduce.tables import Value

SCORES = [
    CaseScore("links", "d", "honem", 0.50),
    CaseScore("links", "d", "honem:preset=paper", 0.40),
    CaseScore("links", "d", "walk", 0.40),
    CaseScore("links", "d", "line", 0.503),
    CaseScore("links", "e", "honem", 0.20),
    CaseScore("links", "e", "walk", 0.30),
    CaseScore("classes", "d: area", "honem", 0.80),
    CaseScore("classes", "d: area", "line", 0.40),
]
OURS = ["honem", "honem:preset=paper"]


def test_each_of_ours_meets_every_other_where_both_have_a_number() -> None:
    fought = duels(SCORES, OURS)
    assert [(duel.task, duel.case, duel.ours, duel.other) for duel in fought] == [
        ("links", "d", "honem", "walk"),
        ("links", "d", "honem:preset=paper", "walk"),
        ("links", "d", "honem", "line"),
        ("links", "d", "honem:preset=paper", "line"),
        ("links", "e", "honem", "walk"),
        ("classes", "d: area", "honem", "line"),
    ]
    assert [duel.verdict for duel in fought] == ["won", "tied", "tied", "lost", "lost", "won"]
    assert fought[0].ratio == pytest.approx(1.25)
    assert tally(duel for duel in fought if duel.ours == "honem") == ClaimCount(won=2, tied=1, lost=1)
    assert duels(SCORES, []) == []


positive = st.floats(0.01, 1)


@given(positive, positive)
def test_a_duel_seen_from_the_other_side(mine: float, theirs: float) -> None:
    one, back = (Duel("t", "d", "a", "b", *values) for values in ((mine, theirs), (theirs, mine)))
    mirror = {"won": "lost", "lost": "won", "tied": "tied"}
    assert back.verdict == mirror[one.verdict]
    assert one.ratio * back.ratio == pytest.approx(1)


def test_nothing_against_nothing_is_a_tie() -> None:
    nothing, something = Duel("t", "d", "a", "b", 0.0, 0.0), Duel("t", "d", "a", "b", 0.1, 0.0)
    assert nothing.verdict == "tied"
    assert math.isnan(nothing.ratio)
    assert (something.verdict, something.ratio) == ("won", math.inf)


@given(st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12))
def test_ranks_count_the_better_and_half_of_the_equal(values: list[float]) -> None:
    for value, rank in zip(values, ranks(values), strict=True):
        better, equal = sum(other > value for other in values), sum(other == value for other in values)
        assert rank == better + (equal + 1) / 2


def test_mean_ranks_are_over_the_cases_a_method_took_part_in() -> None:
    found: dict[str, Any] = mean_ranks(SCORES)
    assert found["honem"] == (pytest.approx((2 + 2 + 1) / 3), 3)
    assert found["line"] == (pytest.approx((1 + 2) / 2), 2)
    assert found["walk"] == (pytest.approx((3.5 + 1) / 2), 2)
    assert found["honem:preset=paper"] == (3.5, 1)
    assert list(found) == ["line", "honem", "walk", "honem:preset=paper"]


def test_tables_and_words_say_the_same() -> None:
    fought = [duel for duel in duels(SCORES, OURS) if duel.task == "links"]
    table = duel_table("links", fought)
    assert table.columns == (
        *("data", "method", "its number"),
        *("honem", "ratio", "verdict"),
        *("honem:preset=paper", "ratio", "verdict"),
    )
    assert table.rows[0] == ("d", "walk", "0.400", "0.500", "1.25", "**won**", "0.400", "1.00", "tied")
    assert table.rows[2] == ("e", "walk", "0.300", "0.200", "0.67", "lost", "-", "-", "-")
    assert in_words("links", fought) == (
        "**Links**: `honem` won 1, tied 1 and lost 1 of 3; `honem:preset=paper` won 0, tied 1 and lost 1 of 2."
    )
    ranked = rank_table(SCORES)
    assert ranked.columns == ("method", "all tasks", "cases", "links", "classes")
    assert ranked.rows[0] == ("line", "1.50", "2", "1.00", "2.00")
    assert ranked.rows[2] == ("walk", "2.25", "2", "2.25", "-")


def test_scores_are_the_means_of_a_table() -> None:
    assert case_scores("links", {("honem", "d"): Value(0.5, 0.1, 3)}) == [CaseScore("links", "d", "honem", 0.5)]
