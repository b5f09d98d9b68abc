"""Classes of nodes: which nodes of a vocabulary have a label that enough others share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Vocabulary
from honem.errors import ParameterError


@dataclass(frozen=True, eq=False)
class LabelledNodes:
    """Ids of the labelled nodes, ascending, their classes as indices into `names`, and how many nodes were left out."""

    ids: NDArray[np.int64]
    classes: NDArray[np.int64]
    names: tuple[str, ...]
    n_unlabelled: int
    n_left_out: int


def labelled_nodes(
    vocabulary: Vocabulary,
    labels: Mapping[Hashable, str],
    *,
    only: Collection[str] | None = None,
    least: int = 1,
) -> LabelledNodes:
    """Return the nodes that have a label.

    Parameters
    ----------
    vocabulary : Vocabulary
        All nodes.
    labels : mapping
        Label of each node; a node without one, or with an empty one, is unlabelled.
    only : collection of str, optional
        Nodes with other labels are left out; by default none.
    least : int, default=1
        Nodes of smaller classes are left out.

    Raises
    ------
    ParameterError
        If there are fewer than two classes, or no node has a label in `only`.

    Examples
    --------
    >>> nodes = labelled_nodes(Vocabulary(tuple("abcde")), dict(a="x", b="y", c="x", d="y", e="z"), least=2)
    >>> nodes.ids.tolist(), nodes.classes.tolist(), nodes.names, nodes.n_left_out
    ([0, 1, 2, 3], [0, 1, 0, 1], ('x', 'y'), 1)
    """
    given = [labels.get(label) or "" for label in vocabulary]
    amounts = Counter(name for name in given if name)
    unknown = set(only or ()) - amounts.keys()
    if unknown:
        raise ParameterError(
            f"no node has the label {', '.join(map(repr, sorted(unknown)))}; there are {_shown(amounts)}"
        )
    names = sorted(name for name, n in amounts.items() if n >= least and (only is None or name in only))
    if len(names) < 2:
        raise ParameterError(f"there must be two classes of at least {least} nodes; there are {_shown(amounts)}")
    place = {name: number for number, name in enumerate(names)}
    classes = np.array([place.get(name, -1) for name in given], np.int64)
    ids = np.flatnonzero(classes >= 0)
    n_unlabelled = given.count("")
    return LabelledNodes(ids, classes[ids], tuple(names), n_unlabelled, len(given) - n_unlabelled - len(ids))


def _shown(amounts: Counter[str], most: int = 20) -> str:
    shown = ", ".join(f"{name!r} ({amount})" for name, amount in amounts.most_common(most))
    return (shown or "none") + (", ..." if len(amounts) > most else "")
