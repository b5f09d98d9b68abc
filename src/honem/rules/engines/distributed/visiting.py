"""Count visits, starts and ends of nodes on the cluster; the driver fetches one row per node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honem.corpus import VisitCounts, count_visits
from honem.rules.engines.distributed.chunks import joined_columns, packets_by_shard
from honem.rules.engines.distributed.executors.base import Packet
from honem.rules.engines.distributed.held import compute

if TYPE_CHECKING:
    from honem.rules.engines.distributed.corpus import DistributedCorpus

VISITS = "visits"


@dataclass(frozen=True, eq=False)
class VisitedNodes:
    """Some nodes, and how often each is visited, starts a sequence and ends one."""

    nodes: NDArray[np.int64]
    visits: NDArray[np.float64]
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]

    def select(self, chosen: NDArray[np.int64]) -> VisitedNodes:
        """Return some of the nodes."""
        return VisitedNodes(self.nodes[chosen], self.visits[chosen], self.starts[chosen], self.ends[chosen])

    def summed(self) -> VisitedNodes:
        """Add up the counts of each node."""
        nodes, places = np.unique(self.nodes, return_inverse=True)
        columns = (self.visits, self.starts, self.ends)
        return VisitedNodes(nodes, *(np.bincount(places, each, len(nodes)).astype(np.float64) for each in columns))


def visits_on_cluster(corpus: DistributedCorpus) -> VisitCounts:
    """Return the counts that `Corpus.visit_counts` returns for the same sequences."""
    n_shards = corpus.executor.parallelism
    counted = corpus.chunks.packets.map(send_visits, n_shards).shuffle(n_shards).map(sum_visits, None)
    found = VisitCounts(*(np.zeros(corpus.n_nodes) for _ in VisitCounts._fields))
    for part in compute(counted, corpus.executor, VISITS, "the visits to the nodes"):
        for total, counts in zip(found, (part.visits, part.starts, part.ends), strict=True):
            total[part.nodes] = counts
    return found


def send_visits(packets: Iterable[Packet], n_shards: int) -> Iterator[Packet]:
    """Task: count the visits in each chunk, and send them to the shard of their node."""
    for packet in packets:
        chunk = packet.body
        nodes, tokens = np.unique(chunk.tokens, return_inverse=True)
        weights = chunk.weights if len(chunk.weights) else np.ones(len(chunk.lengths), np.int64)
        visited = VisitedNodes(nodes, *count_visits(tokens.astype(np.int32), chunk.lengths, weights, len(nodes)))
        yield from packets_by_shard(VISITS, visited, nodes % n_shards)


def sum_visits(packets: Iterable[Packet], _: None) -> Iterator[Packet]:
    """Task: add up the visits to the nodes of one shard."""
    parts = [packet.head for packet in packets]
    if parts:
        visited = VisitedNodes(*joined_columns(parts)).summed()
        yield Packet(VISITS, 0, len(visited.nodes), visited)
