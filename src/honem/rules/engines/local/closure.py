"""Which contexts are kept beside the accepted ones, as integer ranks, one level per order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.rules.params import LowerOrders

Ranks = NDArray[np.int64]


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
    order itself; so each level needs only what the level below knows of the same windows.
    """
    levels = [_first_level(trail, positions, orders, n_nodes)]
    longer = np.flatnonzero(orders >= 2)
    windows = orders[longer] - 1  # windows of two nodes in each context
    owners = np.repeat(longer, windows)
    steps_back = np.arange(len(owners)) - np.repeat(offsets_of(windows)[:-1], windows)
    places = positions[owners] - steps_back.astype(np.int32)
    is_first, is_last = steps_back == 0, steps_back == np.repeat(windows, windows) - 1
    parents, prefixes = trail[places].astype(np.int64), trail[places - 1].astype(np.int64)
    order = 2
    while len(places):
        keys = parents * n_nodes + trail[places - order + 1]
        whole = is_first & is_last
        part = ~whole
        # Accepted contexts come out of the kernel sorted; only the others need to be put in.
        accepted_keys = keys[whole]
        other_keys, example = np.unique(keys[part], return_index=True)
        is_new = ~contained(other_keys, accepted_keys)
        slots = np.searchsorted(accepted_keys, other_keys[is_new])
        source = np.insert(np.flatnonzero(whole), slots, np.flatnonzero(part)[example[is_new]])
        levels.append(
            Level(
                positions=places[source],
                parents=parents[source],
                prefixes=prefixes[source],
                accepted=np.where(whole[source], owners[source], -1),
            )
        )
        ranks = np.searchsorted(keys[source], keys[part])
        owners, places, is_first, is_last = owners[part], places[part], is_first[part], is_last[part]
        # One node longer: each window takes in the one that begins a step further back.
        newer = np.flatnonzero(~is_last)
        parents, prefixes = ranks[newer], ranks[newer + 1]
        owners, places, is_first, is_last = owners[newer], places[newer], is_first[newer], is_last[newer + 1]
        order += 1
    return levels


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
    """Which contexts of each level are rules; `is_end` says of which accepted ones growth ended as reference."""
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
