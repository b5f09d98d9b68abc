"""SparkCorpus: sequences on a cluster, their nodes numbered; only the vocabulary is here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from honem.corpus import Corpus, Vocabulary, require_countable
from honem.errors import CorpusError
from honem.rules.engines.distributed.chunks import ALL_ONE, Chunk, packed, unpack_column, unpacked
from honem.rules.engines.distributed.frames import WHOLE, Places, events_as_sequences, file_as_sequences, sequences_of
from honem.rules.engines.distributed.session import find_session, letting_go, told_in_one_line
from honem.rules.engines.distributed.sizes import fetch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RAW = "labels array<{}>, payload binary, missing long, least_weight long"
CHUNKS = "payload binary, sequences long, steps long, weighted_steps decimal(38, 0), longest long"
TOKENS_A_CHUNK = 500_000


@dataclass(frozen=True, eq=False)
class SparkCorpus:
    """A multiset of sequences of nodes, packed into chunks that Spark holds until `release`.

    Nodes are numbered in the order of their labels: rows on a cluster have no first appearance. A corpus made of
    a Corpus keeps that one's numbers.
    """

    vocabulary: Vocabulary
    chunks: DataFrame
    n_sequences: int
    n_steps: int
    n_weighted_steps: int
    longest: int

    @classmethod
    def from_frame(cls, frame: DataFrame, field: str | None = None, weight: str | None = None) -> SparkCorpus:
        """One row a sequence: a column of arrays, the only one unless `field` says which, and perhaps its weight."""
        return cls._of_sequences(sequences_of(frame, field, weight))

    @classmethod
    def from_events(cls, frame: DataFrame, *, entity: str, time: str, node: str) -> SparkCorpus:
        """One row a visit: who was where, and when; visits at the same time stand in the order of their nodes."""
        with told_in_one_line():
            return cls._of_sequences(events_as_sequences(frame, entity, time, node))

    @classmethod
    def read(cls, path: Places, session: SparkSession | None = None, **options: Any) -> SparkCorpus:
        """Parquet or text that Spark can read, anywhere it can; options are those of `frames.file_as_sequences`."""
        with told_in_one_line():
            return cls._of_sequences(file_as_sequences(session or find_session(), path, **options))

    @classmethod
    def from_corpus(cls, corpus: Corpus, session: SparkSession | None = None) -> SparkCorpus:
        """A corpus that is in memory here."""
        import pyarrow as pa

        session = session or find_session()
        parts = session.createDataFrame(pa.table({"payload": pa.array(chunks_of(corpus), pa.binary())}))
        return cls._of_chunks(corpus.vocabulary, parts.mapInArrow(measure, CHUNKS))

    @classmethod
    def _of_sequences(cls, sequences: DataFrame) -> SparkCorpus:
        """From two columns, `sequence` and `weight`, of which the second may be missing."""
        element = sequences.schema["sequence"].dataType.elementType.simpleString()  # type: ignore[attr-defined]
        if element not in ("string", *WHOLE):
            raise CorpusError(f"nodes are {element}; they must be text or whole numbers")
        with told_in_one_line():
            raw = spread(sequences.mapInArrow(gather_chunks, RAW.format(element))).persist()
            try:
                refuse_bad_values(raw)
                vocabulary = Vocabulary(tuple(sorted(fetch_labels(raw))))
                ids = sequences.sparkSession.sparkContext.broadcast(vocabulary.ids)
                return cls._of_chunks(vocabulary, raw.mapInArrow(lambda batches: number_nodes(batches, ids), CHUNKS))
            finally:
                raw.unpersist()

    @classmethod
    def _of_chunks(cls, vocabulary: Vocabulary, chunks: DataFrame) -> SparkCorpus:
        from pyspark.sql import functions as sql

        chunks = chunks.persist()
        with letting_go(chunks.unpersist):
            totals = chunks.agg(
                sql.sum("sequences"), sql.sum("steps"), sql.sum("weighted_steps"), sql.max("longest")
            ).first()
            n_sequences, n_steps, n_weighted_steps, longest = (int(total or 0) for total in totals or (0, 0, 0, 0))
            require_countable(n_weighted_steps)
        return cls(vocabulary, chunks, n_sequences, n_steps, n_weighted_steps, longest)

    @property
    def n_nodes(self) -> int:
        """How many distinct nodes occur."""
        return len(self.vocabulary)

    @property
    def is_weighted(self) -> bool:
        """Whether some sequence with a step weighs more than 1."""
        return self.n_weighted_steps != self.n_steps

    def release(self) -> None:
        """Let Spark forget the chunks."""
        self.chunks.unpersist()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        return (
            f"SparkCorpus({self.n_sequences} sequences, {self.n_nodes} nodes, {self.n_weighted_steps} weighted steps)"
        )


def chunks_of(corpus: Corpus) -> list[bytes]:
    """A corpus cut into chunks."""
    goal = np.arange(TOKENS_A_CHUNK, len(corpus.tokens), TOKENS_A_CHUNK)
    cuts = np.unique(np.concatenate(([0], np.searchsorted(corpus.offsets, goal), [corpus.n_sequences])))
    return [
        packed(
            Chunk(
                corpus.tokens[corpus.offsets[first] : corpus.offsets[last]],
                corpus.lengths[first:last],
                corpus.weights[first:last] if corpus.is_weighted else ALL_ONE,
            )
        )
        for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
    ]


def gather_chunks(batches: Iterable[Any]) -> Iterator[Any]:
    """Arrays of labels to chunks, each with the labels it knows; a token is the place of its label among those."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in batches:
        sequences = batch.column("sequence")
        nodes = sequences.flatten()
        encoded = nodes.drop_null().dictionary_encode()
        weights, least_weight, missing = ALL_ONE, 1, sequences.null_count + nodes.null_count
        if "weight" in batch.schema.names:
            given = batch.column("weight")
            missing += given.null_count
            weights = given.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
            least_weight = int(weights.min(initial=1))
        lengths = pc.list_value_length(sequences).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        chunk = Chunk(encoded.indices.to_numpy(), lengths, weights)
        yield pa.record_batch(
            {
                "labels": pa.ListArray.from_arrays([0, len(encoded.dictionary)], encoded.dictionary),
                "payload": pa.array([packed(chunk)], pa.binary()),
                "missing": [missing],
                "least_weight": [least_weight],
            }
        )


def spread(frame: DataFrame) -> DataFrame:
    """At least as many partitions as cores: a gzip file is read as one."""
    cores = frame.sparkSession.sparkContext.defaultParallelism
    return frame if frame.rdd.getNumPartitions() >= cores else frame.repartition(cores)


def refuse_bad_values(raw: DataFrame) -> None:
    """Nodes that are missing, and weights that are not positive."""
    from pyspark.sql import functions as sql

    row = raw.agg(sql.sum("missing"), sql.min("least_weight")).first()
    missing, least_weight = row if row is not None and row[0] is not None else (0, 1)
    if missing:
        raise CorpusError(f"{missing} sequences, nodes or weights are missing (null); leave those rows out first")
    if least_weight < 1:
        raise CorpusError(f"the weight {least_weight} is not a positive whole number")


def fetch_labels(raw: DataFrame) -> list[Any]:
    """Every node once; the only thing of the input that comes home."""
    from pyspark.sql import functions as sql

    cores = raw.sparkSession.sparkContext.defaultParallelism
    labels = raw.select(sql.explode("labels").alias("label")).repartition(cores, "label").distinct().persist()
    try:
        return list(fetch(labels, "the names of the nodes", "merge some of them").column("label").to_pylist())
    finally:
        labels.unpersist()


def number_nodes(batches: Iterable[Any], ids: Any) -> Iterator[Any]:
    """Chunks with places among their own labels to chunks with ids of the whole vocabulary."""
    numbers = ids.value
    for batch in batches:
        for labels, value in zip(batch.column("labels"), batch.column("payload"), strict=True):
            chunk = unpacked(value.as_buffer())
            known = np.fromiter((numbers[label] for label in labels.values.to_pylist()), np.int32, len(labels))
            yield measured(Chunk(known[chunk.tokens], chunk.lengths, chunk.weights))


def measure(batches: Iterable[Any]) -> Iterator[Any]:
    """Chunks with their sizes."""
    for chunk in unpack_column(batches):
        yield measured(chunk)


def measured(chunk: Chunk) -> Any:
    """One row of CHUNKS; weights are left out where all are 1."""
    from decimal import Decimal

    import pyarrow as pa

    if (chunk.weights == 1).all():
        chunk = Chunk(chunk.tokens, chunk.lengths, ALL_ONE)
    return pa.record_batch(
        {
            "payload": pa.array([packed(chunk)], pa.binary()),
            "sequences": [len(chunk.lengths)],
            "steps": [chunk.n_steps],
            "weighted_steps": pa.array([Decimal(chunk.n_weighted_steps)], pa.decimal128(38, 0)),
            "longest": [int(chunk.lengths.max(initial=0))],
        }
    )
