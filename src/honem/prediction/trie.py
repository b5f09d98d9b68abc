"""ContextTrie: the counts of all contexts of a corpus, as a tree from the newest node to the oldest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of

NO_PARENT = -1


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
        # The contexts that are left are the first ones, so what is known about them need not be computed again.
        cut.__dict__.update(
            row_parents=self.row_parents[:n_rows],
            context_of_row=self.context_of_row[:n_rows],
            orders=self.orders[:n_contexts],
            parents=self.parents[:n_contexts],
        )
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
