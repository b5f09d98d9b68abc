"""Hubs: nodes at more positions than one task should process; counted first and then spread over tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed.chunks import Chunk, packets_by_shard
from honem.rules.engines.distributed.corpus import DistributedCorpus
from honem.rules.engines.distributed.counting import (
    COUNTS,
    CountedRows,
    Sums,
    What,
    count_targets,
    join_counted,
    sum_packets,
)
from honem.rules.engines.distributed.executors.base import Packet
from honem.rules.engines.distributed.held import compute
from honem.rules.engines.local.buffers import NO_SEEDS
from honem.rules.engines.local.kernels import Seeds
from honem.rules.params import ExtractionParams


@dataclass(frozen=True, eq=False)
class Hubs:
    """Frequent nodes, ascending, and what follows each.

    `counted` are the rows of their first-order contexts, `compared` the counts that extensions are compared with.
    """

    nodes: NDArray[np.int32]
    counted: CountedRows
    compared: CountedRows

    @classmethod
    def none(cls) -> Hubs:
        """Return no hubs."""
        return cls(np.empty(0, np.int32), CountedRows.none(), CountedRows.none())

    @property
    def with_targets(self) -> Hubs:
        """The hubs that are rules: a hub may lose all its targets to min_support."""
        known = np.flatnonzero(self.counted.n_rows)
        return Hubs(self.nodes[known], self.counted.select(known), self.compared.select(known))

    def seeds(self, nodes: NDArray[Any]) -> Seeds:
        """Return seeds of order 1 for the given nodes that are hubs, and of order 0 for the others."""
        if not np.isin(nodes, self.nodes).any():
            return NO_SEEDS
        places = np.searchsorted(self.nodes, nodes)
        places[places == len(self.nodes)] = 0
        offsets = self.compared.offsets
        return Seeds(
            orders=(self.nodes[places] == nodes).astype(np.int32),
            reference_orders=np.ones(len(nodes), np.int32),
            supports=self.compared.supports[places],
            starts=offsets[:-1][places],
            stops=offsets[1:][places],
            targets=self.compared.targets,
            counts=self.compared.counts,
            ended=np.zeros(len(nodes), np.bool_),
        )


def find_hubs(corpus: DistributedCorpus, params: ExtractionParams, n_shards: int) -> Hubs:
    """Find the nodes with more than a shard's fair share of all positions; there are fewer of them than shards."""
    if n_shards == 1 or params.max_order == 1:
        return Hubs.none()
    nodes = busy_nodes(corpus, n_shards)
    if not len(nodes):
        return Hubs.none()
    counted = count_nodes(corpus, nodes, What(params.least_count), n_shards)
    hubs = Hubs(nodes, counted, counted)
    return hubs_as_parents(hubs, corpus, params, n_shards) if params.acceptance.compared_with == "parent" else hubs


def hubs_as_parents(hubs: Hubs, corpus: DistributedCorpus, params: ExtractionParams, n_shards: int) -> Hubs:
    """Return hubs for a criterion that compares contexts with their parents."""
    if not len(hubs.nodes):
        return hubs
    what = What(extended=True, by_sequence=params.counting == "sequences")
    return replace(hubs, compared=count_nodes(corpus, hubs.nodes, what, n_shards))


def count_nodes(corpus: DistributedCorpus, nodes: NDArray[np.int32], what: What, n_shards: int) -> CountedRows:
    """Count what follows some nodes."""
    tree = ContextTree.of_contexts(corpus.n_nodes, nodes, np.arange(len(nodes) + 1))
    counts = count_targets(corpus, tree, what, n_shards)
    parts = compute(counts, corpus.executor, COUNTS, f"the counts of {len(nodes):,} frequent nodes")
    return join_counted(parts, len(nodes))


def busy_nodes(corpus: DistributedCorpus, n_shards: int) -> NDArray[np.int32]:
    """Return the nodes at more positions than an even split over the shards would give each, ascending."""
    parts = corpus.chunks.packets.map(count_positions, (corpus.n_nodes, n_shards))
    busy = parts.shuffle(n_shards).map(select_busy, corpus.n_steps / n_shards)
    found = compute(busy, corpus.executor, COUNTS, "the most frequent nodes")
    return np.sort(np.concatenate([np.empty(0, np.int32), *found]))


def count_positions(packets: Iterable[Packet], shared: tuple[int, int]) -> Iterator[Packet]:
    """Task: count the positions with a next step at each node, in the chunks of one partition."""
    n_nodes, n_shards = shared
    amounts = np.zeros(n_nodes, np.int64)
    for packet in packets:
        chunk: Chunk = packet.body
        amounts += np.bincount(chunk.tokens[chunk.steps().positions], minlength=n_nodes)
    nodes = np.flatnonzero(amounts)
    yield from packets_by_shard(COUNTS, Sums(nodes, amounts[nodes]), nodes % n_shards)


def select_busy(packets: Iterable[Packet], fair_share: float) -> Iterator[Packet]:
    """Task: add up the positions of the nodes of one shard, and keep the nodes that have more than the fair share."""
    total = sum_packets(packets)
    busy = total.keys[total.counts > fair_share].astype(np.int32)
    if len(busy):
        yield Packet(COUNTS, 0, len(busy), busy)
