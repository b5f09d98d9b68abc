"""How much memory path data has: how many steps depend on more than the current node, and how much that is worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus
from honem.errors import CorpusError
from honem.evaluation.tasks.next_step import hold_out_sequences, is_unseen_sequence, step_weights
from honem.prediction import RuleNextStep
from honem.rules import RuleTable

Extract = Callable[[Corpus], RuleTable]


@dataclass(frozen=True)
class SavedBits:
    """Bits per step on some steps: what first order needs, and how many of them accepted rules save."""

    first_order: float
    saved: float
    n_steps: int


@dataclass(frozen=True)
class HeldOutBits(SavedBits):
    """The same on all held-out steps, and on those of sequences that do not occur in training, or None.

    Where sequences repeat, most held-out ones are known from training, and rules of high order know them by heart.
    """

    new_sequences: SavedBits | None


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
        The sequences; 20 % of them are held out, of a sequence of weight w each of the w copies separately.
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
    rules, held_out, weights = extract(split.training), split.held_out, step_weights(split.held_out)
    first_order, all_orders = (
        -RuleNextStep.of(table).score(held_out).log_probabilities
        for table in (rules.by_order(1), rules.select(rules.accepted))
    )

    def saved_bits(counted: NDArray[np.int64]) -> SavedBits:
        first, rest = (float(np.average(bits, weights=counted)) for bits in (first_order, all_orders))
        return SavedBits(first, first - rest, int(counted.sum()))

    of_new = np.where(
        np.repeat(is_unseen_sequence(held_out, split.training), np.maximum(held_out.lengths - 1, 0)), weights, 0
    )
    found = saved_bits(weights)
    return HeldOutBits(found.first_order, found.saved, found.n_steps, saved_bits(of_new) if of_new.any() else None)
