"""Interpolated Kneser-Ney n-grams, with the start of a sequence as a symbol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of, steps_of
from honem._internal.validation import require_whole
from honem.corpus import Corpus, Vocabulary
from honem.evaluation.baselines.ngrams import ngram_table
from honem.evaluation.methods import Predictor, RegisteredMethod, register_method
from honem.evaluation.tasks.next_step import Learner, least_loss
from honem.prediction import RuleNextStep, StepScores
from honem.prediction.from_rules import own_counts
from honem.rules import RuleTable

Discounting = Callable[[NDArray[np.int64], RuleTable], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""From the counts of rows to what rows keep and what rules leave to shorter ones."""

START = ("the start of a sequence",)
"""A label that no node has."""


@register_method
@dataclass(frozen=True, kw_only=True)
class KneserNey(RegisteredMethod):
    """Interpolated Kneser-Ney; by default the order is the one that best predicts a part held out of the training data.

    Parameters
    ----------
    order : int, optional
        Length of the longest contexts: order k is a (k + 1)-gram model. By default it is chosen.
    max_order : int, default=6
        Highest order that is tried when the order is chosen.
    distinct : bool, default=False
        Whether equal sequences are in one part when the order is chosen, as they should be where the held-out
        sequences of the task do not occur in training.
    """

    order: int | None = None
    max_order: int = 6
    distinct: bool = False

    name = "kneser-ney"
    kind = "predictions"
    position = 150

    def __post_init__(self) -> None:
        require_whole("max_order", self.max_order, least=1)
        if self.order is not None:
            require_whole("order", self.order, least=1)

    def fit(self, corpus: Corpus) -> FromTheStart:
        """Choose the order if there is none, and count."""
        return self.learn(corpus, self.order or best_order(self.learn, self.max_order, corpus, distinct=self.distinct))

    def learn(self, corpus: Corpus, order: int) -> FromTheStart:
        """Count contexts of up to `order` nodes."""
        return kneser_ney(corpus, order)


@register_method
@dataclass(frozen=True, kw_only=True)
class ModifiedKneserNey(KneserNey):
    """Kneser-Ney with separate discounts for counts of 1, 2, and 3 or more (Chen and Goodman 1999).

    Parameters
    ----------
    order : int, optional
        Length of the longest contexts: order k is a (k + 1)-gram model. By default it is chosen.
    max_order : int, default=6
        Highest order that is tried when the order is chosen.
    distinct : bool, default=False
        Whether equal sequences are in one part when the order is chosen, as they should be where the held-out
        sequences of the task do not occur in training.
    """

    name = "modified-kneser-ney"
    position = 160

    def learn(self, corpus: Corpus, order: int) -> FromTheStart:
        """Count contexts of up to `order` nodes."""
        return FromTheStart.of(ngram_table(with_start(corpus), order), three_discounts)


def best_order(
    learn: Callable[[Corpus, int], Predictor], max_order: int, corpus: Corpus, *, distinct: bool = False
) -> int:
    """Return the order, from 1 to `max_order`, that best predicts an inner split of a training corpus."""

    def learner(order: int) -> Learner:
        return lambda part: learn(part, order)

    learners = {str(order): learner(order) for order in range(1, max_order + 1)}
    return int(least_loss(learners, corpus, distinct=distinct))


@dataclass(frozen=True, eq=False)
class FromTheStart:
    """A model of rules in whose contexts the start of a sequence is a node, older than all others.

    That node is never predicted, and nothing is predicted right after it. Made from a table of n-grams this is
    interpolated Kneser-Ney: every context, except one that begins with the start, is counted by what came before it.
    """

    model: RuleNextStep

    @classmethod
    def of(cls, table: RuleTable, discounting: Discounting | None = None) -> Self:
        """Return the model of a rule table that was made from `with_start(corpus)`."""
        start = len(table.vocabulary) - 1
        table = table.select((table.orders > 1) | (table.newest != start))
        model = RuleNextStep.of(table)
        if discounting is not None:
            shares, left_over = discounting(own_counts(table, model.parents), table)
            model = replace(model, shares=shares, left_over=left_over)
        return cls(replace(model, base=np.append(model.base[:-1] + model.base[-1] / start, 0.0)))

    def score(self, corpus: Corpus) -> StepScores:
        """Score the steps of a corpus without starts, as RuleNextStep does."""
        padded = with_start(corpus)
        scores = self.model.score(padded)
        is_step = steps_of(padded.lengths)[1] > 1
        return StepScores(scores.log_probabilities[is_step], scores.ranks[is_step])


def kneser_ney(corpus: Corpus, order: int) -> FromTheStart:
    """Return the interpolated Kneser-Ney model with contexts of up to `order` nodes: an (order + 1)-gram model.

    Below the highest order a context is counted once per longer context in which it was seen: what is frequent, but
    only after one longer context, is unlikely elsewhere.
    """
    return FromTheStart.of(ngram_table(with_start(corpus), order))


def three_discounts(counts: NDArray[np.int64], table: RuleTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return discounted shares of rows, and what rules leave to shorter ones, by the estimates of Chen and Goodman.

    0.5 is added to the numbers of rows that were counted k times, so that no discount is undefined.
    """
    orders = table.orders[table.rule_of_row]
    seen = [np.bincount(orders[counts == k], minlength=table.max_order + 1) + 0.5 for k in (1, 2, 3, 4)]
    ratio = seen[0] / (seen[0] + 2 * seen[1])
    by_count = [np.clip(k - (k + 1) * ratio * seen[k] / seen[k - 1], 0.05, k - 0.05) for k in (1, 2, 3)]
    discount = np.stack(by_count)[np.minimum(counts, 3) - 1, orders]
    sums = np.add.reduceat(counts, table.target_offsets[:-1])
    return (counts - discount) / sums[table.rule_of_row], np.add.reduceat(discount, table.target_offsets[:-1]) / sums


def with_start(corpus: Corpus) -> Corpus:
    """Return the corpus with one more node, the last one, at the start of each sequence."""
    vocabulary = Vocabulary((*corpus.vocabulary.labels, START))
    tokens = np.insert(corpus.tokens, corpus.offsets[:-1], corpus.n_nodes)
    return Corpus(vocabulary, tokens, offsets_of(corpus.lengths + 1), corpus.weights)
