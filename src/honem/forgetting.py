"""Forgetting: paths of a corpus that began too early, and nodes that are no longer wanted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.corpus import Corpus, Vocabulary, number_by_appearance
from honem.errors import CorpusError
from honem.io.paths.durations import parse_duration
from honem.sequence_times import SequenceTimes


def since(corpus: Corpus, moment: Any) -> Corpus:
    """Return the sequences that did not begin before a moment, with only the nodes that they visit."""
    times = times_of(corpus).joined(SequenceTimes.of([moment]))
    return _chosen(corpus, times.starts[:-1] >= times.starts[-1])


def within_window(corpus: Corpus, window: str | float) -> Corpus:
    """Return the sequences that began at most so much time before the latest one, with only the nodes they visit."""
    times, width = times_of(corpus), parse_duration("window", window)
    if isinstance(window, str) and times.ticks is None:
        raise CorpusError("times of the sequences are numbers of an unknown unit; give the window as a number, too")
    if not corpus.n_sequences:
        return corpus
    latest, ticks = times.starts.max(), times.ticks or 1
    # Whole numbers are compared as such: floats would round times of nanoseconds.
    ages = int(latest) - times.starts.astype(object) if times.starts.dtype == np.int64 else latest - times.starts
    return _chosen(corpus, np.asarray(ages <= width * ticks, np.bool_))


def without_nodes(corpus: Corpus, nodes: Iterable[Hashable]) -> Corpus:
    """Return the sequences cut where one of the nodes was visited, so that no step is made up."""
    is_kept = np.ones(corpus.n_nodes, np.bool_)
    is_kept[[corpus.vocabulary.id(node) for node in nodes]] = False
    chosen = is_kept[corpus.tokens]
    sequences = np.repeat(np.arange(corpus.n_sequences), corpus.lengths)
    # The number grows at every start of a sequence and at every forgotten node, hence from piece to piece.
    pieces = (sequences + np.cumsum(~chosen))[chosen]
    _, first, lengths = np.unique(pieces, return_index=True, return_counts=True)
    sources = sequences[chosen][first]
    times = None if corpus.times is None else corpus.times.select(sources)
    return renumbered(
        replace(
            corpus,
            tokens=corpus.tokens[chosen],
            offsets=offsets_of(lengths),
            weights=corpus.weights[sources],
            times=times,
            entities=None if corpus.entities is None else corpus.entities[sources],
        )
    )


def renumbered(corpus: Corpus) -> Corpus:
    """Return the same sequences with only the nodes that they visit, numbered by first appearance."""
    tokens = corpus.tokens.copy()
    labels = number_by_appearance(tokens, corpus.vocabulary.labels)
    return replace(corpus, vocabulary=Vocabulary(labels), tokens=tokens)


def _chosen(corpus: Corpus, chosen: NDArray[np.bool_]) -> Corpus:
    return corpus if chosen.all() else renumbered(corpus.reweighted(np.where(chosen, corpus.weights, 0)))


def times_of(corpus: Corpus) -> SequenceTimes:
    """Return when sequences began and ended; raise CorpusError if that is not known."""
    if corpus.times is None:
        raise CorpusError(
            "the times of the sequences are not known; read an event table with a time column, or use Corpus.with_times"
        )
    return corpus.times
