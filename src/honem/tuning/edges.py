"""Edges: a set of ordered pairs of nodes, as the true pairs of a ranking or as those that are not ranked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.network import Network


@dataclass(frozen=True, eq=False)
class Edges:
    """Ordered pairs (i, j), i != j, as ascending keys `i * n_nodes + j`.

    Examples
    --------
    >>> edges = Edges.of_pairs(3, [0, 2, 2], [1, 2, 0])
    >>> len(edges), edges.sources.tolist(), edges.targets.tolist()
    (2, [0, 2], [1, 0])
    """

    n_nodes: int
    keys: NDArray[np.int64]

    @classmethod
    def of_pairs(cls, n_nodes: int, sources: Any, targets: Any) -> Edges:
        """Return the distinct pairs, without those from a node to itself."""
        first, second = np.asarray(sources, np.int64), np.asarray(targets, np.int64)
        different = first != second
        return cls(n_nodes, np.unique(first[different] * n_nodes + second[different]))

    @classmethod
    def of(cls, network: Network) -> Edges:
        """Return the edges of a first-order network without self-loops, which are not ranked."""
        return cls.of_pairs(network.n_nodes, network.sources, network.targets)

    @property
    def sources(self) -> NDArray[np.int64]:
        """Source of each edge."""
        return self.keys // self.n_nodes

    @property
    def targets(self) -> NDArray[np.int64]:
        """Target of each edge."""
        return self.keys % self.n_nodes

    def __len__(self) -> int:
        return len(self.keys)

    def contain(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of these keys are edges."""
        if not len(self.keys):
            return np.zeros(len(keys), np.bool_)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found: NDArray[np.bool_] = self.keys[places] == keys
        return found

    def leaving(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return sources, counted from `start`, and targets of the edges that leave the nodes from start to stop."""
        first, last = np.searchsorted(self.keys, (start * self.n_nodes, stop * self.n_nodes))
        keys = self.keys[first:last]
        return keys // self.n_nodes - start, keys % self.n_nodes

    def select(self, chosen: NDArray[Any]) -> Edges:
        """Return the edges at these indices, or where a mask is true."""
        return Edges(self.n_nodes, np.sort(self.keys[chosen]))

    def reversed(self) -> Edges:
        """Return the edges in the other direction.

        >>> Edges.of_pairs(3, [0, 2], [1, 0]).reversed().targets.tolist()
        [2, 0]
        """
        return Edges.of_pairs(self.n_nodes, self.targets, self.sources)

    def renumbered(self, place: NDArray[np.int64]) -> Edges:
        """Return the same edges, where node i becomes place[i]."""
        return Edges.of_pairs(self.n_nodes, place[self.sources], place[self.targets])
