"""DistributedCorpus: sequences on a cluster as chunks of node ids; only the vocabulary is on the driver."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from honem.corpus import Corpus, VisitCounts, Vocabulary, require_countable
from honem.rules.engines.distributed.chunks import ALL_ONE, CHUNK, Chunk, ChunkSize
from honem.rules.engines.distributed.executors.base import Collection, Executor, release_on_error
from honem.rules.engines.distributed.held import Held, fetch
from honem.rules.engines.distributed.visiting import visits_on_cluster

TOKENS_PER_CHUNK = 500_000


@dataclass(frozen=True, eq=False)
class DistributedCorpus:
    """Weighted sequences of nodes, held by an executor until `release` or the end of a `with` block.

    Attributes
    ----------
    vocabulary : Vocabulary
        The labels of the nodes.
    chunks : Held
        The sequences, as packets of `Chunk`.
    n_sequences, n_steps, n_weighted_steps : int
        How many sequences and steps there are; weighted steps count each step with the weight of its sequence.
    longest : int
        Nodes in the longest sequence.
    """

    vocabulary: Vocabulary
    chunks: Held
    n_sequences: int
    n_steps: int
    n_weighted_steps: int
    longest: int

    @classmethod
    def of_corpus(cls, corpus: Corpus, executor: Executor) -> Self:
        """Send a corpus from the driver's memory to an executor; nodes keep their ids."""
        chunks = Held.of(executor.distribute(chunk.packet() for chunk in chunks_of(corpus)), executor)
        longest = int(corpus.lengths.max(initial=0))
        return cls(corpus.vocabulary, chunks, corpus.n_sequences, corpus.n_steps, corpus.n_weighted_steps, longest)

    @classmethod
    def of_chunks(cls, vocabulary: Vocabulary, chunks: Collection, executor: Executor) -> Self:
        """Compute and hold chunks that the executor makes of its own data.

        Raises
        ------
        CorpusError
            If the weighted steps are too many for 64-bit counts.
        """
        held = Held.of(chunks, executor)
        with release_on_error(held.release):
            size = total_size(fetch([held], CHUNK, "the sizes of the chunks", remedy="split the corpus"))
            require_countable(size.weighted_steps)
        return cls(vocabulary, held, *size)

    @property
    def executor(self) -> Executor:
        """The executor that holds the sequences."""
        return self.chunks.executor

    @property
    def n_nodes(self) -> int:
        """How many distinct nodes occur."""
        return len(self.vocabulary)

    @property
    def is_weighted(self) -> bool:
        """Whether some sequence with a step has a weight above 1."""
        return self.n_weighted_steps != self.n_steps

    def visit_counts(self) -> VisitCounts:
        """Count on the cluster how often each node is visited, and how often a sequence starts or ends there."""
        with self.executor.plain_errors():
            return visits_on_cluster(self)

    def release(self) -> None:
        """Free the chunks."""
        self.chunks.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n_sequences} sequences, {self.n_nodes} nodes, "
            f"{self.n_weighted_steps} weighted steps)"
        )


def total_size(sizes: Iterable[ChunkSize]) -> ChunkSize:
    """Add up the sizes of chunks.

    >>> total_size([ChunkSize(2, 5, 7, 4), ChunkSize(1, 2, 2, 3)])
    ChunkSize(sequences=3, steps=7, weighted_steps=9, longest=4)
    """
    columns = list(zip(*sizes, strict=True)) or [()] * len(ChunkSize._fields)
    sequences, steps, weighted_steps, lengths = columns
    return ChunkSize(sum(sequences), sum(steps), sum(weighted_steps), max(lengths, default=0))


def chunks_of(corpus: Corpus) -> list[Chunk]:
    """Cut a corpus into chunks."""
    goal = np.arange(TOKENS_PER_CHUNK, len(corpus.tokens), TOKENS_PER_CHUNK)
    cuts = np.unique(np.concatenate(([0], np.searchsorted(corpus.offsets, goal), [corpus.n_sequences])))
    return [
        Chunk(
            corpus.tokens[corpus.offsets[first] : corpus.offsets[last]],
            corpus.lengths[first:last],
            corpus.weights[first:last] if corpus.is_weighted else ALL_ONE,
            first,
        )
        for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
    ]
