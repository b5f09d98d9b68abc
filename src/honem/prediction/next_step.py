"""NextStep: the model of the next node of a path, a blend of all contexts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_seed, require_whole
from honem.corpus import Corpus, Vocabulary
from honem.errors import CorpusError, ParameterError
from honem.prediction.answers import Prediction, as_history
from honem.prediction.base import Base, Embed, StepVectors
from honem.prediction.histories import EncodedHistories
from honem.prediction.predictions import Predictions
from honem.prediction.scoring import StepScorer
from honem.prediction.smoothing import Blend, Smoothing
from honem.prediction.trie import ContextTrie

MAX_ORDER = 32
"""Order of the longest contexts that are tried, unless another is given."""
BASES_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class NextStep(StepScorer):
    """A model of the next node given the history, P(next | history).

    All contexts that are suffixes of the history are blended, from the longest one that was observed down to order 0.
    If a history was observed as a whole, and nothing is known about what came before it, its counts as observed are
    blended with those of shorter contexts.
    With p the context c without its oldest node,

        P(t|c) = [n'(c -> t) - D(n') + (theta + sum_t D(n')) P(t|p)] / (s'(c) + theta),

    without the first two terms if t was not observed after c. n' are counts in which c gets from each of its
    extensions `n' ** alpha`, and s' is their sum; alpha = 0 gives Kneser-Ney counts. Discounts D (for counts of 1, 2,
    and 3 or more, interpolated in between) and strengths theta are estimated for each order and number of distinct
    targets, on sequences that are held out; so are alpha and the order of the longest contexts. The start of a
    sequence is a symbol of contexts. Order 1 backs off to a mix of order 0 and of what the vectors of the nodes say.

    The first node and the end of a sequence are not predicted.

    Attributes
    ----------
    vocabulary : Vocabulary
        The nodes.
    trie : ContextTrie
        The contexts and their counts.
    smoothing : Smoothing
        The estimated parameters.
    first_counts : array of int
        How many sequences begin with each node.
    vectors : StepVectors or None
        Source and target vectors of the nodes; None if the base does not use them.
    """

    vocabulary: Vocabulary
    trie: ContextTrie
    smoothing: Smoothing
    first_counts: NDArray[np.int64]
    vectors: StepVectors | None = None

    @classmethod
    def fit(
        cls,
        corpus: Corpus,
        *,
        max_order: int | None = MAX_ORDER,
        embed: Embed | None = None,
        vectors: StepVectors | None = None,
        n_jobs: int | None = None,
    ) -> NextStep:
        """Count all contexts of a corpus and estimate how to blend them.

        Parameters
        ----------
        corpus : Corpus
            The sequences.
        max_order : int or None, default=32
            Order of the longest contexts that are tried; None for no limit. The start of a sequence counts as a node.
        embed : callable, optional
            Learns vectors of the nodes of a corpus. It is called with the sequences that are not held out, to estimate
            how much the vectors say about steps that were never observed. Without it, no vectors are used.
        vectors : StepVectors, optional
            What `embed(corpus)` returns, if it is known already. If even these vectors, which know the held-out steps,
            do not predict them better, `embed` is not called for corpora of more than about 164,000 steps.
        n_jobs : int or None, default=None
            Number of threads; None or -1 for all cores. The model does not depend on it.

        Returns
        -------
        NextStep

        Raises
        ------
        CorpusError
            If there is no step.
        ParameterError
            If `max_order` is not None or a whole number of at least 1.

        Examples
        --------
        >>> trips = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20
        >>> model = NextStep.fit(Corpus.from_sequences(trips))
        >>> model.predict(["dorm", "centre"], k=1).nodes[0].node
        'library'
        """
        from honem.prediction.fitting import fit_blend  # SciPy and Numba are loaded when a model is fitted or used

        if max_order is not None:
            require_whole("max_order", max_order, least=1)
        if not corpus.n_steps:
            raise CorpusError("there is no step to learn from: no sequence has two nodes")
        trie, smoothing, vectors = fit_blend(corpus, max_order, embed, vectors, n_jobs)
        return cls(corpus.vocabulary, trie, smoothing, _first_counts(corpus), vectors)

    def with_vectors(self, source: NDArray[np.float64], target: NDArray[np.float64] | None) -> NextStep:
        """Return the model with the vectors of its nodes, which are stored apart from it.

        Parameters
        ----------
        source, target : array of shape (n_nodes, n_components)
            The vectors; if there are no target vectors, source vectors are used for both.

        Returns
        -------
        NextStep
            The model itself if it uses no vectors.
        """
        if not self.smoothing.base_share:
            return self
        return replace(self, vectors=StepVectors.of(source, target))

    @cached_property
    def blend(self) -> Blend:
        """Shares of all rows, and what contexts leave to shorter ones."""
        return Blend.of(self.trie, self.smoothing)

    @cached_property
    def base(self) -> Base:
        """The distribution that contexts of order 1 back off to."""
        return Base.of(self.trie, self.blend, self.smoothing, self.vectors)

    def predict(self, history: Iterable[Hashable], k: int = 10, *, from_start: bool = False) -> Prediction:
        """Return the k most probable next nodes after a history.

        Parameters
        ----------
        history : iterable of hashable
            The nodes visited so far, oldest first; any number of them, also none. What comes before a node that the
            model does not know is not used.
        k : int, default=10
            Number of nodes to return.
        from_start : bool, default=False
            Whether the history begins at the start of a path.

        Returns
        -------
        Prediction
            Equally probable nodes are in the order of the vocabulary.

        Raises
        ------
        ParameterError
            If `k` is not a whole number of at least 1, or `history` is a string.
        """
        found: Prediction = self.predict_many([as_history(history)], k, from_start=from_start)[0]
        return found

    def predict_many(
        self, histories: Iterable[Iterable[Hashable]], k: int = 10, *, from_start: bool = False
    ) -> Predictions:
        """Return the k most probable next nodes after each of many histories.

        Parameters
        ----------
        histories : iterable of iterables of hashable
            The histories, each with its oldest node first.
        k : int, default=10
            Number of nodes to return for each.
        from_start : bool, default=False
            Whether all histories begin at the start of a path.

        Returns
        -------
        Predictions
            Arrays with one row per history; item i is the Prediction of history i.

        Raises
        ------
        ParameterError
            If `k` is not a whole number of at least 1, or a history is a string.
        """
        from honem.prediction.predict_kernel import most_probable

        require_whole("k", k, least=1)
        known = [as_history(history) for history in histories]
        encoded = self._encoded(known, from_start)
        contexts, k = self._find(encoded), min(k, len(self.vocabulary))
        nodes, probabilities = np.zeros((len(known), k), np.int32), np.zeros((len(known), k))
        for part, model in self._blocks(contexts, encoded.last_nodes()):
            nodes[part], probabilities[part] = most_probable(k, *model)
        return Predictions(self, known, contexts, nodes, probabilities)

    def predict_proba(
        self, histories: Iterable[Iterable[Hashable]], *, from_start: bool = False
    ) -> NDArray[np.float64]:
        """Return the probabilities of all nodes after each of many histories.

        Parameters
        ----------
        histories : iterable of iterables of hashable
            The histories, each with its oldest node first.
        from_start : bool, default=False
            Whether all histories begin at the start of a path.

        Returns
        -------
        ndarray of shape (n_histories, n_nodes)
            Columns are in the order of the vocabulary; each row adds up to 1.

        Raises
        ------
        ParameterError
            If a history is a string.
        """
        from honem.prediction.predict_kernel import blend_histories

        encoded = self._encoded([as_history(history) for history in histories], from_start)
        found = np.zeros((len(encoded.ends), len(self.vocabulary)))
        for part, model in self._blocks(self._find(encoded), encoded.last_nodes()):
            found[part] = blend_histories(*model)
        return found

    def sample(
        self, n: int, *, start: Iterable[Hashable] | None = None, length: int = 10, random_state: int | None = 0
    ) -> list[tuple[Hashable, ...]]:
        """Draw new paths from the model.

        Parameters
        ----------
        n : int
            Number of paths.
        start : iterable of hashable, optional
            The first nodes of all paths. By default each path begins with a node drawn from those with which observed
            sequences begin.
        length : int, default=10
            Number of nodes of each path. Where paths end is not modelled.
        random_state : int or None, default=0
            Seed of the draws; None for different paths each time.

        Returns
        -------
        list of tuple of hashable

        Raises
        ------
        ParameterError
            If `n` or `length` is not a whole number of at least 1, or `length` is less than the nodes of `start`.
        UnknownNodeError
            If a node of `start` is not in the vocabulary.

        Examples
        --------
        >>> trips = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20
        >>> NextStep.fit(Corpus.from_sequences(trips)).sample(2, start=["dorm"], length=3)
        [('dorm', 'centre', 'library'), ('dorm', 'centre', 'library')]
        """
        require_whole("n", n, least=1)
        require_whole("length", length, least=1)
        require_seed("random_state", random_state)
        random = np.random.default_rng(random_state)
        if start is None:
            shares = self.first_counts / self.first_counts.sum()
            paths = random.choice(len(shares), size=(n, 1), p=shares).astype(np.int32)
        else:
            first = [self.vocabulary.id(node) for node in as_history(start)]
            if not 1 <= len(first) <= length:
                raise ParameterError(f"start must have 1 to {length} nodes, the length of a path, not {len(first)}")
            paths = np.tile(np.array(first, np.int32), (n, 1))
        while paths.shape[1] < length:
            paths = np.column_stack((paths, self._draw(paths, random.random(n))))
        return [tuple(self.vocabulary[node] for node in path) for path in paths.tolist()]

    def _judge(
        self, nodes: NDArray[np.int32], ends: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        from honem.prediction.predict_kernel import judge_histories

        contexts = self.trie.find(nodes, ends, lengths, np.ones(len(ends), np.bool_))
        probabilities, ranks = np.empty(len(ends)), np.empty(len(ends), np.int64)
        for part, model in self._blocks(contexts, nodes[ends - 1].astype(np.int64)):
            probabilities[part], ranks[part] = judge_histories(nodes[ends[part]], *model)
        return probabilities, ranks

    def _draw(self, paths: NDArray[np.int32], uniforms: NDArray[np.float64]) -> NDArray[np.int32]:
        """Draw the next node of each path."""
        from honem._internal.compilation import announcing_compilation
        from honem.prediction.predict_kernel import draw_from_contexts

        n_paths, length = paths.shape
        ends = np.arange(1, n_paths + 1) * length
        begins = np.ones(n_paths, np.bool_)
        contexts = self.trie.find(paths.ravel(), ends, np.full(n_paths, length), begins)
        with announcing_compilation():
            drawn, rest = draw_from_contexts(contexts, uniforms, *self.tables)
        below = np.flatnonzero(drawn < 0)
        for part in _split(below[np.argsort(paths[below, -1], kind="stable")], BASES_AT_ONCE):
            sums = np.cumsum(self.base.after(paths[part, -1].astype(np.int64)), axis=1)
            drawn[part] = (sums <= (rest[part] * sums[:, -1])[:, None]).sum(axis=1).clip(max=len(self.vocabulary) - 1)
        return np.asarray(drawn, np.int32)

    def _encoded(self, histories: Sequence[tuple[Hashable, ...]], from_start: bool) -> EncodedHistories:
        return EncodedHistories.of(histories, self.vocabulary, self.trie.depth, from_start)

    def _find(self, encoded: EncodedHistories) -> NDArray[np.int32]:
        """Return the longest observed suffix of each history as a context.

        Where nothing is known about what came before a history that was observed as a whole, the node after it is
        distributed as observed. The counts n' are those of a context after which a longer one was not observed. So
        these histories get the second version of their context, see `tables`.
        """
        contexts = self.trie.find(*encoded[:4])
        is_whole = encoded.are_open & (contexts > 0) & (self.trie.orders[contexts] == encoded.lengths)
        return np.where(is_whole, contexts + self.trie.n_contexts, contexts).astype(np.int32)

    @cached_property
    def _observed(self) -> Blend:
        """Shares of all rows as they were observed, and what contexts then leave to shorter ones."""
        return Blend.of(self.trie, self.smoothing, as_observed=True)

    @cached_property
    def tables(self) -> tuple[NDArray[Any], ...]:
        """Parents, rows and shares of all contexts, then those of their versions with counts as observed."""
        trie = self.trie
        return (
            np.concatenate((trie.parents, trie.parents)),
            np.concatenate((trie.row_offsets, trie.row_offsets[1:] + trie.row_offsets[-1])),
            np.concatenate((trie.targets, trie.targets)),
            *(np.concatenate(both) for both in zip(self.blend, self._observed, strict=True)),
        )

    def _blocks(
        self, contexts: NDArray[np.int32], last_nodes: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], tuple[Any, ...]]]:
        """Yield histories with few distinct last nodes, and the arguments of kernels for them."""
        from honem._internal.compilation import announcing_compilation

        if self.base.vectors is None:
            last_nodes = np.full_like(last_nodes, -1)
        by_base = np.lexsort((contexts, last_nodes))
        distinct, base_of = np.unique(last_nodes[by_base], return_inverse=True)
        for first in range(0, len(distinct), BASES_AT_ONCE):
            low, high = np.searchsorted(base_of, (first, first + BASES_AT_ONCE))
            part, bases = by_base[low:high], self.base.after(distinct[first : first + BASES_AT_ONCE])
            with announcing_compilation():
                yield part, (contexts[part], base_of[low:high] - first, *self.tables, bases)


def require_blend(model: Any, purpose: str) -> NextStep:
    """Return a model if it is a NextStep; raise ParameterError, naming what it is needed for, if not."""
    if not isinstance(model, NextStep):
        raise ParameterError(
            f"this model predicts from its rules, which cannot answer {purpose}; fit it to sequences on this machine"
        )
    return model


def _first_counts(corpus: Corpus) -> NDArray[np.int64]:
    """Return how many sequences begin with each node."""
    counts = np.zeros(corpus.n_nodes, np.int64)
    is_any = corpus.lengths > 0
    np.add.at(counts, corpus.tokens[corpus.offsets[:-1][is_any]], corpus.weights[is_any])
    return counts


def _split(values: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    return (values[first : first + size] for first in range(0, len(values), size))
