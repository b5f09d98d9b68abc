"""Sums the rules by pair of nodes on the cluster: the entries of every D^v."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed.chunks import joined_columns, packets_by_shard
from honem.rules.engines.distributed.counting import CountedRows
from honem.rules.engines.distributed.executors.base import Collection, Executor, Packet
from honem.rules.engines.distributed.growing import Contexts
from honem.rules.engines.distributed.held import compute
from honem.rules.table import PairSums

PAIRS = "pairs"


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows of rules by order, oldest node and target; an entry stands for `amounts` rows, of which it has the sums."""

    orders: NDArray[np.int32]
    oldest: NDArray[np.int32]
    targets: NDArray[np.int32]
    amounts: NDArray[np.int64]
    counts: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    def select(self, chosen: NDArray[Any]) -> Pairs:
        """Return some of the entries, in the order given."""
        return Pairs(*(column[chosen] for column in vars(self).values()))

    @classmethod
    def of_rules(cls, orders: NDArray[np.int32], oldest: NDArray[np.int32], counted: CountedRows) -> Pairs:
        """Return one entry per target of each context."""
        return cls(
            np.repeat(orders, counted.n_rows),
            np.repeat(oldest, counted.n_rows),
            counted.targets,
            np.ones(len(counted.targets), np.int64),
            counted.counts,
            counted.counts / np.repeat(counted.supports, counted.n_rows),
        )


@dataclass(frozen=True, eq=False)
class OtherContexts:
    """Order and oldest node of the counted contexts, by their numbers."""

    orders: NDArray[np.int32]
    oldest: NDArray[np.int32]


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
        Accepted contexts with their rows, as packets of growing.RULES.
    dropped : ContextTree
        The accepted contexts that are left out.
    counted : Collection
        The rows of the other kept contexts, as packets of counting.CountedPart.
    others : OtherContexts
        Which contexts these are.
    executor : Executor
        The executor of both collections.
    n_shards : int
        The number of tasks that add up.
    """
    accepted = found.map(pairs_of_accepted, (dropped, n_shards))
    lower = counted.map(pairs_of_others, (others, n_shards))
    summed = accepted.union(lower).shuffle(n_shards).map(sum_shard, None)
    parts = compute(summed, executor, PAIRS, "the neighborhood matrices")
    if not parts:
        return {}
    pairs = Pairs(*joined_columns(parts))
    return {order: pair_sums(pairs.select(pairs.orders == order)) for order in np.unique(pairs.orders).tolist()}


def pair_sums(pairs: Pairs) -> PairSums:
    """Return the pairs of one order without the order."""
    return PairSums(pairs.oldest, pairs.targets, pairs.amounts, pairs.counts, pairs.probabilities)


def pairs_of_accepted(packets: Iterable[Packet], shared: tuple[ContextTree, int]) -> Iterator[Packet]:
    """Task: send the rows of accepted contexts to the shard of their oldest node."""
    dropped, n_shards = shared
    for packet in packets:
        kept = np.flatnonzero(~is_dropped(packet.head, dropped))
        contexts, counted = packet.head.select(kept), packet.body.select(kept)
        pairs = Pairs.of_rules(contexts.orders, contexts.nodes[offsets_of(contexts.orders)[:-1]], counted)
        yield from packets_by_shard(PAIRS, pairs, pairs.oldest % n_shards)


def pairs_of_others(packets: Iterable[Packet], shared: tuple[OtherContexts, int]) -> Iterator[Packet]:
    """Task: send the rows of the other contexts to the shard of their oldest node."""
    others, n_shards = shared
    for packet in packets:
        numbers = packet.head.contexts
        pairs = Pairs.of_rules(others.orders[numbers], others.oldest[numbers], packet.head.rows)
        yield from packets_by_shard(PAIRS, pairs, pairs.oldest % n_shards)


def sum_shard(packets: Iterable[Packet], _: None) -> Iterator[Packet]:
    """Task: add up the entries of one shard.

    Probabilities are added in ascending order, so that the sums do not depend on the order in which packets arrive.
    """
    parts = [packet.head for packet in packets]
    if not parts:
        return
    pairs = Pairs(*joined_columns(parts))
    pairs = pairs.select(np.lexsort((pairs.probabilities, pairs.targets, pairs.oldest, pairs.orders)))
    differs = np.ones(len(pairs.orders), np.bool_)
    differs[1:] = (np.diff(pairs.orders) != 0) | (np.diff(pairs.oldest) != 0) | (np.diff(pairs.targets) != 0)
    first = np.flatnonzero(differs)
    sums = (np.add.reduceat(column, first) for column in (pairs.amounts, pairs.counts, pairs.probabilities))
    yield Packet(PAIRS, 0, len(first), Pairs(pairs.orders[first], pairs.oldest[first], pairs.targets[first], *sums))


def is_dropped(contexts: Contexts, dropped: ContextTree) -> NDArray[np.bool_]:
    """Return a mask of the contexts that are, as a whole, in a tree."""
    found = np.zeros(len(contexts.orders), np.bool_)
    offsets = offsets_of(contexts.orders)
    for order, (histories, _) in enumerate(dropped.suffixes(contexts.nodes, offsets[1:], np.diff(offsets)), start=1):
        found[histories[contexts.orders[histories] == order]] = True
    return found
