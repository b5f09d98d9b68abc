"""All contexts of a corpus up to an order, level by level, with their successor counts and those of their parents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem import Corpus, RuleTable
from honem._internal.ragged import offsets_of, steps_of
from honem.rules import ExtractionParams

MAX_ORDER = 6
LEAST_SUPPORT = 2
"""A context of order 2 or more that was seen once cannot be accepted by any of the methods, so it is left out."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Level:
    """The contexts of one order. A row is a context and one of its successors; rows are sorted by context.

    Attributes
    ----------
    oldest : ndarray of int
        The oldest node of each context.
    parents : ndarray of int
        The context of the previous level that remains without the oldest node.
    offsets, targets : ndarray of int
        The rows of context c are `offsets[c]:offsets[c + 1]`, and their successors.
    counts : ndarray of int of shape (n_rows, n_folds)
        How often each successor follows.
    parent_rows : ndarray of int
        The row of the previous level with the parent and the same successor.
    margins : ndarray of int
        For each row of the previous level, its count in steps that have an older node, seen once or more often.
    """

    oldest: Ints
    parents: Ints
    offsets: Ints
    targets: Ints
    counts: Ints
    parent_rows: Ints
    margins: Ints

    @property
    def n_contexts(self) -> int:
        return len(self.oldest)

    @cached_property
    def totals(self) -> Ints:
        """The count of each row in all folds."""
        totals: Ints = self.counts.sum(axis=1)
        return totals

    @cached_property
    def supports(self) -> Ints:
        return self.by_context(self.totals)

    @cached_property
    def n_targets(self) -> Ints:
        return np.diff(self.offsets)

    @cached_property
    def context_of_row(self) -> Ints:
        return np.repeat(np.arange(self.n_contexts), self.n_targets)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The probability of each row."""
        return self.totals / self.supports[self.context_of_row]

    def by_context(self, of_rows: NDArray[Any], add: np.ufunc = np.add) -> NDArray[Any]:
        """Return the sums of rows, or other reductions, one for each context."""
        sums: NDArray[Any] = add.reduceat(of_rows, self.offsets[:-1]) if self.n_contexts else of_rows[:0]
        return sums


def count_contexts(corpus: Corpus, max_order: int = MAX_ORDER, folds: Ints | None = None) -> list[Level]:
    """Return the levels from order 1 on; `folds` is the number of the fold of each step."""
    return list(_levels(corpus, max_order, folds))


def _levels(corpus: Corpus, max_order: int, folds: Ints | None) -> Iterator[Level]:
    ends, lengths = steps_of(corpus.lengths)
    weights = np.repeat(corpus.weights, np.maximum(corpus.lengths - 1, 0))
    folds = np.zeros(len(ends), np.int64) if folds is None else folds
    n_folds, n_nodes = int(folds.max(initial=0)) + 1, corpus.n_nodes
    contexts, rows = np.zeros(len(ends), np.int64), np.zeros(len(ends), np.int64)
    n_previous = 1
    for order in range(1, max_order + 1):
        known = lengths >= order
        ends, lengths, weights, folds, contexts, rows = (
            column[known] for column in (ends, lengths, weights, folds, contexts, rows)
        )
        if not len(ends):
            return
        margins = _sums(rows, weights, n_previous)
        steps = (contexts * n_nodes + corpus.tokens[ends - order]) * n_nodes + corpus.tokens[ends]
        keys, found = np.unique(steps.astype(np.int64), return_inverse=True)
        counts = _sums(found * n_folds + folds, weights, len(keys) * n_folds).reshape(-1, n_folds)
        parent_rows = np.empty(len(keys), np.int64)
        parent_rows[found] = rows
        starts = np.flatnonzero(np.diff(keys // n_nodes, prepend=-1))
        n_targets = np.diff(starts, append=len(keys))
        is_kept = np.add.reduceat(counts.sum(axis=1), starts) >= (1 if order == 1 else LEAST_SUPPORT)
        kept_rows = np.repeat(is_kept, n_targets)
        pairs: Ints = keys[starts[is_kept]] // n_nodes
        yield Level(
            oldest=pairs % n_nodes,
            parents=pairs // n_nodes,
            offsets=offsets_of(n_targets[is_kept]),
            targets=keys[kept_rows] % n_nodes,
            counts=counts[kept_rows],
            parent_rows=parent_rows[kept_rows],
            margins=margins,
        )
        kept = kept_rows[found]
        ends, lengths, weights, folds, found = (column[kept] for column in (ends, lengths, weights, folds, found))
        n_previous = int(kept_rows.sum())
        rows = (np.cumsum(kept_rows) - 1)[found]
        contexts = np.repeat(np.arange(int(is_kept.sum())), n_targets[is_kept])[rows]


def _sums(groups: Ints, weights: Ints, n_groups: int) -> Ints:
    sums: Ints = np.bincount(groups, weights=weights, minlength=n_groups).astype(np.int64)
    return sums


def rule_table(corpus: Corpus, levels: list[Level], accepted: list[NDArray[np.bool_]]) -> RuleTable:
    """Return the accepted contexts as rules; `accepted` has one array for each level, the first is all True."""
    nodes, amounts, targets, counts = [], [], [], []
    for place, (level, chosen) in enumerate(zip(levels, accepted, strict=True)):
        contexts = np.flatnonzero(chosen)
        columns = []
        for ancestor in levels[place::-1]:
            columns.append(ancestor.oldest[contexts])
            contexts = ancestor.parents[contexts]
        nodes.append(np.column_stack(columns))
        amounts.append(level.n_targets[chosen])
        in_rows = chosen[level.context_of_row]
        targets.append(level.targets[in_rows])
        counts.append(level.totals[in_rows])
    orders = np.concatenate([np.full(len(contexts), contexts.shape[1]) for contexts in nodes])
    return RuleTable(
        vocabulary=corpus.vocabulary,
        params=ExtractionParams(criterion="divergence", tau=0.0, max_order=len(levels)),
        context_nodes=np.concatenate([contexts.reshape(-1) for contexts in nodes]).astype(np.int32),
        context_offsets=offsets_of(orders),
        target_offsets=offsets_of(np.concatenate(amounts)),
        targets=np.concatenate(targets).astype(np.int32),
        counts=np.concatenate(counts),
        divergences=np.zeros(len(orders)),
        evidence=np.zeros(len(orders)),
        q_values=np.ones(len(orders)),
        accepted=np.ones(len(orders), np.bool_),
    )
