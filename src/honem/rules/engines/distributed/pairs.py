"""Sums the rules by pair of nodes on the cluster: the entries of every D^v."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed.chunks import joined_columns, packets_by_shard
from honem.rules.engines.distributed.counting import CountedRows
from honem.rules.engines.distributed.deciding import canonical_order
from honem.rules.engines.distributed.executors.base import Collection, Executor, Packet
from honem.rules.engines.distributed.growing import Contexts
from honem.rules.engines.distributed.held import compute
from honem.rules.table import PairSums

KEPT, PAIRS = "kept", "pairs"


@dataclass(frozen=True, eq=False)
class KeptRules:
    """Contexts one after the other, oldest node first, with their targets and counts."""

    nodes: NDArray[np.int32]
    orders: NDArray[np.int32]
    n_rows: NDArray[np.int32]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, nodes: NDArray[np.int32], orders: NDArray[np.int32], rows: CountedRows) -> KeptRules:
        """Join contexts with their rows."""
        return cls(nodes, orders, rows.n_rows, rows.targets, rows.counts)

    @property
    def rows(self) -> CountedRows:
        """The targets and counts."""
        return CountedRows(self.n_rows, self.targets, self.counts)

    @property
    def oldest(self) -> NDArray[np.int32]:
        """The oldest node of each context."""
        return self.nodes[offsets_of(self.orders)[:-1]]

    def select(self, chosen: NDArray[np.int64]) -> KeptRules:
        """Return some of the contexts, in the order given."""
        nodes = self.nodes[gather_ranges(offsets_of(self.orders)[:-1][chosen], self.orders[chosen])]
        return KeptRules.of(nodes, self.orders[chosen], self.rows.select(chosen))


@dataclass(frozen=True, eq=False)
class OtherContexts:
    """The kept contexts that were not accepted, by number: one after the other, oldest node first."""

    nodes: NDArray[np.int32]
    orders: NDArray[np.int32]


def sum_pairs(
    found: Collection,
    dropped: ContextTree,
    counted: Collection,
    others: OtherContexts,
    executor: Executor,
    n_shards: int,
) -> dict[int, PairSums]:
    """Add up the rules of every order by oldest node and target.

    Parameters
    ----------
    found : Collection
        Candidates with their rows, as packets of growing.RULES.
    dropped : ContextTree
        The candidates that are left out.
    counted : Collection
        The rows of the other kept contexts, as packets of counting.CountedPart.
    others : OtherContexts
        Which contexts these are.
    executor : Executor
        The executor of both collections.
    n_shards : int
        The number of tasks that add up.
    """
    accepted = found.map(send_accepted, (dropped, n_shards))
    lower = counted.map(send_others, (others, n_shards))
    summed = accepted.union(lower).shuffle(n_shards).map(sum_shard, dropped.n_nodes)
    parts = defaultdict(list)
    for order, pairs in compute(summed, executor, PAIRS, "the neighborhood matrices"):
        parts[order].append(pairs)
    return {order: PairSums(*map(np.concatenate, zip(*pairs, strict=True))) for order, pairs in parts.items()}


def send_accepted(packets: Iterable[Packet], shared: tuple[ContextTree, int]) -> Iterator[Packet]:
    """Task: send accepted contexts with their rows to the shard of their oldest node."""
    dropped, n_shards = shared
    for packet in packets:
        rules = KeptRules.of(packet.head.nodes, packet.head.orders, packet.body)
        rules = rules.select(np.flatnonzero(~is_dropped(packet.head, dropped)))
        yield from packets_by_shard(KEPT, rules, rules.oldest % n_shards)


def send_others(packets: Iterable[Packet], shared: tuple[OtherContexts, int]) -> Iterator[Packet]:
    """Task: send the other contexts with their rows to the shard of their oldest node."""
    others, n_shards = shared
    starts = offsets_of(others.orders)[:-1]
    for packet in packets:
        numbers = packet.head.contexts
        nodes = others.nodes[gather_ranges(starts[numbers], others.orders[numbers])]
        rules = KeptRules.of(nodes, others.orders[numbers], packet.head.rows)
        yield from packets_by_shard(KEPT, rules, rules.oldest % n_shards)


def sum_shard(packets: Iterable[Packet], n_nodes: int) -> Iterator[Packet]:
    """Task: add up the rules that begin at the nodes of one shard, order by order.

    All rules that begin at a node are here, and they are added up in canonical order. So every sum is that of the
    local engine to the bit, however packets arrive.
    """
    parts = [packet.head for packet in packets]
    if not parts:
        return
    rules = KeptRules(*joined_columns(parts))
    rules = rules.select(canonical_order(rules.nodes, rules.orders))
    for order in np.unique(rules.orders).tolist():
        pairs = summed(rules.select(np.flatnonzero(rules.orders == order)), n_nodes)
        yield Packet(PAIRS, 0, len(pairs.targets), (order, pairs))


def summed(rules: KeptRules, n_nodes: int) -> PairSums:
    """Add up rules of one order by oldest node and target, as `embedding.neighborhood` does with a rule table."""
    from scipy.sparse import coo_array

    oldest, starts = np.unique(rules.oldest, return_inverse=True)
    where: Any = (np.repeat(starts, rules.n_rows), rules.targets)

    def total(values: NDArray[Any]) -> Any:
        matrix = coo_array((values, where), shape=(len(oldest), n_nodes)).tocsr()
        matrix.sum_duplicates()
        return matrix

    amounts = total(np.ones(len(rules.targets), np.int64))
    probabilities = total(rules.counts / np.repeat(rules.rows.supports, rules.n_rows))
    row_oldest = np.repeat(oldest, np.diff(amounts.indptr))
    return PairSums(row_oldest, amounts.indices, amounts.data, total(rules.counts).data, probabilities.data)


def is_dropped(contexts: Contexts, dropped: ContextTree) -> NDArray[np.bool_]:
    """Return a mask of the contexts that are, as a whole, in a tree."""
    found = np.zeros(len(contexts.orders), np.bool_)
    offsets = offsets_of(contexts.orders)
    for order, (histories, _) in enumerate(dropped.suffixes(contexts.nodes, offsets[1:], np.diff(offsets)), start=1):
        found[histories[contexts.orders[histories] == order]] = True
    return found
