"""What the harness knows of a method (a name, and a way from a corpus to an embedding) and of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.evaluation.records import Measure


class Method(Protocol):
    """Anything with a name that turns a corpus into an embedding of some dimension, the same one for the same seed."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def fit(self, corpus: Corpus, dimension: int, seed: int) -> Embedding:
        """Vectors for the nodes of the corpus."""


@dataclass(frozen=True)
class NamedMethod:
    """A function as a Method.

    >>> import numpy as np
    >>> def zeros(corpus, dimension, seed):
    ...     return Embedding(corpus.vocabulary, np.zeros((corpus.n_nodes, dimension)))
    >>> NamedMethod("zeros", zeros).fit(Corpus.from_sequences([["a", "b"]]), 3, seed=0)
    Embedding(2 nodes, 3 dimensions)
    """

    name: str
    function: Callable[[Corpus, int, int], Embedding]

    def fit(self, corpus: Corpus, dimension: int, seed: int) -> Embedding:
        """What the function gives."""
        return self.function(corpus, dimension, seed)


class Task(Protocol):
    """A question put to every method alike: what it may learn from, and how its embedding is judged."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def dataset(self) -> str:
        """Which data it is about."""

    def training_corpus(self, seed: int) -> Corpus:
        """What a method may see; the same for every method with the same seed."""

    def judge(self, embedding: Embedding, seed: int) -> Iterator[Measure]:
        """The numbers of one embedding learnt from the training corpus of that seed."""
