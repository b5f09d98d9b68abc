"""Item2Vec (Barkan and Koenigstein 2016): skip-gram with nodes as words and the paths themselves as sentences."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_whole
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.errors import HonemWarning
from honem.evaluation.methods import RegisteredMethod, register_method

LONGEST_SENTENCE = 10_000
"""gensim ignores what follows the first 10,000 words of a sentence."""


@register_method
@dataclass(frozen=True, kw_only=True)
class Item2Vec(RegisteredMethod):
    """Skip-gram over the paths, not over walks on their network.

    A sequence of weight w is w sentences; all sentences come in an order drawn from the seed. `target` are the context
    vectors. Nodes that have no other node in their sequences have vectors of zeros.

    Parameters
    ----------
    n_components : int, default=128
        Number of columns of the vectors.
    random_state : int, default=0
        Seed of the random number generator. Equal seeds give equal vectors, to the bit.
    window : int, default=5
        Distance up to which two nodes of a path are a pair.
    negative : int, default=5
        Number of noise nodes per pair.
    epochs : int, default=20
        Passes over the paths.
    """

    n_components: int = 128
    random_state: int = 0
    window: int = 5
    negative: int = 5
    epochs: int = 20

    name = "item2vec"
    kind = "vectors"
    position = 124

    def __post_init__(self) -> None:
        for option in ("n_components", "window", "negative", "epochs"):
            require_whole(option, getattr(self, option), least=1)
        require_whole("random_state", self.random_state, least=0)

    def fit(self, corpus: Corpus) -> Embedding:
        """Train skip-gram vectors on the sequences of a corpus."""
        from honem.evaluation.baselines.skipgram import skip_gram

        if not corpus.n_steps:
            warnings.warn(f"a corpus of {corpus.n_nodes} nodes without steps: all vectors are 0", HonemWarning, 2)
            return Embedding(corpus.vocabulary, *np.zeros((2, corpus.n_nodes, self.n_components)))
        for_order, for_vectors = np.random.SeedSequence(self.random_state).spawn(2)
        sides = skip_gram(
            Sentences.of(corpus, np.random.default_rng(for_order)),
            corpus.n_nodes,
            n_components=self.n_components,
            window=self.window,
            negative=self.negative,
            epochs=self.epochs,
            seed=int(for_vectors.generate_state(1)[0]) >> 1,
            contexts=True,
        )
        source, target = (np.asarray(side, np.float64) for side in sides)
        return Embedding(corpus.vocabulary, source, target)


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sequences of a corpus as lists of ids, in a given order; they can be iterated over many times."""

    corpus: Corpus
    order: NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Corpus, random: np.random.Generator) -> Sentences:
        """Return every sequence of two nodes or more as often as its weight says, in a random order."""
        copies = np.where(corpus.lengths > 1, corpus.weights, 0)
        return cls(corpus, random.permutation(np.repeat(np.arange(corpus.n_sequences), copies)))

    def __iter__(self) -> Iterator[list[int]]:
        starts, stops = self.corpus.offsets[self.order].tolist(), self.corpus.offsets[self.order + 1].tolist()
        for start, stop in zip(starts, stops, strict=True):
            for piece in range(start, stop, LONGEST_SENTENCE):
                yield self.corpus.tokens[piece : min(stop, piece + LONGEST_SENTENCE)].tolist()
