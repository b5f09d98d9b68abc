"""Counting what follows contexts that are known by name, wherever they stand in the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed.chunks import (
    PAYLOAD,
    SHARDS,
    Chunk,
    joined_columns,
    payload_row,
    rows_by_shard,
    unpack_column,
)
from honem.rules.engines.distributed.sizes import FEWER_RULES, fetch
from honem.rules.engines.distributed.walking import Walk
from honem.rules.engines.local.buffers import empty

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KEYS_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Targets and counts of some contexts, one context after the other; targets ascend."""

    n_rows: NDArray[np.int32]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def none(cls) -> CountedRows:
        """Of no context at all."""
        return cls(*empty(np.int32, np.int32, np.int64))

    def select(self, chosen: NDArray[np.int64]) -> CountedRows:
        """The rows of some contexts, in the order given."""
        rows = gather_ranges(self.offsets[:-1][chosen], self.n_rows[chosen])
        return CountedRows(self.n_rows[chosen], self.targets[rows], self.counts[rows])

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the rows of each context begin and end."""
        return offsets_of(self.n_rows)

    @property
    def supports(self) -> NDArray[np.int64]:
        """`s(c)` of each context."""
        sums = offsets_of(self.counts)
        return sums[self.offsets[1:]] - sums[self.offsets[:-1]]


@dataclass(frozen=True, eq=False)
class CountedPart:
    """The rows of some of the contexts that were counted, which are known by ascending numbers."""

    contexts: NDArray[np.int64]
    rows: CountedRows


@dataclass(frozen=True, eq=False)
class Sums:
    """Counts by key `context * n_nodes + target`."""

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]

    def select(self, chosen: NDArray[Any]) -> Sums:
        """Some of the keys."""
        return Sums(self.keys[chosen], self.counts[chosen])


def count_targets(chunks: DataFrame, tree: ContextTree, least_count: int, n_shards: int) -> DataFrame:
    """How often each target follows each context of the tree, as rows with a CountedPart each."""
    session = chunks.sparkSession
    if tree.n_rules == 0:
        return session.createDataFrame([], PAYLOAD)
    shared = session.sparkContext.broadcast(tree)
    n_nodes = tree.n_nodes
    parts = chunks.select("payload").mapInArrow(lambda batches: count_parts(batches, shared, n_shards), SHARDS)
    shards = parts.repartitionById(n_shards, "shard").select("payload")
    return shards.mapInArrow(lambda batches: sum_parts(batches, n_nodes, least_count), PAYLOAD)


def fetch_counted(counted: DataFrame, n_contexts: int) -> CountedRows:
    """What `count_targets` counted, brought home."""
    table = fetch(counted, f"the counts of {n_contexts:,} contexts", FEWER_RULES)
    parts = list(unpack_column(table.to_batches()))
    if not parts:
        return CountedRows(np.zeros(n_contexts, np.int32), *empty(np.int32, np.int64))
    rows = CountedRows(*joined_columns([part.rows for part in parts]))
    contexts = np.concatenate([part.contexts for part in parts])
    by_number = rows.select(np.argsort(contexts))
    n_rows = np.zeros(n_contexts, np.int32)
    n_rows[np.sort(contexts)] = by_number.n_rows
    return CountedRows(n_rows, by_number.targets, by_number.counts)


def count_parts(batches: Iterable[Any], shared: Any, n_shards: int) -> Iterator[Any]:
    """What the chunks of one task count; a context belongs to one shard."""
    tree: ContextTree = shared.value
    walk, tally = Walk.of(tree), Tally()
    for chunk in unpack_column(batches):
        tally.add(count_keys(chunk, walk, tree.n_nodes))
    sums = tally.total()
    yield from rows_by_shard(sums, sums.keys // tree.n_nodes % n_shards)


def count_keys(chunk: Chunk, walk: Walk, n_nodes: int) -> Sums:
    """The steps of a chunk that stand at a context, and their weights or how many they are."""
    steps = chunk.steps()
    standing, contexts = walk.contexts_at(chunk, steps)
    keys = contexts * n_nodes + steps.targets[standing]
    if len(steps.weights):
        return Sums(keys, steps.weights[standing])
    return Sums(*np.unique(keys, return_counts=True))


def sum_parts(batches: Iterable[Any], n_nodes: int, least_count: int) -> Iterator[Any]:
    """What all tasks together counted of the contexts of one shard."""
    tally = Tally()
    for sums in unpack_column(batches):
        tally.add(sums)
    total = tally.total()
    total = total.select(total.counts >= least_count)
    contexts, n_rows = np.unique(total.keys // n_nodes, return_counts=True)
    rows = CountedRows(n_rows.astype(np.int32), (total.keys % n_nodes).astype(np.int32), total.counts)
    if len(contexts):
        yield payload_row(CountedPart(contexts, rows))


class Tally:
    """Sums by key, of more keys than are held at once."""

    def __init__(self) -> None:
        self.pending: list[Sums] = []
        self.amount = 0
        self.most = KEYS_AT_ONCE

    def add(self, sums: Sums) -> None:
        """Add counts to keys."""
        self.pending.append(sums)
        self.amount += len(sums.keys)
        if self.amount > self.most:
            total = self.total()
            # Waiting until as many have come again makes each key be sorted a few times only.
            self.pending, self.amount, self.most = [total], 0, max(KEYS_AT_ONCE, len(total.keys))

    def total(self) -> Sums:
        """Each key once, ascending, with its sum."""
        nothing = Sums(*empty(np.int64, np.int64))
        sums = Sums(*joined_columns([nothing, *self.pending]))
        sums = sums.select(np.argsort(sums.keys, kind="stable"))
        first = np.flatnonzero(np.diff(sums.keys, prepend=-1))
        return Sums(sums.keys[first], np.add.reduceat(sums.counts, first)) if len(first) else nothing
