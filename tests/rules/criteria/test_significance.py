"""The significance criterion: exact at any sample size, and what it promises about false discoveries."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, factorial, log2, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, RuleTable, extract_rules
from honem.evaluation.datasets import markov_surrogate, planted_paths
from honem.rules.criteria import ComparedCounts, Significance, log_q_values
from honem.rules.criteria.significance import CONCENTRATIONS, LEAST_E_VALUE, log_falling, log_rising

MARGINS = [(1, 1), (3, 3), (1, 1, 1), (6, 1), (4, 2, 1), (2, 2, 2, 2), (5, 1, 1, 1), (9, 4), (3, 3, 3)]


def exact_e_value(counts: tuple[int, ...], parent: tuple[int, ...]) -> Fraction:
    """The e-value in rational arithmetic, written out draw by draw."""
    support, parent_support = sum(counts), sum(parent)
    null = Fraction(prod(factorial(n) // factorial(n - c) for c, n in zip(counts, parent, strict=True)))
    null /= factorial(parent_support) // factorial(parent_support - support)
    values = []
    for a in map(Fraction, CONCENTRATIONS):
        draws = [a * n / parent_support + i for c, n in zip(counts, parent, strict=True) for i in range(c)]
        values.append(prod(draws, start=Fraction(1)) / prod(a + i for i in range(support)) / null)
    return sum(values, start=Fraction(0)) / len(values)


def outcomes(parent: tuple[int, ...], support: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """All successor counts that a subset of this size can have, with their probabilities if it is drawn at random."""
    for counts in product(*(range(n + 1) for n in parent)):
        if sum(counts) == support:
            subsets = prod(comb(n, c) for n, c in zip(parent, counts, strict=True))
            yield counts, Fraction(subsets, comb(sum(parent), support))


@pytest.mark.parametrize("parent", MARGINS)
def test_the_expectation_under_the_null_hypothesis_is_at_most_1_exactly(parent: tuple[int, ...]) -> None:
    for support in range(1, sum(parent) + 1):
        expected = sum((p * exact_e_value(counts, parent) for counts, p in outcomes(parent, support)), Fraction(0))
        assert expected <= 1
        assert support > 1 or expected == 1


@pytest.mark.parametrize("parent", MARGINS)
def test_the_score_is_the_exact_e_value(parent: tuple[int, ...]) -> None:
    for support in range(1, sum(parent) + 1):
        for counts, _ in outcomes(parent, support):
            own = {t: c for t, c in enumerate(counts) if c}
            found = Significance().score(own, dict(enumerate(parent)), 2)
            assert found == pytest.approx(log2(exact_e_value(counts, parent)), abs=1e-11)


@pytest.mark.parametrize("parent", MARGINS)
def test_no_outcome_exceeds_the_bound_that_decides_what_is_tested(parent: tuple[int, ...]) -> None:
    for support in range(1, sum(parent) + 1):
        largest = max(exact_e_value(counts, parent) for counts, _ in outcomes(parent, support))
        assert largest <= comb(sum(parent), support)
        if largest >= LEAST_E_VALUE:
            own = {0: support}  # which outcome it is does not matter
            assert Significance().is_tested(own, dict(enumerate(parent)), 2)


def test_permuted_successors_have_a_mean_e_value_of_at_most_1() -> None:
    rng = np.random.default_rng(5)
    parents = [np.array([40, 30, 20, 5, 3, 1, 1]), np.array([500, 100]), np.ones(60, np.int64)]
    for parent, support in product(parents, (2, 7, 30)):
        drawn = rng.multivariate_hypergeometric(parent, support, size=40_000)
        e_values = np.exp2(scores_of(drawn, parent))
        assert e_values.mean() <= 1 + 4 * e_values.std() / np.sqrt(len(e_values))


def scores_of(drawn: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """The vectorised scores of many subsets of one parent."""
    rows, targets = np.nonzero(drawn)
    return Significance().scores(
        ComparedCounts(
            orders=np.full(len(drawn), 2),
            offsets=np.append(0, np.cumsum(np.bincount(rows))),
            counts=drawn[rows, targets],
            compared=parent[targets],
            supports=drawn.sum(axis=1),
            compared_supports=np.full(len(drawn), parent.sum()),
        )
    )


@given(x=st.floats(0.001, 1e6), n=st.integers(0, 60))
def test_factorials_are_the_products_they_stand_for(x: float, n: int) -> None:
    assert log_rising(x, n) == pytest.approx(sum(np.log(x + i) for i in range(n)), rel=1e-12, abs=1e-9)
    assert log_falling(x + n, n) == pytest.approx(sum(np.log(x + n - i) for i in range(n)), rel=1e-12, abs=1e-9)


def test_factorials_do_not_cancel_where_counts_are_huge() -> None:
    assert log_falling(1e15, 3.0) == pytest.approx(3 * np.log(1e15), rel=1e-14)


SEEDS = range(20)


def higher(rules: RuleTable) -> list[tuple[Any, ...]]:
    """The accepted contexts of order 2 or more."""
    return [rule.context for rule in rules if rule.order > 1 and rule.accepted]


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_the_share_of_false_discoveries_is_at_most_alpha_on_planted_walks(alpha: float) -> None:
    shares, n_true = [], 0
    for seed in SEEDS:
        walks = planted_paths(
            60, 20_000, orders=(2, 3), contexts_per_order=15, length=40, out_degree=5, strength=0.7, seed=seed
        )
        found = higher(extract_rules(walks.corpus, alpha=alpha, max_order=5))
        false = [context for context in found if oldest_is_irrelevant(context, walks.contexts)]
        shares.append(len(false) / max(len(found), 1))
        n_true += len(found) - len(false)
    assert np.mean(shares) <= alpha
    assert n_true > 20 * 10  # there is something to find, and it is found


def oldest_is_irrelevant(context: tuple[int, ...], planted: frozenset[tuple[int, ...]]) -> bool:
    """Whether the null hypothesis holds: after its parent, no older node changes what comes next.

    That is so if the walk already follows a planted context, or if no planted context is longer than the parent.
    """
    parent = context[1:]
    is_decided = any(parent[start:] in planted for start in range(len(parent)))
    return is_decided or not any(other[-len(parent) :] == parent for other in planted if len(other) > len(parent))


def test_nothing_is_found_where_there_is_nothing_to_find() -> None:
    n_false = 0
    for seed in SEEDS:
        walks = planted_paths(100, 20_000, orders=(), out_degree=8, seed=seed).corpus
        draws = np.random.default_rng(seed).choice(20, 20_000, p=np.arange(1, 21) / 210)
        independent = Corpus.from_arrays(range(20), draws, np.full(400, 50))
        n_false += len(higher(extract_rules(walks))) + len(higher(extract_rules(independent)))
        n_false += len(higher(extract_rules(markov_surrogate(walks, 1, seed))))
    assert n_false <= 1  # a false discovery in 60 data sets is allowed by alpha; many are not


def test_a_surrogate_of_order_2_has_rules_of_order_2_only() -> None:
    walks = planted_paths(100, 100_000, orders=(2, 3), contexts_per_order=40, seed=1).corpus
    orders = {len(context) for context in higher(extract_rules(walks))}
    assert orders >= {2, 3}
    assert {len(context) for context in higher(extract_rules(markov_surrogate(walks, 2)))} == {2}


def test_starts_of_sequences_are_not_evidence() -> None:
    """At a start, c is followed by y; later by x or z, whatever came before: the older node tells nothing."""
    starts = [["c", "y"]] * 200
    later = [[older, "c", after] for older in "ab" for after in "xz" for _ in range(50)]
    rules = extract_rules(Corpus.from_sequences(starts + later))
    assert not higher(rules)
    assert higher(extract_rules(Corpus.from_sequences(starts + later), criterion="divergence"))


def test_one_sequence_that_repeats_itself_is_one_observation_of_sequences() -> None:
    others = [["b", "c", after] for after in "xy" for _ in range(30)]
    corpus = Corpus.from_sequences([["a", "c", "x"] * 100, *others])
    assert ("a", "c") in higher(extract_rules(corpus))
    assert ("a", "c") not in higher(extract_rules(corpus, count="sequences"))
    many = Corpus.from_sequences([["a", "c", "x"]] * 100 + others)
    assert ("a", "c") in higher(extract_rules(many, count="sequences"))


def test_long_sequences_without_memory_yield_nothing_when_sequences_are_counted() -> None:
    """Counting a sequence once per context and successor would find rules here: frequent contexts saw everything."""
    chances = np.array([[0, 0.7, 0.2, 0.1], [0.85, 0, 0.1, 0.05], [0.9, 0.05, 0, 0.05], [0.95, 0.02, 0.03, 0]])
    rng = np.random.default_rng(0)
    states = np.zeros((500, 60), np.int64)
    for step in range(1, states.shape[1]):
        drawn = rng.random(len(states))[:, None] > np.cumsum(chances, axis=1)[states[:, step - 1]]
        states[:, step] = np.minimum(drawn.sum(axis=1), 3)
    corpus = Corpus.from_arrays(range(4), states.ravel(), np.full(len(states), states.shape[1]))
    assert not higher(extract_rules(corpus, count="sequences"))


def test_counts_of_rules_are_occurrences_whatever_is_counted_for_evidence() -> None:
    corpus = planted_paths(60, 20_000, orders=(2,), contexts_per_order=20, length=40, seed=0).corpus
    by_context = {rule.context: rule for rule in extract_rules(corpus)}
    for rule in extract_rules(corpus, count="sequences"):
        if rule.context in by_context:
            assert rule.support == by_context[rule.context].support


@given(st.lists(st.floats(0, 60), min_size=1, max_size=30), st.integers(0, 1000), st.floats(0.001, 0.9))
def test_decisions_are_those_of_the_e_bh_procedure(evidence: list[float], more: int, alpha: float) -> None:
    """Written out: the largest R with E_(R) >= M / (alpha R), and the R largest are accepted."""
    n_tested = len(evidence) + more
    ranked = sorted(evidence, reverse=True)
    enough = [r for r, bits in enumerate(ranked, start=1) if bits - 1e-9 > log2(n_tested / (alpha * r))]
    n_accepted = max(enough, default=0)
    accepted = Significance(alpha=alpha).decide(np.array(evidence), n_tested)
    assert sorted(np.array(evidence)[accepted], reverse=True) == ranked[:n_accepted]


def test_equal_evidence_is_decided_equally_and_q_values_say_so() -> None:
    evidence = np.array([12.0, 5.0, 5.0, 5.0, 4.4])
    q_values = np.exp2(log_q_values(evidence, evidence, 60))
    assert q_values[1] == q_values[2] == q_values[3] == pytest.approx(min(60 / (4 * 32), 60 / (5 * 2**4.4)))
    assert np.all(np.diff(q_values) >= 0)
    np.testing.assert_array_equal(Significance(alpha=0.5).decide(evidence, 60), q_values < 0.5)


def test_q_values_do_not_depend_on_alpha_and_decide_for_every_alpha() -> None:
    corpus = planted_paths(60, 20_000, orders=(2, 3), contexts_per_order=15, length=40, seed=3).corpus
    loose = {rule.context: rule for rule in extract_rules(corpus, alpha=0.05)}
    strict = extract_rules(corpus, alpha=0.001)
    for rule in strict:
        assert rule.q_value == pytest.approx(loose[rule.context].q_value)
        assert rule.order == 1 or rule.accepted == (rule.q_value < 0.001)
    assert len(higher(strict)) < sum(rule.accepted for rule in loose.values() if rule.order > 1)


def test_rules_of_the_divergence_carry_the_same_evidence() -> None:
    corpus = planted_paths(60, 20_000, orders=(2, 3), contexts_per_order=15, length=40, seed=3).corpus
    trusted = {rule.context: rule for rule in extract_rules(corpus)}
    paper = {rule.context: rule for rule in extract_rules(corpus, criterion="divergence")}
    both = trusted.keys() & paper.keys()
    assert sum(len(context) > 1 for context in both) > 10
    for context in both:
        assert paper[context].evidence == pytest.approx(trusted[context].evidence, abs=1e-9)
        assert paper[context].q_value == pytest.approx(trusted[context].q_value)
