"""The executor without a cluster: partitions are lists, and tasks run one after the other in this process.

It runs exactly what Spark runs, in a few milliseconds, so it is what the tests of the driver use; and it can be
stepped through with a debugger.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

from honem._internal.progress import Progress
from honem._internal.validation import require_whole
from honem.errors import ParameterError
from honem.rules.engines.distributed.driver import DistributedEngine
from honem.rules.engines.distributed.executors.base import (
    Collection,
    Executor,
    Packet,
    PacketPart,
    TaskFunction,
    Totals,
)

PARALLELISM = 2  # more than one partition, so that shuffles and hubs take place as on a cluster


@dataclass(frozen=True, eq=False)
class InProcessCollection(Collection):
    """Lists of packets, computed at once."""

    partitions: list[list[Packet]]

    def map(self, task: TaskFunction, shared: Any) -> Self:
        """Run a task on every partition, one after the other."""
        return self.with_partitions([list(task(iter(packets), shared)) for packets in self.partitions])

    def shuffle(self, n_shards: int) -> Self:
        """Move each packet to the partition that is its shard."""
        partitions: list[list[Packet]] = [[] for _ in range(n_shards)]
        for packet in self.packets():
            partitions[packet.shard].append(packet)
        return self.with_partitions(partitions)

    def union(self, other: Collection) -> Self:
        """Return the partitions of both collections."""
        assert isinstance(other, InProcessCollection)
        return self.with_partitions([*self.partitions, *other.partitions])

    def of_kind(self, kind: str) -> Self:
        """Return the packets of one kind."""
        return self.with_partitions(
            [[packet for packet in packets if packet.kind == kind] for packets in self.partitions]
        )

    def persist(self) -> Self:
        """Return the collection itself, which is computed already."""
        return self

    def release(self) -> None:
        """Do nothing: the packets are freed with the collection."""

    def totals(self) -> dict[str, Totals]:
        """Return the number of items by kind; nothing has to travel, so all sizes are 0 bytes."""
        amounts: dict[str, int] = {}
        for packet in self.packets():
            amounts[packet.kind] = amounts.get(packet.kind, 0) + packet.amount
        return {kind: Totals(amount, 0, 0) for kind, amount in amounts.items()}

    def collect(self, part: PacketPart) -> list[Any]:
        """Return the heads or the bodies of all packets."""
        return [getattr(packet, part) for packet in self.packets()]

    def with_partitions(self, partitions: list[list[Packet]]) -> Self:
        """Return a collection of other packets."""
        return replace(self, partitions=partitions)

    def packets(self) -> Iterable[Packet]:
        """Iterate over the packets of all partitions."""
        return chain.from_iterable(self.partitions)


class InProcessExecutor(Executor):
    """Runs tasks in this process.

    Parameters
    ----------
    parallelism : int, default 2
        How many partitions there are; they are processed one after the other.
    """

    def __init__(self, parallelism: int = PARALLELISM) -> None:
        require_whole("parallelism", parallelism, least=1)
        self._parallelism = parallelism

    @property
    def parallelism(self) -> int:
        """How many partitions `distribute` makes."""
        return self._parallelism

    def distribute(self, packets: Iterable[Packet]) -> InProcessCollection:
        """Deal packets out to the partitions, one by one."""
        dealt = list(packets)
        return InProcessCollection([dealt[first :: self._parallelism] for first in range(self._parallelism)])


def make_engine(n_jobs: int | None = None, progress: Progress | None = None) -> DistributedEngine:
    """Create the engine that `engine="in-process"` names."""
    if n_jobs not in (None, 1):
        raise ParameterError(f"engine='in-process' runs on one thread; n_jobs={n_jobs!r} needs engine='local'")
    return DistributedEngine(InProcessExecutor(), progress=progress)
