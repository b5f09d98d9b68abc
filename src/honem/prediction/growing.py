"""Grow a ContextTrie level by level, in batches of contexts with the same newest nodes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem._internal.threads import count_threads
from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.prediction.trie import NO_PARENT, ContextTrie

MOST_POSITIONS = 2**31 - 1
"""Positions are held in 32 bits while the trie grows."""
STEPS_PER_BRANCH = 1 << 14
"""The steps of a branch and their contexts fit into the cache of a core."""


class TrieLevel(NamedTuple):
    """The contexts and rows of one order, as the kernel returns them; `parents` are rows of the order below."""

    symbols: NDArray[np.int32]
    n_rows: NDArray[np.int32]
    targets: NDArray[np.int32]
    parents: NDArray[np.int32]
    counts: NDArray[np.int64]
    held: NDArray[np.int64]
    is_open: NDArray[np.bool_]

    def part(self, contexts: slice, rows: slice) -> TrieLevel:
        """Return some contexts, and the rows that they have."""
        return TrieLevel(
            self.symbols[contexts],
            self.n_rows[contexts],
            self.targets[rows],
            self.parents[rows],
            self.counts[rows],
            self.held[rows],
            self.is_open[contexts],
        )


@dataclass(frozen=True, eq=False)
class GrownTrie:
    """A trie, and how many of the counts of each row are held out."""

    trie: ContextTrie
    held: NDArray[np.int64]

    @cached_property
    def seen(self) -> NDArray[np.int64]:
        """The counts of all rows without what is held out."""
        return self.trie.counts - self.held

    @cached_property
    def seen_totals(self) -> NDArray[np.int64]:
        """The sums of these counts, for each context."""
        return np.add.reduceat(self.seen, self.trie.row_offsets[:-1])


class PaddedSteps(NamedTuple):
    """Sequences with a start before each, and at each position the weight of the sequence and how much is held out."""

    nodes: NDArray[np.int32]
    weights: NDArray[np.int64]
    held: NDArray[np.int64]
    start: int
    """The symbol of the start, which is larger than all nodes."""

    @classmethod
    def of(cls, corpus: Corpus, held: NDArray[np.int64]) -> PaddedSteps:
        """Put a start before each sequence of a corpus."""
        lengths = corpus.lengths + 1
        if lengths.sum() > MOST_POSITIONS:
            raise ParameterError(
                f"a model of the next step can count at most {MOST_POSITIONS} nodes, not {lengths.sum()}"
            )
        nodes = np.full(int(lengths.sum()), corpus.n_nodes, np.int32)
        is_node = np.ones(len(nodes), np.bool_)
        is_node[offsets_of(lengths)[:-1]] = False
        nodes[is_node] = corpus.tokens
        return cls(nodes, np.repeat(corpus.weights, lengths), np.repeat(held, lengths), corpus.n_nodes)


class Branch:
    """Contexts that are grown together: their levels so far, and the steps of those that can be extended.

    Parameters
    ----------
    steps : PaddedSteps
        The sequences.
    order : int
        Order of the contexts of the first level.
    level : TrieLevel
        The first level.
    bounds, ends, rows : array of int
        The steps of the g-th open context are bounds[g]:bounds[g + 1]; where each ends, and its row in the level.
    """

    def __init__(
        self,
        steps: PaddedSteps,
        order: int,
        level: TrieLevel,
        bounds: NDArray[np.int64],
        ends: NDArray[np.int32],
        rows: NDArray[np.int32],
    ) -> None:
        self.steps, self.order, self.bounds, self.ends, self.rows = steps, order, bounds, ends, rows
        self.levels: list[TrieLevel] = [level]
        self.n_children: list[NDArray[np.int32]] = []
        """Number of extensions of each context, for all levels but the last."""

    @classmethod
    def of_root(cls, steps: PaddedSteps) -> Branch:
        """Return the branch of the empty context."""
        from honem.prediction.trie_kernel import steps_by_target

        ends = steps_by_target(steps.nodes, steps.start)
        targets = steps.nodes[ends]
        is_first = np.append(True, targets[1:] != targets[:-1])[: len(targets)]
        firsts = np.flatnonzero(is_first)
        counts, held = (
            np.add.reduceat(values[ends], firsts) if len(firsts) else values[ends]
            for values in (steps.weights, steps.held)
        )
        level = TrieLevel(
            symbols=np.array([-1], np.int32),
            n_rows=np.array([len(firsts)], np.int32),
            targets=targets[firsts],
            parents=np.full(len(firsts), NO_PARENT, np.int32),
            counts=counts,
            held=held,
            is_open=np.array([counts.sum() > 1]),  # one step in all is not extended
        )
        bounds = np.array([0, len(ends)] if level.is_open[0] else [0])
        return cls(steps, 0, level, bounds, ends, (np.cumsum(is_first) - 1).astype(np.int32))

    def grow(self, depth: int) -> None:
        """Extend contexts until they have `depth` symbols, or none can be extended."""
        from honem.prediction.trie_kernel import grow_level

        while self.order + len(self.levels) <= depth and len(self.bounds) > 1:
            order, above = self.order + len(self.levels), self.levels[-1]
            n_children, *grown, self.bounds, self.ends, self.rows = grow_level(
                *self.steps[:3], above.targets, self.steps.start, order, self.bounds, self.ends, self.rows
            )
            spread = np.zeros(len(above.symbols), np.int32)
            spread[above.is_open] = n_children
            self.n_children.append(spread)
            self.levels.append(TrieLevel(*grown))

    def children_of_level(self, depth: int) -> NDArray[np.int32]:
        """Return the number of extensions of each context of a level; those of the last level have none."""
        if depth < len(self.n_children):
            return self.n_children[depth]
        return np.zeros(len(self.levels[depth].symbols), np.int32)

    def split(self) -> Iterator[Branch]:
        """Divide the last level among branches with about as many steps each."""
        last = self.levels[-1]
        n_open, row_offsets = offsets_of(last.is_open), offsets_of(last.n_rows)
        cuts = np.searchsorted(self.bounds[n_open], np.arange(STEPS_PER_BRANCH, len(self.ends), STEPS_PER_BRANCH))
        for first, end in pairwise(np.unique([0, *cuts.tolist(), len(last.symbols)]).tolist()):
            rows, bounds = slice(*row_offsets[[first, end]]), self.bounds[n_open[first] : n_open[end] + 1]
            steps = slice(bounds[0], bounds[-1])
            level = last.part(slice(first, end), rows)
            yield Branch(
                self.steps,
                self.order + len(self.levels) - 1,
                level,
                bounds - bounds[0],
                self.ends[steps],
                self.rows[steps] - np.int32(rows.start),
            )


class TrieGrowth:
    """The contexts of a corpus, up to an order that can be raised.

    Parameters
    ----------
    corpus : Corpus
        The sequences.
    held : array of int, optional
        How many copies of each sequence are held out.
    n_jobs : int or None, default=None
        Number of threads; None or -1 for all cores. The result does not depend on it.
    """

    def __init__(self, corpus: Corpus, held: NDArray[np.int64] | None = None, n_jobs: int | None = None) -> None:
        from honem._internal.compilation import announcing_compilation

        held = np.zeros(corpus.n_sequences, np.int64) if held is None else held
        self.n_threads = count_threads(n_jobs)
        with announcing_compilation():
            self.root = Branch.of_root(PaddedSteps.of(corpus, held))
            self.root.grow(1)
        self.branches = list(self.root.split())
        self.depth = 0

    def reaching(self, depth: int) -> GrownTrie:
        """Return the trie, grown until its contexts have at least `depth` symbols, or none can be extended."""
        from honem._internal.compilation import announcing_compilation

        if depth > self.depth:
            with announcing_compilation(), ThreadPoolExecutor(self.n_threads) as threads:
                list(threads.map(lambda branch: branch.grow(depth), self.branches))
            self.depth, self.grown = depth, _assembled(self.root, self.branches)
        return self.grown


def grow_trie(
    corpus: Corpus, depth: int, held: NDArray[np.int64] | None = None, n_jobs: int | None = None
) -> GrownTrie:
    """Count all contexts of a corpus.

    Parameters
    ----------
    corpus : Corpus
        The sequences.
    depth : int
        Order of the longest contexts; the start of a sequence counts as a symbol.
    held : array of int, optional
        How many copies of each sequence are held out.
    n_jobs : int or None, default=None
        Number of threads; None or -1 for all cores. The result does not depend on it.

    Returns
    -------
    GrownTrie

    Examples
    --------
    >>> trie = grow_trie(Corpus.from_sequences([list("abab")] * 2), 2).trie
    >>> [[trie.nodes_of(context), trie.counts[trie.row_offsets[context]].item()] for context in range(trie.n_contexts)]
    [[[], 2], [[0], 4], [[1], 2], [[1, 0], 2], [[2, 0], 2], [[0, 1], 2]]
    """
    return TrieGrowth(corpus, held, n_jobs).reaching(depth)


def _assembled(root: Branch, branches: list[Branch]) -> GrownTrie:
    """Join the levels of all branches: within a level, contexts are in the order of the branches."""
    n_levels = max(len(branch.levels) for branch in branches)
    sizes = np.zeros((n_levels, len(branches)), np.int64)
    for place, branch in enumerate(branches):
        sizes[: len(branch.levels), place] = [len(level.targets) for level in branch.levels]
    above = root.levels[:-1]
    first_rows = (offsets_of(sizes.ravel())[:-1] + sum(len(level.targets) for level in above)).reshape(sizes.shape)
    pieces = [(level, n_children, 0) for level, n_children in zip(above, root.n_children, strict=True)]
    for depth in range(n_levels):
        for place, branch in enumerate(branches):
            if depth < len(branch.levels):
                shift = first_rows[depth - 1, place] if depth else 0
                pieces.append((branch.levels[depth], branch.children_of_level(depth), int(shift)))
    columns: dict[str, NDArray[Any]] = {
        name: np.concatenate([getattr(level, name) for level, _, _ in pieces]) for name in TrieLevel._fields
    }
    trie = ContextTrie(
        n_nodes=root.steps.start,
        symbols=columns["symbols"],
        n_children=np.concatenate([n_children for _, n_children, _ in pieces]),
        row_offsets=offsets_of(columns["n_rows"]),
        targets=columns["targets"],
        counts=columns["counts"],
    )
    # Known from growing, so there is no need to look them up.
    trie.__dict__["row_parents"] = np.concatenate([level.parents + np.int32(shift) for level, _, shift in pieces])
    return GrownTrie(trie, columns["held"])
