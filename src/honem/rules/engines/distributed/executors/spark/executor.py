"""SparkExecutor: packets are rows of a DataFrame, and tasks run on its partitions with mapInArrow."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from honem.rules.engines.distributed.executors.base import (
    Collection,
    Executor,
    Limit,
    Packet,
    PacketPart,
    TaskFunction,
    Totals,
)
from honem.rules.engines.distributed.executors.spark.limits import result_limit
from honem.rules.engines.distributed.executors.spark.session import find_session, plain_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from honem.rules.engines.distributed.executors.spark.corpus import SparkCorpus

PACKETS = "kind string, shard int, amount long, head binary, body binary"


@dataclass(frozen=True, eq=False)
class SparkCollection(Collection):
    """A DataFrame of PACKETS."""

    frame: DataFrame

    def map(self, task: TaskFunction, shared: Any) -> SparkCollection:
        """Run a task on every partition; `shared` is broadcast."""
        value = self.frame.sparkSession.sparkContext.broadcast(shared)
        return SparkCollection(self.frame.mapInArrow(lambda batches: run_task(batches, task, value), PACKETS))

    def shuffle(self, n_shards: int) -> SparkCollection:
        """Move each packet to the partition that is its shard."""
        return SparkCollection(self.frame.repartitionById(n_shards, "shard"))

    def union(self, other: Collection) -> SparkCollection:
        """Return the packets of both collections."""
        assert isinstance(other, SparkCollection)
        return SparkCollection(self.frame.union(other.frame))

    def of_kind(self, kind: str) -> SparkCollection:
        """Return the packets of one kind."""
        return SparkCollection(self.frame.where(f"kind = '{kind}'"))

    def persist(self) -> SparkCollection:
        """Let Spark keep the packets once they are computed."""
        return SparkCollection(self.frame.persist())

    def release(self) -> None:
        """Let Spark drop the packets; a context that was stopped has dropped them already."""
        if self.frame.sparkSession.sparkContext._jsc is not None:
            self.frame.unpersist()

    def totals(self) -> dict[str, Totals]:
        """Compute the packets, and return their sizes by kind."""
        from pyspark.sql import functions as sql

        sums = (sql.sum("amount"), *(sql.sum(sql.octet_length(part)) for part in ("head", "body")))
        rows = self.frame.groupBy("kind").agg(*sums).collect()
        return {kind: Totals(*(int(size or 0) for size in sizes)) for kind, *sizes in rows}

    def collect(self, part: PacketPart) -> list[Any]:
        """Bring the heads or bodies of all packets to the driver."""
        batches = self.frame.select(part).toArrow().to_batches()
        return [unpickled(value) for batch in batches for value in batch.column(part)]


class SparkExecutor(Executor):
    """Runs tasks on Spark.

    Parameters
    ----------
    session : SparkSession, optional
        The session to run in; it is never stopped. By default the running one, or a new one, when it is first needed.
    master : str, optional
        The Spark URL of a new session, such as "local[4]" or "yarn". By default Spark's own settings decide.
    """

    def __init__(self, session: SparkSession | None = None, master: str | None = None) -> None:
        self._session = session
        self._master = master

    @cached_property
    def session(self) -> SparkSession:
        """The session that tasks run in."""
        return self._session or find_session(self._master)

    @property
    def parallelism(self) -> int:
        """The number of cores that Spark has."""
        return int(self.session.sparkContext.defaultParallelism)

    def distribute(self, packets: Iterable[Packet]) -> SparkCollection:
        """Send packets to the cluster."""
        import pyarrow as pa

        batches = [as_batch(packet) for packet in packets]
        if not batches:
            return SparkCollection(self.session.createDataFrame([], PACKETS))
        return SparkCollection(self.session.createDataFrame(pa.Table.from_batches(batches)))

    def as_corpus(self, data: DataFrame) -> SparkCorpus:
        """Read the sequences of a DataFrame that has one column of arrays."""
        from honem.rules.engines.distributed.executors.spark.corpus import SparkCorpus

        return SparkCorpus.from_frame(data)

    def fetch_limit(self) -> Limit | None:
        """Return the limit that `spark.driver.maxResultSize` sets."""
        return result_limit(self.session)

    def plain_errors(self) -> AbstractContextManager[None]:
        """Translate Spark's exceptions into a HonemError of one line."""
        return plain_errors()


def run_task(batches: Iterable[Any], task: TaskFunction, shared: Any) -> Iterator[Any]:
    """Run a task on the Arrow batches of one partition; `shared` is a broadcast variable."""
    for packet in task(packets_of(batches), shared.value):
        yield as_batch(packet)


def packets_of(batches: Iterable[Any]) -> Iterator[Packet]:
    """Read the packets of Arrow batches, one by one."""
    for batch in batches:
        for kind, shard, amount, head, body in zip(*batch.columns, strict=True):
            yield Packet(kind.as_py(), shard.as_py(), amount.as_py(), unpickled(head), unpickled(body))


def as_batch(packet: Packet) -> Any:
    """Return a packet as an Arrow batch of one row of PACKETS."""
    import pyarrow as pa

    return pa.record_batch(
        {
            "kind": pa.array([packet.kind]),
            "shard": pa.array([packet.shard], pa.int32()),
            "amount": pa.array([packet.amount], pa.int64()),
            "head": pa.array([pickled(packet.head)], pa.binary()),
            "body": pa.array([pickled(packet.body)], pa.binary()),
        }
    )


def pickled(value: Any) -> bytes | None:
    """Pickle a value; None becomes a missing value."""
    return None if value is None else pickle.dumps(value, protocol=5)


def unpickled(value: Any) -> Any:
    """Read what `pickled` wrote from an Arrow scalar."""
    return pickle.loads(value.as_buffer()) if value.is_valid else None
