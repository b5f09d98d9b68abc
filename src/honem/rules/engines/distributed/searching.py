"""Searches a corpus for contexts: passes over the windows of all positions, wider each time, until none is open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honem._internal.progress import Progress
from honem.rules.engines.distributed.corpus import DistributedCorpus
from honem.rules.engines.distributed.executors.base import Collection, release_on_error
from honem.rules.engines.distributed.growing import OPEN, OPEN_HASHES, Growing, grow
from honem.rules.engines.distributed.held import Held, fetch, release_all
from honem.rules.engines.distributed.hubs import Hubs
from honem.rules.engines.distributed.windows import Shipping, Wanted, ship
from honem.rules.engines.local.buffers import NO_WINDOW, Growth
from honem.rules.params import ExtractionParams

MOST_WANTED = 2**24  # hashes sent to every task, 128 MiB; if more contexts are open, nearly all positions are at one


@dataclass(frozen=True, eq=False)
class Search:
    """What is searched, for what, and how: the number of tasks, and the width of the first windows."""

    corpus: DistributedCorpus
    params: ExtractionParams
    n_shards: int
    first_window: int
    progress: Progress | None = None

    def grow(self, growth: Growth, hubs: Hubs, wants_rules: bool = True) -> list[Held]:
        """Run passes, with windows twice as wide each time, until no context is open; what they found is held.

        Without `wants_rules`, they find only scores and the number of tested contexts.
        """
        passes: list[Held] = []
        numbers_sequences = growth.criterion.compared_with == "parent" and self.params.counting == "sequences"
        width = self.bounded_width(self.first_window)
        shipping = Shipping(self.corpus.n_nodes, width, self.n_shards, hubs.nodes, numbers_sequences=numbers_sequences)
        with release_on_error(lambda: release_all(passes)):
            passes.append(self.run_pass(shipping, growth, hubs, wants_rules))
            while passes[-1].amount(OPEN):
                if self.progress is not None:
                    what = "growing" if wants_rules else "testing"
                    self.progress(f"{what} contexts beyond their windows", len(passes), len(passes) + 1)
                order, width = width, self.bounded_width(2 * width)
                shipping = Shipping(
                    self.corpus.n_nodes,
                    width,
                    self.n_shards,
                    Hubs.none().nodes,
                    order,
                    wanted_hashes(passes[-1]),
                    numbers_sequences,
                )
                opens = passes[-1].packets.of_kind(OPEN)
                passes.append(self.run_pass(shipping, growth, Hubs.none(), wants_rules, opens))
        return passes

    def run_pass(
        self, shipping: Shipping, growth: Growth, hubs: Hubs, wants_rules: bool, opens: Collection | None = None
    ) -> Held:
        """Ship windows, and grow the contexts of every shard; in later passes, only those that are `opens`."""
        # No history is longer than windows as wide as the longest sequence or the highest order.
        is_whole = shipping.width in (self.corpus.longest, self.params.max_order)
        growing = Growing(
            self.corpus.n_nodes,
            growth,
            NO_WINDOW if is_whole else shipping.width,
            shipping.n_shards,
            hubs,
            is_first_pass=opens is None,
            wants_rules=wants_rules,
            wants_ends=wants_rules and self.params.lower_orders == "hon",
        )
        shipped = self.corpus.chunks.packets.map(ship, shipping)
        if opens is not None:
            shipped = shipped.union(opens)
        return Held.of(shipped.shuffle(shipping.n_shards).map(grow, growing), self.corpus.executor)

    def bounded_width(self, goal: int) -> int:
        """Return the width of windows, which need not exceed the longest sequence or the highest order."""
        return min(goal, self.corpus.longest, self.params.max_order or goal)


def wanted_hashes(found: Held) -> Wanted | None:
    """Return the hashes of open contexts, or None if there are so many that selecting positions is not worth it."""
    if found.amount(OPEN) > MOST_WANTED:
        return None
    return Wanted(np.unique(np.concatenate(fetch([found], OPEN_HASHES, "the hashes of open contexts"))))
