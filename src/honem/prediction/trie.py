"""ContextTrie: the counts of all contexts of a corpus, as a tree from the newest node to the oldest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.corpus import Corpus
from honem.errors import ParameterError

NO_PARENT = -1
MOST_POSITIONS = 2**31 - 1
"""Positions are held in 32 bits while the trie grows."""


@dataclass(frozen=True, eq=False)
class ContextTrie:
    """All contexts up to an order, and how often each node came after them.

    Context 0 is the empty context. Its children are the contexts of one node; a child extends its parent by one older
    symbol, which is a node, or the start of the sequence. So the parent of a context is the context without its oldest
    symbol, to which predictions back off. Contexts are sorted by order, then by parent, then by oldest symbol.

    A context that was observed once is not extended: what came after its extensions is known already.

    Attributes
    ----------
    n_nodes : int
        Number of nodes; this is also the symbol of the start of a sequence.
    symbols : array of int
        The oldest symbol of each context; -1 for the empty context.
    n_children : array of int
        Number of extensions of each context.
    row_offsets : array of int
        The rows of context c are `row_offsets[c]:row_offsets[c + 1]`; one row per node that came next.
    targets, counts : array of int
        The next node of each row, ascending within a context, and how often it was observed.
    """

    n_nodes: int
    symbols: NDArray[np.int32]
    n_children: NDArray[np.int32]
    row_offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]

    @property
    def n_contexts(self) -> int:
        """Number of contexts, the empty one included."""
        return len(self.symbols)

    @property
    def depth(self) -> int:
        """Order of the longest contexts."""
        return len(self.level_offsets) - 2

    @cached_property
    def child_offsets(self) -> NDArray[np.int64]:
        """The children of context c are `child_offsets[c]:child_offsets[c + 1]`."""
        return offsets_of(self.n_children) + 1

    @cached_property
    def level_offsets(self) -> NDArray[np.int64]:
        """The contexts of order k are `level_offsets[k]:level_offsets[k + 1]`."""
        offsets = [0, 1]
        while offsets[-1] < self.n_contexts:
            offsets.append(int(self.child_offsets[offsets[-1]]))
        return np.array(offsets)

    @cached_property
    def orders(self) -> NDArray[np.int32]:
        """Number of symbols of each context."""
        return np.repeat(np.arange(self.depth + 1, dtype=np.int32), np.diff(self.level_offsets))

    @cached_property
    def parents(self) -> NDArray[np.int32]:
        """The context without its oldest symbol; -1 for the empty context."""
        children = np.repeat(np.arange(self.n_contexts, dtype=np.int32), self.n_children)
        return np.concatenate((np.array([NO_PARENT], np.int32), children))

    @cached_property
    def context_of_row(self) -> NDArray[np.int32]:
        """The context of each row."""
        return np.repeat(np.arange(self.n_contexts, dtype=np.int32), np.diff(self.row_offsets))

    @cached_property
    def row_parents(self) -> NDArray[np.int32]:
        """The row of the same target in the parent of the context; -1 for rows of the empty context."""
        from honem.prediction.trie_kernel import find_row_parents

        return np.asarray(find_row_parents(self.parents, self.row_offsets, self.targets))

    @cached_property
    def is_leaf_row(self) -> NDArray[np.bool_]:
        """Whether the context of each row has no extensions."""
        return np.repeat(self.n_children == 0, np.diff(self.row_offsets))

    def up_to(self, depth: int) -> ContextTrie:
        """Return the trie of all contexts of at most `depth` symbols."""
        if depth >= self.depth:
            return self
        n_contexts = int(self.level_offsets[depth + 1])
        n_children = self.n_children[:n_contexts].copy()
        n_children[self.level_offsets[depth] :] = 0
        n_rows = int(self.row_offsets[n_contexts])
        cut = replace(
            self,
            symbols=self.symbols[:n_contexts],
            n_children=n_children,
            row_offsets=self.row_offsets[: n_contexts + 1],
            targets=self.targets[:n_rows],
            counts=self.counts[:n_rows],
        )
        cut.__dict__["row_parents"] = self.row_parents[:n_rows]
        return cut

    def find(
        self, nodes: NDArray[np.int32], ends: NDArray[np.int64], lengths: NDArray[np.int64], begins: NDArray[np.bool_]
    ) -> NDArray[np.int32]:
        """Return the longest context that is a suffix of each history.

        Parameters
        ----------
        nodes : array of int
            Nodes of all histories.
        ends, lengths : array of int
            History h is the `lengths[h]` nodes before position `ends[h]`.
        begins : array of bool
            Whether the history begins at the start of a sequence.

        Returns
        -------
        array of int
            One context per history; 0 is the empty context.
        """
        from honem._internal.compilation import announcing_compilation
        from honem.prediction.trie_kernel import find_contexts

        with announcing_compilation():
            found = find_contexts(self.symbols, self.child_offsets, self.n_nodes, nodes, ends, lengths, begins)
        return np.asarray(found)

    def nodes_of(self, context: int) -> list[int]:
        """Return the symbols of a context, oldest first."""
        found = []
        while context > 0:
            found.append(int(self.symbols[context]))
            context = int(self.parents[context])
        return found


class TrieLevel(NamedTuple):
    """The contexts and rows of one order, as the kernel returns them."""

    symbols: NDArray[np.int32]
    n_rows: NDArray[np.int32]
    targets: NDArray[np.int32]
    parents: NDArray[np.int32]
    counts: NDArray[np.int64]
    held: NDArray[np.int64]
    is_open: NDArray[np.bool_]


class GrownTrie(NamedTuple):
    """A trie, and how many of the counts of each row are held out."""

    trie: ContextTrie
    held: NDArray[np.int64]


def grow_trie(corpus: Corpus, depth: int, held: NDArray[np.int64] | None = None) -> GrownTrie:
    """Count all contexts of a corpus, level by level.

    Parameters
    ----------
    corpus : Corpus
        The sequences.
    depth : int
        Order of the longest contexts; the start of a sequence counts as a symbol.
    held : array of int, optional
        How many copies of each sequence are held out.

    Returns
    -------
    GrownTrie

    Examples
    --------
    >>> trie = grow_trie(Corpus.from_sequences([list("abab")] * 2), 2).trie
    >>> [[trie.nodes_of(context), trie.counts[trie.row_offsets[context]].item()] for context in range(trie.n_contexts)]
    [[[], 2], [[0], 4], [[1], 2], [[1, 0], 2], [[2, 0], 2], [[0, 1], 2]]
    """
    from honem._internal.compilation import announcing_compilation
    from honem.prediction.trie_kernel import grow_level

    held = np.zeros(corpus.n_sequences, np.int64) if held is None else held
    with announcing_compilation():
        padded, weights, padded_held, ends = _padded(corpus, held)
    level, rows = _root(corpus.n_nodes, padded[ends], weights[ends], padded_held[ends])
    # One step in all is not extended either.
    levels, n_children, bounds = [level], [], np.array([0, len(ends)] if level.is_open[0] else [0])
    with announcing_compilation():
        for order in range(1, depth + 1):
            if len(bounds) == 1:
                break
            grown = grow_level(
                padded, weights, padded_held, levels[-1].targets, corpus.n_nodes, order, bounds, ends, rows
            )
            n_children.append(_spread(grown[0], levels[-1].is_open))
            levels.append(TrieLevel(*grown[1:8]))
            bounds, ends, rows = grown[8:]
    return _assembled(corpus.n_nodes, levels, [*n_children, np.zeros(len(levels[-1].symbols), np.int32)])


def _padded(
    corpus: Corpus, held: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Return tokens with a start before each sequence, weights at each of them, and where steps end, by target."""
    from honem.prediction.trie_kernel import steps_by_target

    lengths = corpus.lengths + 1
    if lengths.sum() > MOST_POSITIONS:
        raise ParameterError(f"a model of the next step can count at most {MOST_POSITIONS} nodes, not {lengths.sum()}")
    starts = offsets_of(lengths)[:-1]
    padded = np.full(int(lengths.sum()), corpus.n_nodes, np.int32)
    is_node = np.ones(len(padded), np.bool_)
    is_node[starts] = False
    padded[is_node] = corpus.tokens
    ends = steps_by_target(padded, corpus.n_nodes)
    return padded, np.repeat(corpus.weights, lengths), np.repeat(held, lengths), ends


def _root(
    n_nodes: int, targets: NDArray[np.int32], weights: NDArray[np.int64], held: NDArray[np.int64]
) -> tuple[TrieLevel, NDArray[np.int32]]:
    """Return the level of the empty context, and the row of each step."""
    is_first = np.append(True, targets[1:] != targets[:-1])[: len(targets)]
    firsts = np.flatnonzero(is_first)
    rows = (np.cumsum(is_first) - 1).astype(np.int32)
    counts, out = (np.add.reduceat(values, firsts) if len(firsts) else values for values in (weights, held))
    level = TrieLevel(
        symbols=np.array([-1], np.int32),
        n_rows=np.array([len(firsts)], np.int32),
        targets=targets[firsts],
        parents=np.full(len(firsts), NO_PARENT, np.int32),
        counts=counts,
        held=out,
        is_open=np.array([counts.sum() > 1]),
    )
    return level, rows


def _spread(n_children: NDArray[np.int32], is_open: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the number of children of all contexts of a level, given those of the open ones."""
    spread = np.zeros(len(is_open), np.int32)
    spread[is_open] = n_children
    return spread


def _assembled(n_nodes: int, levels: list[TrieLevel], n_children: list[NDArray[np.int32]]) -> GrownTrie:
    """Concatenate the levels."""
    columns: dict[str, NDArray[Any]] = {
        name: np.concatenate([getattr(level, name) for level in levels]) for name in TrieLevel._fields
    }
    trie = ContextTrie(
        n_nodes=n_nodes,
        symbols=columns["symbols"],
        n_children=np.concatenate(n_children),
        row_offsets=offsets_of(columns["n_rows"]),
        targets=columns["targets"],
        counts=columns["counts"],
    )
    above = np.concatenate(([0], offsets_of(np.array([len(level.targets) for level in levels]))[:-1]))
    shifts = np.repeat(above[:-1], [len(level.targets) for level in levels]).astype(np.int32)
    row_parents = np.where(columns["parents"] < 0, NO_PARENT, columns["parents"] + shifts).astype(np.int32)
    trie.__dict__["row_parents"] = row_parents  # known from growing: no need to look them up
    return GrownTrie(trie, columns["held"])
