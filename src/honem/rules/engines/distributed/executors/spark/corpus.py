"""SparkCorpus: sequences that Spark reads from DataFrames and files, with their nodes numbered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from honem.corpus import Corpus, Vocabulary
from honem.errors import CorpusError
from honem.rules.engines.distributed.chunks import ALL_ONE, Chunk
from honem.rules.engines.distributed.corpus import DistributedCorpus
from honem.rules.engines.distributed.executors.spark.executor import (
    PACKETS,
    SparkCollection,
    SparkExecutor,
    as_batch,
    pickled,
    unpickled,
)
from honem.rules.engines.distributed.executors.spark.frames import (
    WHOLE,
    SparkPaths,
    events_as_sequences,
    file_as_sequences,
    sequences_of,
)
from honem.rules.engines.distributed.executors.spark.limits import fetch_frame
from honem.rules.engines.distributed.executors.spark.session import find_session, plain_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RAW = "labels array<{}>, payload binary, missing long, least_weight long"
SEQUENCE_BITS = 40  # of the number of a sequence; the bits above are the partition that it is in


@dataclass(frozen=True, eq=False, repr=False)
class SparkCorpus(DistributedCorpus):
    """Weighted sequences of nodes, held by Spark until `release` or the end of a `with` block.

    Nodes are numbered in the order of their labels, because rows on a cluster have no order of first appearance. A
    corpus made from a Corpus keeps its ids.
    """

    @classmethod
    def from_frame(cls, frame: DataFrame, field: str | None = None, weight: str | None = None) -> SparkCorpus:
        """Read a DataFrame with one row per sequence.

        Parameters
        ----------
        frame : DataFrame
            The table.
        field : str, optional
            The column of arrays of nodes. By default the only column of arrays.
        weight : str, optional
            The column of weights, which are positive integers. By default all weights are 1.

        Raises
        ------
        CorpusError
            If a column is missing or has the wrong type, or a value is missing.
        """
        return cls._of_sequences(sequences_of(frame, field, weight))

    @classmethod
    def from_events(cls, frame: DataFrame, *, entity: str, time: str, node: str) -> SparkCorpus:
        """Read a DataFrame with one row per visit.

        Parameters
        ----------
        frame : DataFrame
            The table.
        entity, time, node : str
            The columns that say who was where, and when. Visits of an entity at the same time are sorted by node.

        Raises
        ------
        CorpusError
            If a column or a value is missing.
        """
        with plain_errors():
            return cls._of_sequences(events_as_sequences(frame, entity, time, node))

    @classmethod
    def read(cls, path: SparkPaths, session: SparkSession | None = None, **options: Any) -> SparkCorpus:
        """Read Parquet or text from any place that Spark can read.

        Parameters
        ----------
        path : str, path-like, or iterable of these
            Files, folders or globs.
        session : SparkSession, optional
            By default the running session, or a new one.
        **options
            `format` ("text" or "parquet"; inferred from the file extension by default); for text `delimiter`,
            `id_column`, `weighted`, `comment`; for Parquet `field` and `weight`, or `entity`, `time` and `node`. They
            mean the same as for `honem.read_paths`.

        Raises
        ------
        InputError
            If Spark cannot read the files.
        ParameterError
            If an option does not apply to the format.
        """
        with plain_errors():
            return cls._of_sequences(file_as_sequences(session or find_session(), path, **options))

    @classmethod
    def from_corpus(cls, corpus: Corpus, session: SparkSession | None = None) -> SparkCorpus:
        """Send a corpus from the driver's memory to Spark; nodes keep their ids.

        Parameters
        ----------
        corpus : Corpus
            The sequences.
        session : SparkSession, optional
            By default the running session, or a new one.
        """
        return cls.of_corpus(corpus, SparkExecutor(session or find_session()))

    @classmethod
    def _of_sequences(cls, sequences: DataFrame) -> SparkCorpus:
        """Read the columns `sequence` and `weight`, of which the second is optional."""
        from pyspark.sql import functions as sql

        element = sequences.schema["sequence"].dataType.elementType.simpleString()  # type: ignore[attr-defined]
        if element not in ("string", *WHOLE):
            raise CorpusError(f"nodes are {element}; they must be text or whole numbers")
        with plain_errors():
            raw = spread(sequences.mapInArrow(gather_chunks, RAW.format(element))).persist()
            try:
                refuse_bad_values(raw)
                vocabulary = Vocabulary(tuple(sorted(fetch_labels(raw))))
                session = sequences.sparkSession
                ids = session.sparkContext.broadcast(vocabulary.ids)
                placed = raw.withColumn("partition", sql.spark_partition_id())
                chunks = SparkCollection(placed.mapInArrow(lambda batches: number_nodes(batches, ids), PACKETS))
                return cls.of_chunks(vocabulary, chunks, SparkExecutor(session))
            finally:
                raw.unpersist()


def gather_chunks(batches: Iterable[Any]) -> Iterator[Any]:
    """Turn arrays of labels into chunks with their distinct labels; a token is the index of its label among those."""
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
        chunk = Chunk(encoded.indices.to_numpy(), lengths, weights, first_sequence=0)
        yield pa.record_batch(
            {
                "labels": pa.ListArray.from_arrays([0, len(encoded.dictionary)], encoded.dictionary),
                "payload": pa.array([pickled(chunk)], pa.binary()),
                "missing": [missing],
                "least_weight": [least_weight],
            }
        )


def spread(frame: DataFrame) -> DataFrame:
    """Make at least as many partitions as cores: a gzip file is read as one."""
    cores = frame.sparkSession.sparkContext.defaultParallelism
    return frame if frame.rdd.getNumPartitions() >= cores else frame.repartition(cores)


def refuse_bad_values(raw: DataFrame) -> None:
    """Raise CorpusError for missing nodes and for weights that are not positive."""
    from pyspark.sql import functions as sql

    row = raw.agg(sql.sum("missing"), sql.min("least_weight")).first()
    missing, least_weight = row if row is not None and row[0] is not None else (0, 1)
    if missing:
        raise CorpusError(f"{missing} sequences, nodes or weights are missing (null); leave those rows out first")
    if least_weight < 1:
        raise CorpusError(f"the weight {least_weight} is not a positive whole number")


def fetch_labels(raw: DataFrame) -> list[Any]:
    """Return the distinct labels, the only part of the input that the driver fetches."""
    from pyspark.sql import functions as sql

    cores = raw.sparkSession.sparkContext.defaultParallelism
    labels = raw.select(sql.explode("labels").alias("label")).repartition(cores, "label").distinct().persist()
    try:
        return list(fetch_frame(labels, "the names of the nodes", "merge some of them").column("label").to_pylist())
    finally:
        labels.unpersist()


def number_nodes(batches: Iterable[Any], ids: Any) -> Iterator[Any]:
    """Replace indices among the labels of a chunk by ids of the whole vocabulary, and number its sequences.

    Numbers consist of the partition and of the place in it, so that no two sequences of a corpus have the same.
    """
    numbers, n_sequences = ids.value, 0
    for batch in batches:
        columns = (batch.column(name) for name in ("labels", "payload", "partition"))
        for labels, value, partition in zip(*columns, strict=True):
            chunk = unpickled(value)
            known = np.fromiter((numbers[label] for label in labels.values.to_pylist()), np.int32, len(labels))
            first = (partition.as_py() << SEQUENCE_BITS) + n_sequences
            yield as_batch(Chunk(known[chunk.tokens], chunk.lengths, chunk.weights, first).packet())
            n_sequences += len(chunk.lengths)
