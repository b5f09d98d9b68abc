"""Finds, at every position of a chunk, the contexts of a tree that are suffixes of the history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.compilation import compiled
from honem.rules.context_tree import NOT_A_RULE, ContextTree
from honem.rules.engines.distributed.chunks import Chunk, Steps

FOUND_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Walk:
    """A flattened context tree: for each place, the oldest node, the rule, and the children.

    The children of place p, the contexts one node longer, are the places first_child[p] to first_child[p + 1] - 1.
    """

    oldest: NDArray[np.int64]
    rules: NDArray[np.int64]
    first_child: NDArray[np.int64]

    @classmethod
    def of(cls, tree: ContextTree) -> Walk:
        """Flatten a tree; the places of order 1 are the nodes."""
        oldest, first_child, begin = [np.arange(tree.n_nodes)], [], tree.n_nodes
        size = tree.n_nodes
        for keys in tree.keys:
            oldest.append(keys % tree.n_nodes)
            first_child.append(begin + np.searchsorted(keys, np.arange(size) * tree.n_nodes))
            begin, size = begin + len(keys), len(keys)
        first_child.append(np.full(size + 1, begin))
        return cls(np.concatenate(oldest), np.concatenate(tree.rules), np.concatenate(first_child))

    def contexts_at(self, chunk: Chunk, steps: Steps) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return indices of steps and of rules: one pair per rule that is a suffix of the history of a step."""
        found = []
        room = np.empty((2, FOUND_AT_ONCE + int(steps.histories.max(initial=0))), np.int64)
        start = 0
        while start < len(steps.positions):
            start, amount = walk_back(
                start,
                chunk.tokens,
                steps.positions,
                steps.histories,
                self.oldest,
                self.rules,
                self.first_child,
                *room,
            )
            found.append(room[:, :amount].copy())
        numbers, rules = np.concatenate([room[:, :0], *found], axis=1)
        return numbers, rules


@compiled
def walk_back(
    start: int,
    tokens: Any,
    positions: Any,
    histories: Any,
    oldest: Any,
    rules: Any,
    first_child: Any,
    out_steps: Any,
    out_rules: Any,
) -> tuple[int, int]:
    """Walk from the newest node of each step back in time as far as the tree goes; -> (next step, number found)."""
    amount = 0
    for step in range(start, len(positions)):
        if amount + histories[step] > len(out_steps):
            return step, amount
        position = positions[step]
        place = np.int64(tokens[position])
        back = 1
        while place >= 0:
            if rules[place] != NOT_A_RULE:
                out_steps[amount], out_rules[amount] = step, rules[place]
                amount += 1
            if back == histories[step]:
                break
            node = tokens[position - back]
            low, high = first_child[place], first_child[place + 1]
            end = high
            while low < high:
                middle = (low + high) // 2
                if oldest[middle] < node:
                    low = middle + 1
                else:
                    high = middle
            place = low if low < end and oldest[low] == node else np.int64(-1)
            back += 1
    return len(positions), amount
