"""Predictions: the answers of NextStep for many histories, each with the contexts that contributed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem.prediction.answers import Contribution, NextNode, Prediction
from honem.prediction.trie import ContextTrie

if TYPE_CHECKING:
    from honem.prediction.next_step import NextStep


@dataclass(frozen=True, eq=False)
class Predictions(Sequence[Prediction]):
    """The most probable next nodes after many histories.

    Attributes
    ----------
    model : NextStep
        The model that predicted.
    histories : sequence of tuple of hashable
        The histories.
    contexts : array of int
        The longest observed suffix of each history, as a context of the trie of the model; the number of contexts is
        added where counts as observed were used.
    nodes : array of int of shape (n_histories, k)
        Row numbers of the nodes in the vocabulary, most probable first.
    probabilities : array of float of shape (n_histories, k)
        Their probabilities.
    """

    model: NextStep
    histories: Sequence[tuple[Hashable, ...]]
    contexts: NDArray[np.int32]
    nodes: NDArray[np.int32]
    probabilities: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.histories)

    def __getitem__(self, place: Any) -> Any:
        """Return the Prediction of one history, with the contexts that contributed; or some Predictions."""
        if isinstance(place, slice):
            chosen = (self.histories[place], self.contexts[place], self.nodes[place], self.probabilities[place])
            return Predictions(self.model, *chosen)
        model, history, context = self.model, self.histories[place], int(self.contexts[place])
        pairs = zip(self.nodes[place].tolist(), self.probabilities[place].tolist(), strict=True)
        nodes = (
            NextNode(model.vocabulary[node], value, count_after(model.trie, context, node)) for node, value in pairs
        )
        contributions = contributions_of(model, context, bool(history) and history[-1] in model.vocabulary)
        unknown = tuple(dict.fromkeys(node for node in history if node not in model.vocabulary))
        return Prediction(contributions[0].context or (), tuple(nodes), contributions, unknown)

    def _repr_html_(self) -> str:
        from honem.prediction.notebooks import html_of_predictions

        return html_of_predictions(self)


def contributions_of(model: NextStep, context: int, base_known: bool) -> tuple[Contribution, ...]:
    """Return what each context contributes to the distribution after a context.

    Parameters
    ----------
    model : NextStep
        The model that predicted.
    context : int
        The longest context, in the version that was used.
    base_known : bool
        Whether there is a last node, so that vectors contribute.

    Returns
    -------
    tuple of Contribution
        Longest context first, then order 0, then vectors if they contribute.
    """
    found, weight = [], 1.0
    parents, *_, left_over = model.tables
    while context > 0:
        left = float(left_over[context])
        found.append(_contribution(model, context % model.trie.n_contexts, weight * (1.0 - left)))
        weight, context = weight * left, int(parents[context])
    share = model.smoothing.base_share if base_known and model.base.vectors is not None else 0.0
    found.append(_contribution(model, 0, weight * (1.0 - share)))
    return (*found, *([Contribution(None, weight * share, 0)] if share else []))


def _contribution(model: NextStep, context: int, weight: float) -> Contribution:
    rows = slice(model.trie.row_offsets[context], model.trie.row_offsets[context + 1])
    symbols, from_start = model.trie.nodes_of(context), False
    if symbols and symbols[0] == model.trie.n_nodes:
        symbols, from_start = symbols[1:], True
    nodes = tuple(model.vocabulary[symbol] for symbol in symbols)
    return Contribution(nodes, weight, int(model.trie.counts[rows].sum()), from_start)


def count_after(trie: ContextTrie, context: int, node: int) -> int:
    """Return how often a node was observed after a context."""
    context %= trie.n_contexts
    low, high = trie.row_offsets[context : context + 2]
    row = low + np.searchsorted(trie.targets[low:high], node)
    return int(trie.counts[row]) if row < high and trie.targets[row] == node else 0
