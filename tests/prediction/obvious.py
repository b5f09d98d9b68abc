"""NextStep with dictionaries and recursion: slow, and plainly the formula of its docstring."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np

from honem import Corpus
from honem.prediction import StepVectors
from honem.prediction.smoothing import Smoothing

START = "start"
Symbol = int | str
Context = tuple[Symbol, ...]


def steps(corpus: Corpus) -> list[tuple[Context, int, int]]:
    """History with the start, next node, and weight of every step."""
    found: list[tuple[Context, int, int]] = []
    for number, weight in enumerate(corpus.weights.tolist()):
        nodes = corpus.tokens[corpus.offsets[number] : corpus.offsets[number + 1]].tolist()
        found += [((START, *nodes[:end]), nodes[end], weight) for end in range(1, len(nodes))]
    return found


@dataclass
class ObviousBlend:
    """The model of a corpus with given parameters."""

    corpus: Corpus
    smoothing: Smoothing
    vectors: StepVectors | None = None
    counts: dict[Context, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    handed: dict[Context, dict[int, float]] = field(default_factory=dict)
    found: dict[tuple[Context, Symbol | None], np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for history, node, weight in steps(self.corpus):
            for length in range(min(len(history), self.smoothing.depth) + 1):
                self.counts[history[len(history) - length :]][node] += weight
        # A context that was observed once is not extended.
        self.counts = {
            context: targets
            for context, targets in self.counts.items()
            if all(self.counts[context[back:]].total() > 1 for back in range(1, len(context) + 1))
        }

    def own(self, context: Context) -> dict[int, float]:
        """The counts n' of a context."""
        if context not in self.handed:
            extensions = [longer for longer in self.counts if longer and longer[1:] == context]
            own = Counter[int]() if extensions else self.counts[context]
            self.handed[context] = {node: float(count) for node, count in own.items()}
            for longer in extensions:
                for node, count in self.own(longer).items():
                    self.handed[context][node] = self.handed[context].get(node, 0.0) + count**self.smoothing.alpha
        return self.handed[context]

    def parameters(self, context: Context, n_targets: int) -> tuple[np.ndarray, float]:
        kind = len(context) * 5 + sum(n_targets >= bound for bound in (2, 3, 5, 9))
        return self.smoothing.discounts[kind], float(self.smoothing.strengths[kind])

    def blended(self, context: Context, below: np.ndarray, as_observed: bool = False) -> np.ndarray:
        """The formula, for all nodes."""
        own = {node: float(count) for node, count in self.counts[context].items()} if as_observed else self.own(context)
        discounts, strength = self.parameters(context, len(own))
        taken = {node: float(np.interp(count, [1, 2, 3], discounts)) for node, count in own.items()}
        found = (strength + sum(taken.values())) * below
        for node, count in own.items():
            found[node] += count - taken[node]
        return found / (sum(own.values()) + strength)

    def distribution(self, history: Context) -> np.ndarray:
        """P(all nodes | history)."""
        context = next(history[back:] for back in range(len(history) + 1) if history[back:] in self.counts)
        key = context, history[-1] if history else None
        if key not in self.found:
            self.found[key] = self.after(*key)
        return self.found[key]

    def open_distribution(self, history: Context) -> np.ndarray:
        """P(all nodes | history), where nothing is known about what came before the history."""
        if not history or history not in self.counts:
            return self.distribution(history)
        return self.blended(history, self.after(history[1:], history[-1]), as_observed=True)

    def after(self, context: Context, last: Symbol | None) -> np.ndarray:
        if context:
            return self.blended(context, self.after(context[1:], last))
        uniform = np.full(self.corpus.n_nodes, 1 / self.corpus.n_nodes)
        popularity = self.blended((), uniform)
        if self.vectors is None or not isinstance(last, int):
            return popularity
        score = self.vectors.target @ self.vectors.source[last]
        guess = np.exp(self.smoothing.popularity * np.log(popularity) + self.smoothing.affinity * score)
        share = self.smoothing.base_share
        return np.asarray(share * guess / guess.sum() + (1 - share) * popularity)
