"""How much memory path data has: how many steps depend on more than the current node, and how much that is worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from honem.corpus import Corpus
from honem.errors import CorpusError
from honem.evaluation.tasks.next_step import hold_out_sequences, step_weights
from honem.prediction import RuleNextStep
from honem.rules import RuleTable

Extract = Callable[[Corpus], RuleTable]


@dataclass(frozen=True)
class HeldOutBits:
    """Bits per step on held-out sequences: what first order needs, and how many of them accepted rules save."""

    first_order: float
    saved: float
    n_steps: int


def share_of_changed_steps(corpus: Corpus, rules: RuleTable) -> float:
    """Return the share of all steps that come after an accepted context of order 2 or more.

    Parameters
    ----------
    corpus : Corpus
        The sequences.
    rules : RuleTable
        Their rules.

    Returns
    -------
    float
        Between 0 and 1. Steps count with the weights of their sequences.
    """
    accepted = rules.select(rules.accepted)
    orders = np.append(accepted.orders, 0)  # no rule, which is -1, has order 0
    is_changed = orders[RuleNextStep.of(accepted).rules_of_steps(corpus)] > 1
    return float(np.average(is_changed, weights=step_weights(corpus)))


def held_out_bits(corpus: Corpus, extract: Extract, seed: int = 0) -> HeldOutBits | None:
    """Measure how many bits per step the accepted rules save on sequences that they were not learned from.

    Parameters
    ----------
    corpus : Corpus
        The sequences; 20 % of them are held out.
    extract : callable
        How the rules of a corpus are extracted.
    seed : int, default=0
        Seed of the split.

    Returns
    -------
    HeldOutBits or None
        None if there are too few sequences to hold some out.
    """
    try:
        split = hold_out_sequences(corpus, seed=seed)
    except CorpusError:
        return None
    rules = extract(split.training)
    weights = step_weights(split.held_out)

    def bits(table: RuleTable) -> float:
        return -float(np.average(RuleNextStep.of(table).score(split.held_out).log_probabilities, weights=weights))

    first_order = bits(rules.by_order(1))
    return HeldOutBits(first_order, first_order - bits(rules.select(rules.accepted)), split.held_out.n_weighted_steps)
