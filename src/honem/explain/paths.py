"""Paths from one node to another, among the rules and in a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus
from honem.rules import RuleTable

PathKind = Literal["rule", "back", "chain", "corpus"]


@dataclass(frozen=True)
class Path:
    """A path, and how often it was observed.

    Attributes
    ----------
    kind : {"rule", "back", "chain", "corpus"}
        "rule": a context that starts at a, followed by b. "back": the same from b to a. "chain": a transition from a
        and another one to b, observed separately and counted as often as the rarer of the two. "corpus": part of
        sequences of the corpus, counted by their weights.
    nodes : tuple
        The nodes, in order.
    count : int
        How often it was observed.
    """

    kind: PathKind
    nodes: tuple[Hashable, ...]
    count: int


def paths_of_rules(rules: RuleTable, a: Hashable, b: Hashable, with_back: bool, n: int) -> tuple[Path, ...]:
    """Return the n most frequent paths from a to b or, if there is none, chains of two transitions.

    `with_back` adds paths from b to a, for pairs that are near because the reverse was observed.
    """
    direct = rule_paths(rules, a, b, "rule", n) or chains(rules, a, b, n)
    back = rule_paths(rules, b, a, "back", n) if with_back and a != b else ()
    return (*direct, *back)


def rule_paths(rules: RuleTable, a: Hashable, b: Hashable, kind: PathKind, n: int) -> tuple[Path, ...]:
    """Return the most frequent contexts from a that b follows; of equally frequent ones the shorter first."""
    beginning = rules.for_node(a, "oldest")
    rows = np.flatnonzero(beginning.targets == rules.vocabulary.id(b))
    most = rows[np.argsort(-beginning.counts[rows], kind="stable")][:n].tolist()
    return tuple(
        Path(kind, (*beginning.context(int(beginning.rule_of_row[row])), b), int(beginning.counts[row])) for row in most
    )


def chains(rules: RuleTable, a: Hashable, b: Hashable, n: int) -> tuple[Path, ...]:
    """Return the strongest chains a > j > b of observed transitions; a chain is as strong as the rarer of the two."""
    rows = rules.rows_of_order(1)
    sources, targets, counts = rules.oldest[rules.rule_of_row[rows]], rules.targets[rows], rules.counts[rows]
    leaving, arriving = sources == rules.vocabulary.id(a), targets == rules.vocabulary.id(b)
    between, first, second = np.intersect1d(
        targets[leaving], sources[arriving], assume_unique=True, return_indices=True
    )
    weaker = np.minimum(counts[leaving][first], counts[arriving][second])
    strongest = np.argsort(-weaker, kind="stable")[:n].tolist()
    labels = rules.vocabulary.labels
    return tuple(Path("chain", (a, labels[between[place]], b), int(weaker[place])) for place in strongest)


def paths_of_corpus(corpus: Corpus, a: Hashable, b: Hashable, most_steps: int, n: int) -> tuple[Path, ...]:
    """Return the most frequent parts of sequences from a to b, of at most so many steps, with neither in between."""
    numbers = [corpus.vocabulary.id(node) for node in (a, b)]
    windows: Counter[tuple[int, ...]] = Counter()
    sequence_of = np.repeat(np.arange(corpus.n_sequences), corpus.lengths)
    starts = np.flatnonzero(corpus.tokens == numbers[0])
    ends = next_places(corpus.tokens, numbers, starts)
    whole = (ends < len(corpus.tokens)) & (ends - starts <= most_steps)
    starts, ends = starts[whole], ends[whole]
    whole = (corpus.tokens[ends] == numbers[1]) & (sequence_of[starts] == sequence_of[ends])
    for start, end in zip(starts[whole].tolist(), ends[whole].tolist(), strict=True):
        windows[tuple(corpus.tokens[start : end + 1].tolist())] += int(corpus.weights[sequence_of[start]])
    most = sorted(windows.items(), key=lambda item: (-item[1], len(item[0]), item[0]))[:n]
    labels = corpus.vocabulary.labels
    return tuple(Path("corpus", tuple(labels[node] for node in window), count) for window, count in most)


def next_places(tokens: NDArray[np.int32], numbers: Sequence[int], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the next position after each start that holds one of the nodes, or the number of tokens."""
    places = np.append(np.flatnonzero(np.isin(tokens, numbers)), len(tokens))
    return places[np.searchsorted(places, starts, side="right")]
