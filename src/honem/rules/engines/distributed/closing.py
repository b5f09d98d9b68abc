"""Closes the accepted contexts downwards: which lower-order contexts are kept beside them, still to be counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed.growing import ENDED, Contexts
from honem.rules.engines.distributed.held import Held, fetch
from honem.rules.engines.local.closure import Level, Others, kept_contexts, other_contexts, sub_contexts
from honem.rules.engines.local.kernels import NO_NODE
from honem.rules.params import LowerOrders


@dataclass(frozen=True, eq=False)
class Closure:
    """The kept contexts on a trail of their own, with the terms of `engines.local`.

    `positions` are those of the accepted contexts; `others` are the kept contexts that were not accepted.
    """

    trail: NDArray[np.int32]
    positions: NDArray[np.int32]
    levels: list[Level]
    kept: list[NDArray[np.bool_]]
    others: Others

    @property
    def nodes_of_others(self) -> NDArray[np.int32]:
        """The nodes of the contexts that are kept but not accepted, one context after the other."""
        starts = self.others.positions.astype(np.int64) - self.others.orders + 1
        nodes: NDArray[np.int32] = self.trail[gather_ranges(starts, self.others.orders)]
        return nodes

    def tree_of_others(self, n_nodes: int) -> ContextTree:
        """Return the contexts that are kept but not accepted, as a tree."""
        return ContextTree.of_contexts(n_nodes, self.nodes_of_others, offsets_of(self.others.orders))

    @property
    def accepted_but_dropped(self) -> NDArray[np.int64]:
        """The accepted contexts that are not kept; only `lower_orders="hon"` drops some."""
        kept = np.concatenate([level.accepted[keep] for level, keep in zip(self.levels, self.kept, strict=True)])
        is_dropped = np.ones(len(self.positions), np.bool_)
        is_dropped[kept[kept >= 0]] = False
        return np.flatnonzero(is_dropped)

    @property
    def max_order(self) -> int:
        """The highest order kept; 0 if there are no rules."""
        return max((order for order, kept in enumerate(self.kept, start=1) if kept.any()), default=0)


def close_downwards(accepted: Contexts, n_nodes: int, lower_orders: LowerOrders, passes: Sequence[Held]) -> Closure:
    """Find the sub-contexts that are kept beside the accepted contexts, which are in canonical order."""
    trail, positions = lay_contexts(accepted)
    levels = sub_contexts(trail, positions, accepted.orders, n_nodes)
    is_end = accepted.is_end
    if lower_orders == "hon":
        is_end = is_end | ends_of_later_passes(accepted, n_nodes, passes)
    kept = kept_contexts(levels, lower_orders, is_end)
    return Closure(trail, positions, levels, kept, other_contexts(levels, kept))


def lay_contexts(contexts: Contexts) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Lay contexts one after the other on a trail; -> trail, position of the newest node of each context."""
    ends = np.cumsum(contexts.orders.astype(np.int64) + 1)
    trail = np.full(int(ends[-1]) + 1 if len(ends) else 1, NO_NODE, np.int32)
    trail[gather_ranges(ends - contexts.orders, contexts.orders)] = contexts.nodes
    return trail, (ends - 1).astype(np.int32)


def ends_of_later_passes(accepted: Contexts, n_nodes: int, passes: Sequence[Held]) -> NDArray[np.bool_]:
    """Return a mask of the accepted contexts that were the reference where growth ended in a later pass."""
    tree = ContextTree.of_contexts(n_nodes, accepted.nodes, offsets_of(accepted.orders))
    is_end = np.zeros(len(accepted.orders), np.bool_)
    for nodes, orders in fetch(passes, ENDED, "the contexts where growth ended"):
        is_end[tree.longest_suffixes(nodes, offsets_of(orders))] = True
    return is_end
