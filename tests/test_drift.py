"""Drift: changes that were planted are found, and chance gives no more alarms than it may."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from honem import HONEM, Corpus, ExtractionParams, InputError, ParameterError, extract_rules
from honem.drift import changed_rules, counts_in, evidence_of_change, is_testable
from honem.rules.criteria import Significance
from tests.strategies import corpora

PARAMS = ExtractionParams()


def walks(seed: int, n: int, bias: float = 0.5) -> list[list[int]]:
    """Walks on 12 nodes with a memory of two steps; after 3, 7 comes 1 with probability `bias`, or else 2."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        walk = rng.integers(12, size=2).tolist()
        for _ in range(6):
            if walk[-2:] == [3, 7]:
                walk.append(1 if rng.random() < bias else 2)
            else:
                walk.append(int((walk[-1] + rng.choice([2, 3, 4]) + (walk[-2] % 2) * 2) % 12))
        found.append(walk)
    return found


@given(corpora(), corpora())
def test_counts_evidence_and_tests_are_those_of_the_definition(old: Corpus, new: Corpus) -> None:
    both = old.joined(new)
    rules = extract_rules(both, alpha=0.5)
    counts = counts_in(both, old.n_sequences, rules)
    expected: Counter[tuple[tuple[object, ...], object]] = Counter()
    for sequence, weight in zip(new.sequences(), new.weights.tolist(), strict=True):
        for end in range(1, len(sequence)):
            for start in range(end):
                expected[sequence[start:end], sequence[end]] += weight
    criterion, evidence, tested = Significance(), [], []
    for rule in range(rules.n_rules):
        rows = range(rules.target_offsets[rule], rules.target_offsets[rule + 1])
        child = {row: expected[rules.context(rule), both.vocabulary[rules.targets[row]]] for row in rows}
        assert [counts[row] for row in rows] == list(child.values())
        parent = {row: int(rules.counts[row]) for row in rows}
        seen = {row: count for row, count in child.items() if count}
        if criterion.is_tested(seen, parent, 2):
            tested.append(rule)
            evidence.append(criterion.score(seen, parent, 2))
    assert is_testable(rules, counts).tolist() == tested
    np.testing.assert_allclose(evidence_of_change(rules, counts, np.array(tested, int)), evidence, atol=1e-6)


def test_a_planted_change_is_found() -> None:
    before, after = (Corpus.from_sequences(walks(seed, 1500, bias)) for seed, bias in ((1, 0.9), (2, 0.1)))
    changes, n_tested = changed_rules(before, after, PARAMS)
    assert changes[0].context[-2:] == (3, 7)
    assert {found.node for found in changes[0].successors[:2]} == {1, 2}
    assert changes[0].q_value < 0.05
    assert n_tested > len(changes)
    # A context is changed only if it ends in the planted one, or is its newest node.
    assert {change.context[-1] for change in changes} == {7}


def test_halves_of_the_same_data_give_no_alarm() -> None:
    """The false discovery rate is the share of splits with an alarm, because all of them would be false."""
    paths = walks(5, 600)
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(40):
        order = rng.permutation(len(paths)).tolist()
        old, new = (Corpus.from_sequences([paths[place] for place in half]) for half in (order[:300], order[300:]))
        alarms += bool(changed_rules(old, new, PARAMS)[0])
    assert alarms <= 0.05 * 40


def test_the_drift_of_models() -> None:
    before, after = (HONEM(4, preset="evidence").fit(walks(seed, 900, bias)) for seed, bias in ((1, 0.9), (2, 0.1)))
    vectors = after.embedding_
    drift = after.drift(before, k=3)
    assert after.embedding_ is vectors
    assert drift.movement.n_nodes == 12
    assert drift.neighbors == after.compare(before, 3)
    assert f"of {drift.n_tested} contexts changed (false discovery rate 0.05)" in str(drift)
    assert drift.to_dict()["rules"][0]["successors"][0]["old"] == drift.rules[0].successors[0].old
    with pytest.raises(ParameterError, match="alpha"):
        after.drift(before, alpha=1.5)
    before._paths = None
    with pytest.raises(InputError, match="does not hold the paths"):
        after.drift(before)
