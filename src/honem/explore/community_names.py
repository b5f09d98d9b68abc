"""Names of communities: a label that most members share, else their most typical members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from honem.explore.labels import Column

LEAST_SHARE, LEAST_LIFT = 0.5, 1.5
"""A label names a community if so many of the members have it, and so many times more than of all nodes."""
TYPICAL = 2
LONGEST = 40


def community_names(
    found: NDArray[np.int64], neighbors: NDArray[np.int64], names: Sequence[str], labels: Sequence[Column]
) -> Iterator[str]:
    """Name each community, with its number.

    The node with the most links is no good name: a hub is near to nodes of all kinds. A typical member is a near
    neighbor of many members, and of few other nodes.

    Parameters
    ----------
    found : array of int
        The community of each node.
    neighbors : array of int, shape (n_nodes, k)
        The nearest neighbors of each node.
    names : sequence of str
        The names of the nodes.
    labels : sequence of Column
        Columns; those with categories may name communities.

    Yields
    ------
    str
        The names, from community 0 on.

    Examples
    --------
    >>> found, neighbors = np.array([0, 0, 0, 1, 1]), np.array([[1], [0], [1], [4], [3]])
    >>> list(community_names(found, neighbors, "abcde", []))
    ['1 · b, a', '2 · d, e']
    >>> kind = Column("kind", np.array([1, 1, 2, 2, 2]), ("bird", "fish"))
    >>> list(community_names(found, neighbors, "abcde", [kind]))
    ['1 · bird (b, a)', '2 · fish (d, e)']
    """
    typicality = _typicality(found, neighbors)
    for community in range(int(found.max(initial=-1)) + 1):
        members = np.flatnonzero(found == community)
        best = members[np.lexsort((members, -typicality[members]))][:TYPICAL]
        typical = ", ".join(names[node][:LONGEST] for node in best.tolist())
        label = _shared_label(members, labels)
        yield f"{community + 1} · {typical if label is None else f'{label[:LONGEST]} ({typical})'}"


def _typicality(found: NDArray[np.int64], neighbors: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how many members of its community have a node as a neighbor, times their share of all who have it."""
    is_inside = found[neighbors] == found[:, None]
    inside = np.bincount(neighbors[is_inside], minlength=len(found))
    everywhere = np.bincount(neighbors.ravel(), minlength=len(found))
    return inside**2 / np.maximum(everywhere, 1)


def _shared_label(members: NDArray[np.int64], labels: Sequence[Column]) -> str | None:
    """Return the category that distinguishes the members most, if most of them have it."""
    best, most = None, 0.0
    for column in labels:
        if column.categories is None or column.group:
            continue
        amounts = np.bincount(column.values[members], minlength=len(column.categories) + 1)[1:]
        share = amounts / len(members)
        lift = share / np.maximum(np.bincount(column.values, minlength=len(share) + 1)[1:] / len(column.values), 1e-12)
        worth = np.where((share >= LEAST_SHARE) & (lift >= LEAST_LIFT), share * np.log(np.maximum(lift, 1.0)), 0.0)
        if len(worth) and worth.max() > most:
            best, most = column.categories[int(worth.argmax())], float(worth.max())
    return best
