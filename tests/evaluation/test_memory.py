"""How much memory data has: shares and bits, against the same written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from honem import Corpus, RuleTable, extract_rules, predict_next
from honem.evaluation.datasets import markov_surrogate, planted_paths
from honem.evaluation.memory import SavedBits, held_out_bits, share_of_changed_steps
from honem.evaluation.tasks.next_step import hold_out_sequences
from tests.strategies import corpora

WALKS = planted_paths(40, 8_000, orders=(2,), contexts_per_order=15, length=21, out_degree=4, seed=2).corpus


@given(corpora())
def test_the_share_of_changed_steps_is_counted_step_by_step(corpus: Corpus) -> None:
    rules = extract_rules(corpus, criterion="divergence", engine="reference")
    contexts = {rule.context for rule in rules if rule.accepted and rule.order > 1}
    changed = total = 0
    for nodes, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True):
        for end in range(1, len(nodes)):
            changed += weight * any(tuple(nodes[start:end]) in contexts for start in range(end))
            total += weight
    assert share_of_changed_steps(corpus, rules) == pytest.approx(changed / total)


def test_bits_are_those_of_the_held_out_steps() -> None:
    found = held_out_bits(WALKS, extract_rules)
    assert found is not None
    split = hold_out_sequences(WALKS, seed=0)
    rules = extract_rules(split.training)
    first, all_orders = (bits_of(table, split.held_out) for table in (rules.by_order(1), rules.select(rules.accepted)))
    assert found.first_order == pytest.approx(first)
    assert found.saved == pytest.approx(first - all_orders)
    assert found.saved > 0.1
    assert found.n_steps == split.held_out.n_steps
    assert found.new_sequences == SavedBits(found.first_order, found.saved, found.n_steps)


def bits_of(rules: RuleTable, corpus: Corpus) -> float:
    """Bits per step, one prediction at a time, of the first sequences."""
    losses = []
    for nodes in corpus.sequences():
        for end in range(1, len(nodes)):
            shares = {found.node: found.probability for found in predict_next(rules, nodes[:end], 40).nodes}
            losses.append(-math.log2(shares[nodes[end]]))
    return float(np.mean(losses))


def test_a_surrogate_has_nothing_to_save() -> None:
    surrogate = markov_surrogate(WALKS)
    assert share_of_changed_steps(surrogate, extract_rules(surrogate)) == 0
    found = held_out_bits(surrogate, extract_rules)
    assert found is not None
    assert found.saved == 0


def test_what_is_known_by_heart_is_told_from_what_is_new() -> None:
    random = np.random.default_rng(0)
    # Each walk is random, so its repetitions can only be known by heart.
    walks = [random.integers(0, 30, 12).tolist() for _ in range(60)]
    once = [random.integers(0, 30, 12).tolist() for _ in range(60)]
    found = held_out_bits(Corpus.from_sequences(walks + once, weights=[20] * 60 + [1] * 60), extract_rules)
    assert found is not None
    assert found.new_sequences is not None
    assert found.saved > 1.0
    assert found.new_sequences.saved < 0.1
    assert 0 < found.new_sequences.n_steps <= 11 * 60 < found.n_steps
    repeated = held_out_bits(Corpus.from_sequences([list("abcabd")] * 100), extract_rules)
    assert repeated is not None
    assert repeated.new_sequences is None


def test_one_sequence_cannot_be_held_out() -> None:
    assert held_out_bits(Corpus.from_sequences([list("abcabd")]), extract_rules) is None
