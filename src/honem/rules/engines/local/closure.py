"""Which contexts are kept beside the accepted ones, as integer ranks, one level per order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.option_names import option
from honem._internal.ragged import gather_ranges
from honem.errors import CorpusError
from honem.rules.params import LowerOrders

Ranks = NDArray[np.int64]

DEEP = 64
"""Orders above this are deep: the sub-contexts of one deep context are as many as the square of its order."""
MOST_DEEP_CONTEXTS = 2**25
MOST_DEEP_NODES = 2**26


@dataclass(frozen=True, eq=False)
class Level:
    """Every contiguous sub-context of one order of the accepted contexts, in the canonical order.

    A context's place is its rank; `parents` (without the oldest node) and `prefixes` (without the newest) are ranks in
    the level below. `positions` are places on the trail where the context occurs, `accepted` its number among the
    accepted contexts or -1.
    """

    positions: NDArray[np.int32]
    parents: Ranks
    prefixes: Ranks
    accepted: Ranks


def sub_contexts(
    trail: NDArray[np.int32], positions: NDArray[np.int32], orders: NDArray[np.int32], n_nodes: int
) -> list[Level]:
    """All contiguous sub-contexts of the accepted contexts; level 0 of the list is order 1, ranked by node id.

    The rank of a context of order k follows from the rank of its parent and its oldest node, which is the canonical
    order itself; so each level needs only what the level below knows of the same windows. Windows at the same place of
    the trail are considered once: the contexts of a long chain lie within each other, and their windows would be as
    many as the cube of its length.

    Raises
    ------
    CorpusError
        If there are too many sub-contexts.
    """
    levels = [_first_level(trail, positions, orders, n_nodes)]
    places, reach = _longest_windows(trail, positions, orders)
    highest = int(reach.max(initial=1))
    _require_storable(int(np.maximum(reach - DEEP, 0).sum()), MOST_DEEP_CONTEXTS, "sub-contexts", highest)
    by_order = np.argsort(orders, kind="stable")
    first_of_order = np.searchsorted(orders[by_order], np.arange(highest + 2))
    ranks = trail[places].astype(np.int64)
    for order in range(2, highest + 1):
        # The window that ends one place before is there, too, and at least as long but for one node.
        longer = np.flatnonzero(reach >= order)
        parents, prefixes = ranks[longer], ranks[longer - 1]
        places, reach = places[longer], reach[longer]
        keys = parents * n_nodes + trail[places - order + 1]
        # Accepted contexts come out of the kernel sorted; only the others need to be put in.
        whole = by_order[first_of_order[order] : first_of_order[order + 1]]
        at_whole = np.searchsorted(places, positions[whole])
        is_part = np.ones(len(places), np.bool_)
        is_part[at_whole] = False
        part = np.flatnonzero(is_part)
        other_keys, example = np.unique(keys[part], return_index=True)
        is_new = ~contained(other_keys, keys[at_whole])
        slots = np.searchsorted(keys[at_whole], other_keys[is_new])
        source = np.insert(at_whole, slots, part[example[is_new]])
        accepted = np.insert(whole, slots, -1)
        levels.append(Level(places[source], parents[source], prefixes[source], accepted))
        ranks = np.empty(len(places), np.int64)
        ranks[at_whole] = np.flatnonzero(accepted >= 0)
        ranks[part] = np.searchsorted(keys[source], keys[part])
    return levels


def _longest_windows(
    trail: NDArray[np.int32], positions: NDArray[np.int32], orders: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the places that contexts cover on the trail, ascending, and the longest window of one that ends there."""
    starts = positions.astype(np.int64) - orders + 1
    covered = gather_ranges(starts, orders)
    reach = np.zeros(len(trail), np.int32)
    np.maximum.at(reach, covered, (covered - np.repeat(starts, orders) + 1).astype(np.int32))
    places = np.flatnonzero(reach)
    return places.astype(np.int32), reach[places]


def _require_storable(amount: int, most: int, what: str, highest: int) -> None:
    """Raise CorpusError if there is too much of contexts of a high order."""
    if amount > most:
        raise CorpusError(
            f"contexts of up to {highest} nodes were accepted, and with all they contain there are {amount} {what} "
            f"of order {DEEP + 1} or more, above the limit of {most}; set {option('max_order')}, for example "
            f"{option('max_order', DEEP)}, or {option('lower_orders', 'significant')}"
        )


def _first_level(
    trail: NDArray[np.int32], positions: NDArray[np.int32], orders: NDArray[np.int32], n_nodes: int
) -> Level:
    rules = np.flatnonzero(orders == 1)
    nodes = trail[positions[rules]]
    accepted = np.full(n_nodes, -1, np.int64)
    places = np.full(n_nodes, -1, np.int32)
    accepted[nodes], places[nodes] = rules, positions[rules]
    nothing = np.zeros(n_nodes, np.int64)
    return Level(positions=places, parents=nothing, prefixes=nothing, accepted=accepted)


def contained(values: NDArray[Any], among: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are among some sorted ones."""
    places = np.searchsorted(among, values)
    found = places < len(among)
    found[found] = among[places[found]] == values[found]
    return found


def kept_contexts(levels: list[Level], lower_orders: LowerOrders, is_end: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Which contexts of each level are rules; `is_end` says of which accepted ones growth ended as reference.

    Raises
    ------
    CorpusError
        If long contexts would have too many nodes.
    """
    kept = _kept_contexts(levels, lower_orders, is_end)
    deep = enumerate(kept[DEEP:], start=DEEP + 1)
    n_nodes = sum(order * int(np.count_nonzero(chosen)) for order, chosen in deep)
    _require_storable(n_nodes, MOST_DEEP_NODES, "nodes in contexts", len(levels))
    return kept


def _kept_contexts(
    levels: list[Level], lower_orders: LowerOrders, is_end: NDArray[np.bool_]
) -> list[NDArray[np.bool_]]:
    if lower_orders == "all":
        kept = [np.ones(len(level.positions), np.bool_) for level in levels]
        kept[0] = levels[0].accepted >= 0
        return kept
    kept = [level.accepted >= 0 for level in levels]
    if lower_orders == "hon":
        for level, chosen in zip(levels[1:], kept[1:], strict=True):
            chosen[chosen] = is_end[level.accepted[chosen]]
    for lower, level, chosen in zip(kept[-2::-1], levels[:0:-1], kept[:0:-1], strict=True):
        lower[level.prefixes[chosen]] = True
    return kept


def references(levels: list[Level]) -> list[Ranks]:
    """`ref(c)` of every context of each level, as a number among the accepted contexts."""
    found = [levels[0].accepted]
    for level in levels[1:]:
        found.append(np.where(level.accepted >= 0, level.accepted, found[-1][level.parents]))
    return found


@dataclass(frozen=True, eq=False)
class Others:
    """The kept contexts that are not accepted, level by level in the canonical order.

    `references` are the references of their parents, as numbers among the accepted contexts.
    """

    positions: NDArray[np.int32]
    orders: NDArray[np.int32]
    references: Ranks


def other_contexts(levels: list[Level], kept: list[NDArray[np.bool_]]) -> Others:
    """Return the kept contexts that were not accepted; first-order contexts always are."""
    chosen = [keep & (level.accepted < 0) for level, keep in zip(levels, kept, strict=True)]
    below = zip(references(levels)[:-1], levels[1:], chosen[1:], strict=True)
    return Others(
        np.concatenate([level.positions[own] for level, own in zip(levels, chosen, strict=True)]),
        np.repeat(np.arange(1, len(levels) + 1, dtype=np.int32), [own.sum() for own in chosen]),
        np.concatenate([np.zeros(0, np.int64), *(found[level.parents[own]] for found, level, own in below)]),
    )
