"""N-grams: the counts of every context up to a length, whether it changes what comes next or not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of, steps_of
from honem._internal.validation import require_whole
from honem.corpus import Corpus
from honem.rules import ExtractionParams, RuleTable

NgramLevel = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]
"""Contexts as rows of nodes, (context, target) pairs as single numbers, and their counts."""


def ngram_table(corpus: Corpus, order: int) -> RuleTable:
    """Return all contexts of up to `order` nodes with all their targets, as if every one had been accepted.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    order : int
        Length of the longest contexts.

    Returns
    -------
    RuleTable

    Examples
    --------
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


def _table(corpus: Corpus, order: int, levels: list[NgramLevel]) -> RuleTable:
    """Stack the levels of an n-gram table."""
    orders = np.concatenate([np.full(len(contexts), contexts.shape[1]) for contexts, _, _ in levels])
    amounts = [np.bincount(rows // corpus.n_nodes, minlength=len(contexts)) for contexts, rows, _ in levels]
    return RuleTable(
        vocabulary=corpus.vocabulary,
        params=ExtractionParams(criterion="divergence", tau=0.0, max_order=order),
        context_nodes=np.concatenate([contexts.reshape(-1) for contexts, _, _ in levels]),
        context_offsets=offsets_of(orders),
        target_offsets=offsets_of(np.concatenate(amounts)),
        targets=np.concatenate([(rows % corpus.n_nodes).astype(np.int32) for _, rows, _ in levels]),
        counts=np.concatenate([counts for _, _, counts in levels]),
        divergences=np.zeros(len(orders)),
        evidence=np.zeros(len(orders)),
        q_values=np.ones(len(orders)),
        accepted=np.ones(len(orders), np.bool_),
    )


def _sum_by(group: NDArray[np.int64], weights: NDArray[np.int64], n_groups: int) -> NDArray[np.int64]:
    """Return exact sums of integers; np.bincount adds floats, which lose the last digits of large numbers."""
    sums = np.zeros(n_groups, np.int64)
    np.add.at(sums, group, weights)
    return sums
