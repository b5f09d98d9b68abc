"""Comparison of two embeddings of the same nodes: neighbours that nodes gained and lost."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.words import amount, and_more, listed_names, name_of, percent, wrapped
from honem.corpus import Vocabulary
from honem.embedding import Embedding, VectorScore
from honem.errors import ParameterError


@dataclass(frozen=True)
class NodeChange:
    """How the neighbours of one node changed.

    Attributes
    ----------
    node : hashable
        The node.
    share : float
        Share of its k neighbours that changed.
    won, lost : tuple
        The neighbours it gained and lost, nearest first.
    """

    node: Hashable
    share: float
    won: tuple[Hashable, ...]
    lost: tuple[Hashable, ...]


@dataclass(frozen=True)
class Comparison:
    """How the neighbours of all nodes differ between two embeddings. Print it for a description in words.

    Attributes
    ----------
    k : int
        Number of neighbours of each node; fewer than requested if there are fewer nodes.
    space : str
        The score that makes neighbours.
    changes : tuple of NodeChange
        One per node that both embeddings have, most changed first; equally changed ones in the order of the nodes.
    n_left_out : int
        Number of nodes that only one of the embeddings has.
    """

    k: int
    space: VectorScore
    changes: tuple[NodeChange, ...]
    n_left_out: int

    @property
    def mean_share(self) -> float:
        """The share of all neighbours that changed."""
        return float(np.mean([change.share for change in self.changes])) if self.changes else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as a dict that JSON can hold."""
        return {"mean_share": self.mean_share, **asdict(self)}

    def describe(self, n: int = 10) -> str:
        """Describe the comparison in words.

        Parameters
        ----------
        n : int, default=10
            Number of nodes to list, most changed first.

        Returns
        -------
        str
        """
        changed = [change for change in self.changes if change.share]
        nodes = f"{len(changed):,} of {amount(len(self.changes), 'node')} changed"
        facts = f"{percent(self.mean_share)} of the {self.k} nearest by {self.space} changed; {nodes}"
        left_out = (
            f"; left out {amount(self.n_left_out, 'node')} that only one embedding has" if self.n_left_out else ""
        )
        shown = [line for change in changed[:n] for line in _lines_of(change)]
        return "\n".join([facts + left_out, "", *shown, *and_more(len(changed) - n, "node")]).strip()

    def __str__(self) -> str:
        return self.describe()


def _lines_of(change: NodeChange) -> list[str]:
    sides = {"won": change.won, "lost": change.lost}
    head = f"{name_of(change.node)}: {percent(change.share)} changed"
    return [head, *(wrapped(f"{side:4} {listed_names(nodes)}", "  ") for side, nodes in sides.items())]


def compare(embedding: Embedding, other: Embedding, k: int = 10, space: VectorScore = "cosine") -> Comparison:
    """Compare the nearest neighbours of all nodes in two embeddings.

    Nodes that only one of the embeddings has are left out, also as neighbours.

    Parameters
    ----------
    embedding, other : Embedding
        The embeddings; neighbours are gained in the first and lost against the second.
    k : int, default=10
        Number of neighbours of each node.
    space : {"cosine", "source.target", "source.source", "euclidean"}, default="cosine"
        The score that makes neighbours.

    Returns
    -------
    Comparison

    Raises
    ------
    ParameterError
        If the embeddings have fewer than 2 nodes in common.

    Examples
    --------
    >>> nodes = Vocabulary(("a", "b", "c"))
    >>> higher = Embedding(nodes, np.array([[1.0, 0], [0.2, 1], [1, 0.1]]))
    >>> first = Embedding(nodes, np.array([[1.0, 0], [0.9, 1], [0, 1]]))
    >>> print(compare(higher, first, k=1))
    67 % of the 1 nearest by cosine changed; 2 of 3 nodes changed
    <BLANKLINE>
    a: 100 % changed
      won  c
      lost b
    c: 100 % changed
      won  a
      lost b
    """
    common = [node for node in embedding.nodes if node in other]
    if len(common) < 2:
        raise ParameterError(f"the embeddings have {amount(len(common), 'node')} in common; at least 2 can be compared")
    here, _ = restricted(embedding, common).nearest(n=k, space=space)
    there, _ = restricted(other, common).nearest(n=k, space=space)
    won, lost = is_new(here, there), is_new(there, here)
    n_changed = won.sum(axis=1)
    changes = tuple(
        NodeChange(
            node=common[node],
            share=float(n_changed[node] / here.shape[1]),
            won=tuple(common[number] for number in here[node][won[node]].tolist()),
            lost=tuple(common[number] for number in there[node][lost[node]].tolist()),
        )
        for node in np.argsort(-n_changed, kind="stable").tolist()
    )
    return Comparison(here.shape[1], space, changes, len(embedding) + len(other) - 2 * len(common))


def restricted(embedding: Embedding, nodes: list[Hashable]) -> Embedding:
    """Return the embedding of some of its nodes, in the order given."""
    if list(embedding.nodes) == nodes:
        return embedding
    rows = [embedding.vocabulary.id(node) for node in nodes]
    target = None if embedding.target is None else embedding.target[rows]
    return Embedding(Vocabulary(tuple(nodes)), embedding.source[rows], target)


def is_new(neighbors: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which neighbours of each node, one row per node, are not among its `others`."""
    n_nodes = len(neighbors)
    rows = np.arange(n_nodes)[:, None] * n_nodes
    # One number per (node, neighbour), so that a single sort serves all rows.
    return ~np.isin(rows + neighbors, rows + others)
