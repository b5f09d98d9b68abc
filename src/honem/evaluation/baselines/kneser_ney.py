"""Interpolated Kneser-Ney n-grams, with the start of a sequence as a symbol."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np

from honem._internal.ragged import offsets_of, steps_of
from honem._internal.validation import require_whole
from honem.corpus import Corpus, Vocabulary
from honem.evaluation.baselines.ngrams import ngram_table
from honem.evaluation.methods import RegisteredMethod, register_method
from honem.evaluation.tasks.next_step import Learner, least_loss
from honem.prediction import RuleNextStep, StepScores
from honem.rules import RuleTable

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
    """

    order: int | None = None
    max_order: int = 6

    name = "kneser-ney"
    kind = "predictions"
    position = 150

    def __post_init__(self) -> None:
        require_whole("max_order", self.max_order, least=1)
        if self.order is not None:
            require_whole("order", self.order, least=1)

    def fit(self, corpus: Corpus) -> FromTheStart:
        """Choose the order if there is none, and count."""
        return kneser_ney(corpus, self.order or self.best_order(corpus))

    def best_order(self, corpus: Corpus) -> int:
        """Return the order that best predicts an inner split of a training corpus."""
        orders: dict[str, Learner] = {
            str(order): partial(kneser_ney, order=order) for order in range(1, self.max_order + 1)
        }
        return int(least_loss(orders, corpus))


@dataclass(frozen=True, eq=False)
class FromTheStart:
    """A model of rules in whose contexts the start of a sequence is a node, older than all others.

    That node is never predicted, and nothing is predicted right after it. Made from a table of n-grams this is
    interpolated Kneser-Ney: every context, except one that begins with the start, is counted by what came before it.
    """

    model: RuleNextStep

    @classmethod
    def of(cls, table: RuleTable) -> Self:
        """Return the model of a rule table that was made from `with_start(corpus)`."""
        start = len(table.vocabulary) - 1
        model = RuleNextStep.of(table.select((table.orders > 1) | (table.newest != start)))
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


def with_start(corpus: Corpus) -> Corpus:
    """Return the corpus with one more node, the last one, at the start of each sequence."""
    vocabulary = Vocabulary((*corpus.vocabulary.labels, START))
    tokens = np.insert(corpus.tokens, corpus.offsets[:-1], corpus.n_nodes)
    return Corpus(vocabulary, tokens, offsets_of(corpus.lengths + 1), corpus.weights)
