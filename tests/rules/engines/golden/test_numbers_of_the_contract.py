"""The numbers that fix the meaning of rules and matrices: the paper's example and the traps around it."""

from __future__ import annotations

from typing import Any

import pytest

from honem import Corpus, RuleTable, extract_rules
from honem.rules.engines import ENGINES
from tests.comparing import rules_as_dict
from tests.rules.engines.distributed.sessions import on_spark, shared_session

IN_MEMORY = [name for name in ENGINES if name != "spark"]
pytestmark = pytest.mark.parametrize("engine", [*IN_MEMORY, pytest.param("spark", marks=[on_spark, pytest.mark.slow])])


@pytest.fixture(autouse=True)
def session(engine: str) -> None:
    """Spark's session, or its reason to be skipped."""
    if engine == "spark":
        shared_session()


PAPER = list("ACDEACDBCE")


def extract(corpus: Corpus, **options: Any) -> RuleTable:
    """Extract with the criterion of the paper."""
    return extract_rules(corpus, criterion="divergence", **options)


def letters(**copies: int) -> Corpus:
    """Sequences written as words, one letter a node, each as often as said."""
    return Corpus.from_sequences([list(word) for word in copies], weights=list(copies.values()))


def contexts_of(table: RuleTable, order: int) -> set[str]:
    return {"".join(map(str, context)) for context in rules_as_dict(table) if len(context) == order}


def test_first_order_of_the_papers_example(engine: str) -> None:
    table = extract(Corpus.from_sequences([PAPER]), engine=engine, max_order=3)
    rows = {(*record["context"], record["target"]): record["probability"] for record in table.records()}
    assert rows == pytest.approx(
        {
            ("A", "C"): 1,
            ("B", "C"): 1,
            ("C", "D"): 2 / 3,
            ("C", "E"): 1 / 3,
            ("D", "B"): 1 / 2,
            ("D", "E"): 1 / 2,
            ("E", "A"): 1,
        }
    )


@pytest.mark.parametrize(
    ("copies", "tau", "second_order"),
    [
        (1, 1.0, set()),
        (1, 0.46, {"AC", "BC"}),
        (2, 1.0, {"BC"}),
        (3, 1.0, {"BC"}),
        (4, 1.0, {"BC"}),
        (5, 1.0, {"AC", "BC"}),
    ],
)
def test_second_order_of_the_papers_example(engine: str, copies: int, tau: float, second_order: set[str]) -> None:
    table = extract(Corpus.from_sequences([PAPER] * copies), engine=engine, max_order=3, tau=tau)
    assert contexts_of(table, 2) == second_order
    assert table.max_order == (2 if second_order else 1)


def test_divergence_and_threshold_of_the_papers_example(engine: str) -> None:
    table = extract(Corpus.from_sequences([PAPER]), engine=engine, max_order=3, tau=0.46).by_order(2)
    assert [table.context(rule) for rule in range(2)] == [("A", "C"), ("B", "C")]
    assert table.divergences == pytest.approx([0.585, 1.585], abs=1e-3)
    assert table.thresholds / 0.46 == pytest.approx([1.262, 2], abs=1e-3)


def test_a_harmless_middle_is_kept_by_all_and_not_by_hon(engine: str) -> None:
    corpus = letters(cw=60, pbcx=10, qbcy=10)
    assert "bc" in contexts_of(extract(corpus, engine=engine), 2)
    assert "bc" not in contexts_of(extract(corpus, engine=engine, lower_orders="hon"), 2)


def test_growth_goes_on_behind_a_context_that_looks_harmless(engine: str) -> None:
    table = extract(letters(cx=5, zbcx=1, abcy=2), engine=engine)
    assert rules_as_dict(table)[tuple("abc")] == ({"y": 2}, True)
    rule = [table.context(rule) for rule in range(table.n_rules)].index(tuple("abc"))
    assert table.divergences[rule] == pytest.approx(2)
    assert table.thresholds[rule] == pytest.approx(1.893, abs=1e-3)


def test_the_order_of_sequences_does_not_matter(engine: str) -> None:
    one = extract(letters(cx=7, zbcx=1, abcy=1), engine=engine)
    other = extract(letters(cx=7, abcy=1, zbcx=1), engine=engine)
    assert rules_as_dict(one) == rules_as_dict(other)


@pytest.mark.parametrize("min_support", [1, 2, 3])
def test_support_of_a_context_makes_up_no_rule(engine: str, min_support: int) -> None:
    corpus = letters(abx=6, aby=2, cbx=2, cby=6, bz=1)
    assert extract(corpus, engine=engine, min_support=min_support).max_order == 1


def test_support_of_a_transition_does(engine: str) -> None:
    corpus = letters(abx=6, aby=2, cbx=2, cby=6, bz=1)
    table = extract(corpus, engine=engine, min_support=3, support="transition")
    assert rules_as_dict(table)[("a", "b")] == ({"x": 6}, True)
    assert [r["probability"] for r in table.records() if r["context"] == ["a", "b"]] == [1.0]


HALVES = letters(axp=20, bxq=20)
# Of 40 successors of x, 20 belong to ax, all of them p: the chance is one of (40 over 20) subsets. The alternative of
# concentration c draws 20 times p with probability (c/2)(c/2 + 1)...(c/2 + 19) / c(c + 1)...(c + 19).
EVIDENCE_OF_HALVES = 33.173862


def test_evidence_and_q_values_of_two_opposite_contexts(engine: str) -> None:
    table = extract_rules(HALVES, engine=engine)
    assert rules_as_dict(table)[tuple("ax")] == ({"p": 20}, True)
    assert table.evidence == pytest.approx([0, 0, 0, EVIDENCE_OF_HALVES, EVIDENCE_OF_HALVES], abs=1e-6)
    assert table.q_values == pytest.approx([1, 1, 1, 2**-EVIDENCE_OF_HALVES, 2**-EVIDENCE_OF_HALVES], rel=1e-6)
    assert table.tests == (2, 2)
    assert table.divergences.tolist() == pytest.approx([0, 0, 0, 1, 1])


@pytest.mark.parametrize(("copies", "n_tested", "n_accepted"), [(2, 0, 0), (3, 2, 0), (4, 2, 0), (5, 2, 2)])
def test_ten_observations_can_be_enough(engine: str, copies: int, n_tested: int, n_accepted: int) -> None:
    """(4 over 2) = 6 subsets are too few to be tested. E is 4.6, 12.7 and 38.3 with three to five copies."""
    table = extract_rules(letters(axp=copies, bxq=copies), engine=engine, alpha=0.5)
    assert table.tests == (n_tested, n_accepted)
    assert table.max_order == (2 if n_accepted else 1)


def test_starts_of_sequences_are_no_occurrences_of_a_parent(engine: str) -> None:
    """All extensions of x are alike; only at the start of a sequence, something else follows."""
    table = extract_rules(letters(axp=20, bxp=20, xq=40), engine=engine)
    assert table.max_order == 1
    assert extract(letters(axp=20, bxp=20, xq=40), engine=engine).max_order == 2


def test_a_sequence_counts_once_if_asked_for(engine: str) -> None:
    """One entity goes the same way many times: many occurrences, and one sequence for each context."""
    corpus = letters(**{"axp" * 20: 1, "bxq" * 20: 1})
    assert extract_rules(corpus, engine=engine, max_order=2).max_order == 2
    assert extract_rules(corpus, engine=engine, max_order=2, count="sequences").max_order == 1
    table = extract_rules(HALVES, engine=engine, count="sequences")
    assert table.evidence[-2:] == pytest.approx([EVIDENCE_OF_HALVES] * 2, abs=1e-6)
