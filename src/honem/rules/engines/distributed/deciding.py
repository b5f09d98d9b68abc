"""Decides which of the contexts that grew on the cluster are accepted; between growing and closing downwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.rules.engines.distributed.chunks import joined_columns
from honem.rules.engines.distributed.growing import RULES, Contexts
from honem.rules.engines.distributed.held import Held, fetch
from honem.rules.engines.distributed.hubs import Hubs


@dataclass(frozen=True, eq=False)
class Decided:
    """The accepted contexts in canonical order.

    `sources[r]` is the index of accepted context r among all candidates: those of each pass as they are fetched, and
    then the hubs. The rows of the candidates, which stay on the cluster, come in the same order.
    """

    accepted: Contexts
    sources: NDArray[np.int64]


def decide(passes: Sequence[Held], hubs: Hubs) -> Decided:
    """Gather the candidates of all passes with their scores, and accept.

    The tasks have tested each candidate against counts that they had themselves, so all candidates that they sent are
    accepted. A criterion that needs the scores of all candidates belongs here: `sources` then leaves out those that
    fail, and `DistributedRules.dropped` must name them, since their rows are still in the packets of the passes.
    """
    fetched = fetch(passes, RULES, "the contexts of the rules")
    candidates = Contexts(*joined_columns([*fetched, hub_contexts(hubs.with_targets)]))
    sources = canonical_order(candidates.nodes, candidates.orders)
    return Decided(candidates.select(sources), sources)


def hub_contexts(hubs: Hubs) -> Contexts:
    """Return the first-order contexts of the hubs, which no task has grown."""
    n_hubs = len(hubs.nodes)
    return Contexts(hubs.nodes, np.ones(n_hubs, np.int32), np.zeros(n_hubs), np.zeros(n_hubs, np.bool_))


def canonical_order(nodes: NDArray[np.int32], orders: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the indices that sort contexts by order, then by nodes from the newest to the oldest."""
    starts = offsets_of(orders)[:-1]
    ranked = []
    for order in np.unique(orders).tolist():
        own = np.flatnonzero(orders == order)
        columns = nodes[starts[own] + np.arange(order)[:, None]]
        ranked.append(own[np.lexsort(columns)])
    return np.concatenate([np.zeros(0, np.int64), *ranked])
