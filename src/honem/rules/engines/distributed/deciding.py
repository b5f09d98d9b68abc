"""Decides which of the contexts that grew on the cluster are accepted; between growing and closing downwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.rules.criteria import Criterion
from honem.rules.engines.distributed.chunks import joined_columns
from honem.rules.engines.distributed.growing import RULES, TESTED, Contexts
from honem.rules.engines.distributed.held import Held, fetch
from honem.rules.engines.distributed.hubs import Hubs


@dataclass(frozen=True, eq=False)
class Decided:
    """The accepted contexts in canonical order, and the candidates that were not accepted.

    `sources[r]` is the index of accepted context r among all candidates: those of each pass as they are fetched, and
    then the hubs. The rows of the candidates, which stay on the cluster, come in the same order. `n_tested` contexts
    were tested.
    """

    accepted: Contexts
    sources: NDArray[np.int64]
    rejected: Contexts
    n_tested: int

    @property
    def ranked(self) -> NDArray[np.float64]:
        """The scores of all candidates of order 2 and more."""
        accepted = self.accepted.scores[self.accepted.orders > 1]
        return np.concatenate((accepted, self.rejected.scores))


def decide(passes: Sequence[Held], hubs: Hubs, criterion: Criterion) -> Decided:
    """Gather the candidates of all passes with their scores, and accept; contexts of order 1 always are."""
    fetched = fetch(passes, RULES, "the contexts of the rules")
    candidates = Contexts(*joined_columns([*fetched, hub_contexts(hubs.with_targets)]))
    n_tested = sum(held.amount(TESTED) for held in passes)
    is_accepted: NDArray[np.bool_] = candidates.orders == 1
    is_accepted[~is_accepted] = criterion.decide(candidates.scores[~is_accepted], n_tested)
    accepted = np.flatnonzero(is_accepted)
    chosen = candidates.select(accepted)
    by_rank = canonical_order(chosen.nodes, chosen.orders)
    return Decided(chosen.select(by_rank), accepted[by_rank], candidates.select(np.flatnonzero(~is_accepted)), n_tested)


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
