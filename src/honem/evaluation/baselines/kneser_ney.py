"""N-grams: every history up to a length, whether it matters or not, as counted or as Kneser and Ney count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of, steps_of
from honem._internal.validation import require_whole
from honem.corpus import Corpus, Vocabulary
from honem.prediction import NextStep, StepScores
from honem.rules import ExtractionParams, RuleTable

START = ("the start of a sequence",)
"""A label that no node has."""

Level = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]
"""Contexts as rows of nodes, (context, target) as one number, and their counts."""


@dataclass(frozen=True, eq=False)
class FromTheStart:
    """A model of rules in whose contexts the start of a sequence is a node of its own, older than all others.

    Nothing is ever predicted to be that node, and nothing right after it. Of a table of n-grams this makes
    interpolated Kneser-Ney: every history but one that begins with the start is known by what came before it.
    """

    model: NextStep

    @classmethod
    def of(cls, table: RuleTable) -> Self:
        """The model of a rule table that was made from `with_start(corpus)`."""
        start = len(table.vocabulary) - 1
        model = NextStep.of(table.select((table.orders > 1) | (table.newest != start)))
        return cls(replace(model, base=np.append(model.base[:-1] + model.base[-1] / start, 0.0)))

    def score(self, corpus: Corpus) -> StepScores:
        """As NextStep scores, for a corpus without starts."""
        padded = with_start(corpus)
        scores = self.model.score(padded)
        is_step = steps_of(padded.lengths)[1] > 1
        return StepScores(scores.log_probabilities[is_step], scores.ranks[is_step])


def kneser_ney(corpus: Corpus, order: int) -> FromTheStart:
    """Interpolated Kneser-Ney with histories of up to `order` nodes: an (order + 1)-gram model.

    Below the highest order a history counts by the ways it was come to: what is seen often, but only after one
    longer history, is no good guess elsewhere.
    """
    return FromTheStart.of(ngram_table(with_start(corpus), order))


def with_start(corpus: Corpus) -> Corpus:
    """The corpus with one more node, the last, that stands before each sequence."""
    vocabulary = Vocabulary((*corpus.vocabulary.labels, START))
    tokens = np.insert(corpus.tokens, corpus.offsets[:-1], corpus.n_nodes)
    return Corpus(vocabulary, tokens, offsets_of(corpus.lengths + 1), corpus.weights)


def ngram_table(corpus: Corpus, order: int) -> RuleTable:
    """All contexts of up to `order` nodes with all their targets, as if every one had been accepted.

    >>> table = ngram_table(Corpus.from_sequences([list("abac")]), 2)
    >>> [(table.context(rule), int(table.supports[rule])) for rule in range(table.n_rules)]
    [(('a',), 2), (('b',), 1), (('b', 'a'), 1), (('a', 'b'), 1)]
    """
    require_whole("order", order, least=1)
    ends, lengths = steps_of(corpus.lengths)
    weights = np.repeat(corpus.weights, np.maximum(corpus.lengths - 1, 0))
    contexts, parts = np.zeros((1, 0), np.int32), []
    places = np.zeros(len(ends), np.int64)
    for length in range(1, order + 1):
        longer = lengths >= length
        ends, lengths, weights, places = ends[longer], lengths[longer], weights[longer], places[longer]
        keys, places = np.unique(places * corpus.n_nodes + corpus.tokens[ends - length], return_inverse=True)
        oldest = (keys % corpus.n_nodes).astype(np.int32)
        contexts = np.column_stack((oldest, contexts[keys // corpus.n_nodes]))
        rows, row_of_step = np.unique(places * corpus.n_nodes + corpus.tokens[ends], return_inverse=True)
        parts.append((contexts, rows, _sum_by(row_of_step, weights, len(rows))))
    return _table(corpus, order, [part for part in parts if len(part[0])])


def _table(corpus: Corpus, order: int, levels: list[Level]) -> RuleTable:
    """The levels of an n-gram table, one under the other."""
    orders = np.concatenate([np.full(len(contexts), contexts.shape[1]) for contexts, _, _ in levels])
    amounts = [np.bincount(rows // corpus.n_nodes, minlength=len(contexts)) for contexts, rows, _ in levels]
    return RuleTable(
        vocabulary=corpus.vocabulary,
        params=ExtractionParams(tau=0.0, max_order=order),
        context_nodes=np.concatenate([contexts.reshape(-1) for contexts, _, _ in levels]),
        context_offsets=offsets_of(orders),
        target_offsets=offsets_of(np.concatenate(amounts)),
        targets=np.concatenate([(rows % corpus.n_nodes).astype(np.int32) for _, rows, _ in levels]),
        counts=np.concatenate([counts for _, _, counts in levels]),
        divergences=np.zeros(len(orders)),
        accepted=np.ones(len(orders), np.bool_),
    )


def _sum_by(group: NDArray[np.int64], weights: NDArray[np.int64], n_groups: int) -> NDArray[np.int64]:
    """Exact sums of whole numbers; floats, as np.bincount adds them, would lose the last digits of large ones."""
    sums = np.zeros(n_groups, np.int64)
    np.add.at(sums, group, weights)
    return sums
