"""Layout: a corpus as the kernels want it, every position that has a next step in the bucket of its newest node."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus
from honem.errors import CorpusError
from honem.rules.criteria import Counting
from honem.rules.engines.local import kernels

LONGEST_TRAIL = np.iinfo(np.int32).max
NO_SEQUENCES = np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class Layout:
    """What the kernels read, and the entries they reorder inside each bucket (words as in kernels.py).

    `split_marks[low]` is the order up to which the segments beginning at `low` have been split; `weights` are one
    every `2 ** weight_shift` positions on the trail, or none when every sequence weighs 1. `sequences` are as many
    numbers of sequences, or none when every occurrence of a context is an observation.
    """

    n_nodes: int
    trail: NDArray[np.int32]
    bucket_offsets: NDArray[np.int64]
    entries: NDArray[np.int64]
    split_marks: NDArray[np.uint8]
    weights: NDArray[np.int64]
    weight_shift: int = 0
    sequences: NDArray[np.int32] = field(default_factory=lambda: NO_SEQUENCES)

    @property
    def positions(self) -> kernels.Positions:
        """The layout as kernels take it."""
        return kernels.Positions(
            self.bucket_offsets,
            self.trail,
            self.entries,
            self.split_marks,
            self.weights,
            self.weight_shift,
            self.sequences,
        )

    def largest_bucket(self, first: int, last: int) -> int:
        """Entries in the largest of a range of buckets."""
        return int(np.diff(self.bucket_offsets[first : last + 1]).max())

    def batches(self, n_batches: int) -> Iterator[tuple[int, int]]:
        """Ranges of buckets with about as many steps each."""
        shares = np.linspace(0, len(self.entries), n_batches + 1)[1:-1]
        cuts = np.unique(np.searchsorted(self.bucket_offsets[1:-1], shares))
        bounds = [0, *cuts.tolist(), len(self.bucket_offsets) - 1]
        return ((first, last) for first, last in itertools.pairwise(bounds) if first < last)


def layout_bytes(corpus: Corpus) -> int:
    """Return the size of a corpus's layout: trail, packed entries, split marks, and weights if there are any."""
    length = len(corpus.tokens) + corpus.n_sequences + 1
    return length * (4 + 8 * corpus.is_weighted) + corpus.n_steps * 9


def lay_out(
    corpus: Corpus,
    threads: Executor,
    n_threads: int,
    counting: Counting = "occurrences",
    chosen: NDArray[np.bool_] | None = None,
) -> Layout:
    """One counting sort, stable whatever the number of threads; the buckets of nodes that are not chosen are empty."""
    length = len(corpus.tokens) + corpus.n_sequences + 1
    if length > LONGEST_TRAIL:
        raise CorpusError(f"{length} tokens and sequence ends; the local engine holds at most {LONGEST_TRAIL}")
    trail = np.empty(length, np.int32)
    kernels.lay_trail(corpus.tokens, corpus.offsets, trail)

    cuts = np.linspace(0, length - 1, n_threads + 1).astype(np.int64)
    stretches = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    amounts = np.zeros((n_threads, corpus.n_nodes), np.int64)
    list(threads.map(lambda stretch, own: kernels.count_newest(trail, *stretch, own), stretches, amounts))
    if chosen is not None:
        amounts[:, ~chosen] = 0
    bucket_offsets = np.concatenate(([0], np.cumsum(amounts.sum(axis=0))))
    cursors = bucket_offsets[:-1] + np.cumsum(amounts, axis=0) - amounts
    if chosen is not None:
        cursors[:, ~chosen] = -1
    entries = np.empty(bucket_offsets[-1], np.int64)
    list(threads.map(lambda stretch, own: kernels.fill_buckets(trail, *stretch, own, entries), stretches, cursors))
    lengths_on_trail = np.concatenate(([1], corpus.lengths + 1))
    weights, sequences = np.zeros(0, np.int64), NO_SEQUENCES
    if corpus.is_weighted:
        weights = np.repeat(np.concatenate(([0], corpus.weights)), lengths_on_trail)
    if counting == "sequences":
        sequences = np.repeat(np.arange(corpus.n_sequences + 1, dtype=np.int32), lengths_on_trail)
    split_marks = np.zeros(len(entries), np.uint8)
    return Layout(corpus.n_nodes, trail, bucket_offsets, entries, split_marks, weights, sequences=sequences)
