"""Counts what follows given contexts, wherever they occur in the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.rules.context_tree import NOT_A_RULE, ContextTree
from honem.rules.engines.distributed.chunks import Chunk, joined_columns, packets_by_shard
from honem.rules.engines.distributed.corpus import DistributedCorpus
from honem.rules.engines.distributed.executors.base import Collection, Packet
from honem.rules.engines.distributed.walking import Walk
from honem.rules.engines.local.buffers import empty

COUNTS = "counts"
KEYS_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Targets and counts of contexts, one context after the other; targets ascend within a context."""

    n_rows: NDArray[np.int32]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def none(cls) -> CountedRows:
        """Return the rows of no context."""
        return cls(*empty(np.int32, np.int32, np.int64))

    def select(self, chosen: NDArray[np.int64]) -> CountedRows:
        """Return the rows of some contexts, in the order given."""
        rows = gather_ranges(self.offsets[:-1][chosen], self.n_rows[chosen])
        return CountedRows(self.n_rows[chosen], self.targets[rows], self.counts[rows])

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The first row of each context, and the number of all rows."""
        return offsets_of(self.n_rows)

    @property
    def supports(self) -> NDArray[np.int64]:
        """The support of each context: the sum of its counts."""
        sums = offsets_of(self.counts)
        return sums[self.offsets[1:]] - sums[self.offsets[:-1]]


@dataclass(frozen=True, eq=False)
class CountedPart:
    """The rows of some of the counted contexts; `contexts` are their ascending numbers."""

    contexts: NDArray[np.int64]
    rows: CountedRows


@dataclass(frozen=True, eq=False)
class Sums:
    """Counts by integer key; for targets of contexts the key is `context * n_nodes + target`."""

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]

    def select(self, chosen: NDArray[Any]) -> Sums:
        """Return some of the keys."""
        return Sums(self.keys[chosen], self.counts[chosen])


@dataclass(frozen=True)
class What:
    """What is counted.

    Counts below `least` are left out. `extended`: only where the context has an older node in its sequence, so that the
    counts are the sums over its extensions. `by_sequence`: only the first occurrence in each sequence; if `extended`,
    that of each extension.
    """

    least: int = 1
    extended: bool = False
    by_sequence: bool = False


def count_targets(corpus: DistributedCorpus, tree: ContextTree, what: What, n_shards: int) -> Collection:
    """Count how often each target follows each context of the tree, as packets of CountedPart."""
    if tree.n_rules == 0:
        return corpus.executor.distribute([])
    parts = corpus.chunks.packets.map(count_parts, (tree, what, n_shards))
    return parts.shuffle(n_shards).map(sum_parts, (tree.n_nodes, what.least))


def join_counted(parts: Sequence[CountedPart], n_contexts: int) -> CountedRows:
    """Join what `count_targets` counted, in the order of the contexts' numbers."""
    if not parts:
        return CountedRows(np.zeros(n_contexts, np.int32), *empty(np.int32, np.int64))
    rows = CountedRows(*joined_columns([part.rows for part in parts]))
    contexts = np.concatenate([part.contexts for part in parts])
    by_number = rows.select(np.argsort(contexts))
    n_rows = np.zeros(n_contexts, np.int32)
    n_rows[np.sort(contexts)] = by_number.n_rows
    return CountedRows(n_rows, by_number.targets, by_number.counts)


def count_parts(packets: Iterable[Packet], shared: tuple[ContextTree, What, int]) -> Iterator[Packet]:
    """Task: count in the chunks of one partition; the counts of a context are all sent to one shard."""
    tree, what, n_shards = shared
    walk, orders, tally = Walk.of(tree), orders_in(tree), KeyedSums()
    for packet in packets:
        tally.add(count_keys(packet.body, walk, orders, what, tree.n_nodes))
    sums = tally.total()
    yield from packets_by_shard(COUNTS, sums, sums.keys // tree.n_nodes % n_shards)


def orders_in(tree: ContextTree) -> NDArray[np.int64]:
    """Return the order of each context of a tree, by number."""
    numbers = [rules[rules != NOT_A_RULE] for rules in tree.rules]
    orders = np.zeros(max(int(own.max(initial=0)) for own in numbers) + 1, np.int64)
    for order, own in enumerate(numbers, start=1):
        orders[own] = order
    return orders


def count_keys(chunk: Chunk, walk: Walk, orders: NDArray[np.int64], what: What, n_nodes: int) -> Sums:
    """Count the steps of a chunk by context and target; a key may occur several times."""
    steps = chunk.steps()
    standing, contexts = walk.contexts_at(chunk, steps)
    if what.extended:
        is_extended = steps.histories[standing] > orders[contexts]
        standing, contexts = standing[is_extended], contexts[is_extended]
    if what.by_sequence:
        positions = steps.positions[standing]
        older = chunk.tokens[positions - orders[contexts]] if what.extended else 0
        first = first_of_pairs(contexts, (chunk.sequences_at(positions) - chunk.first_sequence) * n_nodes + older)
        standing, contexts = standing[first], contexts[first]
    keys = contexts * n_nodes + steps.targets[standing]
    if len(steps.weights):
        return Sums(keys, steps.weights[standing])
    return Sums(*np.unique(keys, return_counts=True))


def first_of_pairs(ones: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of the first of each distinct pair, sorted by pair."""
    by_pair = np.lexsort((others, ones))
    is_first = np.ones(len(by_pair), np.bool_)
    is_first[1:] = (np.diff(ones[by_pair]) != 0) | (np.diff(others[by_pair]) != 0)
    return by_pair[is_first]


def sum_parts(packets: Iterable[Packet], shared: tuple[int, int]) -> Iterator[Packet]:
    """Task: add up what all partitions counted for the contexts of one shard."""
    n_nodes, least_count = shared
    total = sum_packets(packets)
    total = total.select(total.counts >= least_count)
    contexts, n_rows = np.unique(total.keys // n_nodes, return_counts=True)
    rows = CountedRows(n_rows.astype(np.int32), (total.keys % n_nodes).astype(np.int32), total.counts)
    if len(contexts):
        yield Packet(COUNTS, 0, len(contexts), CountedPart(contexts, rows))


def sum_packets(packets: Iterable[Packet]) -> Sums:
    """Add up packets of Sums."""
    tally = KeyedSums()
    for packet in packets:
        tally.add(packet.head)
    return tally.total()


class KeyedSums:
    """Adds up counts by key, merging equal keys whenever too many have accumulated."""

    def __init__(self) -> None:
        self.pending: list[Sums] = []
        self.amount = 0
        self.most = KEYS_AT_ONCE

    def add(self, sums: Sums) -> None:
        """Add counts."""
        self.pending.append(sums)
        self.amount += len(sums.keys)
        if self.amount > self.most:
            total = self.total()
            # Merging again only after as many new keys means that each key is sorted a few times only.
            self.pending, self.amount, self.most = [total], 0, max(KEYS_AT_ONCE, len(total.keys))

    def total(self) -> Sums:
        """Return each key once, ascending, with its sum."""
        nothing = Sums(*empty(np.int64, np.int64))
        sums = Sums(*joined_columns([nothing, *self.pending]))
        sums = sums.select(np.argsort(sums.keys, kind="stable"))
        first = np.flatnonzero(np.diff(sums.keys, prepend=-1))
        return Sums(sums.keys[first], np.add.reduceat(sums.counts, first)) if len(first) else nothing
