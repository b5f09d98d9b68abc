"""ContextTree: find the longest suffix that is a rule, for many histories at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from honem.rules.table import RuleTable

NOT_A_RULE = -1


@dataclass(frozen=True, eq=False)
class ContextTree:
    """The contexts of a rule table as a tree, from the newest node to the oldest, with one level per order.

    `keys[k - 2]` are the sorted keys `place of the parent * n_nodes + oldest node` of order k >= 2, and
    `rules[k - 1]` holds the rule at each place of order k, or -1; places of order 1 are node ids.
    """

    n_nodes: int
    keys: tuple[NDArray[np.int64], ...]
    rules: tuple[NDArray[np.int64], ...]

    @classmethod
    def of(cls, table: RuleTable) -> ContextTree:
        """Build the tree of a rule table."""
        return cls.of_contexts(len(table.vocabulary), table.context_nodes, table.context_offsets)

    @classmethod
    def of_contexts(cls, n_nodes: int, nodes: NDArray[np.int32], offsets: NDArray[np.int64]) -> ContextTree:
        """Build the tree of contexts; rule r is nodes[offsets[r]:offsets[r + 1]], oldest first."""
        ends, orders = offsets[1:], np.diff(offsets)
        places = nodes[ends - 1].astype(np.int64)
        is_whole = orders == 1
        rules = [np.full(n_nodes, NOT_A_RULE, np.int64)]
        rules[0][places[is_whole]] = np.flatnonzero(is_whole)
        keys = []
        chosen = np.arange(len(orders))
        for order in range(2, orders.max(initial=0) + 1):
            longer = orders[chosen] >= order
            chosen, places = chosen[longer], places[longer]
            level, places = np.unique(places * n_nodes + nodes[ends[chosen] - order], return_inverse=True)
            is_whole = orders[chosen] == order
            rule = np.full(len(level), NOT_A_RULE, np.int64)
            rule[places[is_whole]] = chosen[is_whole]
            keys.append(level)
            rules.append(rule)
        return cls(n_nodes, tuple(keys), tuple(rules))

    @property
    def n_rules(self) -> int:
        """Number of contexts that are rules."""
        return sum(int(np.count_nonzero(rules != NOT_A_RULE)) for rules in self.rules)

    def longest_suffixes(self, nodes: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the longest suffix of each history that is a rule, or -1.

        History h is nodes[offsets[h]:offsets[h + 1]].
        """
        found = np.full(len(offsets) - 1, NOT_A_RULE, np.int64)
        for histories, rules in self.suffixes(nodes, offsets[1:], np.diff(offsets)):
            found[histories] = rules
        return found

    def suffixes(
        self, nodes: NDArray[np.int32], ends: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield, order by order, the histories that have a rule as their suffix, and these rules.

        History h is the `lengths[h]` nodes before `ends[h]`, at least one.
        """
        places = nodes[ends - 1].astype(np.int64)
        alive = np.arange(len(ends))
        is_rule = self.rules[0][places] != NOT_A_RULE
        yield alive[is_rule], self.rules[0][places[is_rule]]
        for order, (keys, rules) in enumerate(zip(self.keys, self.rules[1:], strict=True), start=2):
            longer = lengths[alive] >= order
            alive, places = alive[longer], places[longer]
            wanted = places * self.n_nodes + nodes[ends[alive] - order]
            places = np.searchsorted(keys, wanted)
            known = keys[np.minimum(places, len(keys) - 1)] == wanted
            alive, places = alive[known], places[known]
            is_rule = rules[places] != NOT_A_RULE
            yield alive[is_rule], rules[places[is_rule]]
