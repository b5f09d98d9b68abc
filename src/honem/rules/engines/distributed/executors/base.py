"""What the driver needs of a system that runs tasks, such as Spark: collections of packets, and little else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from honem.errors import CorpusError

if TYPE_CHECKING:
    from honem.rules.engines.distributed.corpus import DistributedCorpus

PacketPart = Literal["head", "body"]


class Packet(NamedTuple):
    """The only thing that travels between tasks: a few large arrays, with what an executor must know about them.

    One packet holds thousands of sequences, windows or contexts, because moving a row costs a cluster more than all
    the work on one sequence.

    Parameters
    ----------
    kind : str
        What the packet holds; `Collection.of_kind` selects by it.
    shard : int
        The partition that `Collection.shuffle` moves the packet to.
    amount : int
        How many items the packet holds.
    head, body : object
        Two picklable values. They are stored separately, so that the driver can fetch one without the other.
    """

    kind: str
    shard: int
    amount: int
    head: Any
    body: Any = None


TaskFunction = Callable[[Iterator[Packet], Any], Iterable[Packet]]
"""What runs on one partition: its packets and the value shared by all tasks -> new packets.

A task must be a function of a module, so that it can be pickled, and give the same result when it is run again.
"""


class Totals(NamedTuple):
    """The size of all packets of one kind: their items, and the bytes of their heads and bodies when fetched."""

    amount: int
    head: int
    body: int


class Limit(NamedTuple):
    """The number of bytes that an executor lets the driver fetch, and the setting that says so."""

    size: int
    setting: str


class Collection(Protocol):
    """Packets in partitions, wherever the executor keeps them. Collections may be evaluated lazily."""

    def map(self, task: TaskFunction, shared: Any) -> Collection:
        """Run a task on every partition; `shared` is sent to each worker once."""
        ...

    def shuffle(self, n_shards: int) -> Collection:
        """Move each packet to the partition that is its shard; there are `n_shards` of them."""
        ...

    def union(self, other: Collection) -> Collection:
        """Return the packets of both collections."""
        ...

    def of_kind(self, kind: str) -> Collection:
        """Return the packets of one kind."""
        ...

    def persist(self) -> Collection:
        """Return a collection that is computed once and then kept until `release`."""
        ...

    def release(self) -> None:
        """Free what `persist` keeps. Releasing twice, or after the executor was stopped, has no effect."""
        ...

    def totals(self) -> dict[str, Totals]:
        """Compute the collection, and return its size by kind."""
        ...

    def collect(self, part: PacketPart) -> list[Any]:
        """Bring the heads or the bodies of all packets to the driver."""
        ...


class Executor(Protocol):
    """A system that runs tasks on partitions.

    Subclasses must define `parallelism` and `distribute`; the other methods have defaults for a system without
    errors, limits and tables of its own.
    """

    @property
    def parallelism(self) -> int:
        """How many tasks run at the same time."""
        ...

    def distribute(self, packets: Iterable[Packet]) -> Collection:
        """Spread packets of the driver over partitions."""
        ...

    def as_corpus(self, data: Any) -> DistributedCorpus:
        """Turn a table of this executor, such as a Spark DataFrame, into a corpus.

        Raises
        ------
        CorpusError
            If the executor has no such tables.
        """
        raise CorpusError(f"{type(self).__name__} takes a Corpus, not {type(data).__name__}")

    def fetch_limit(self) -> Limit | None:
        """Return how much may be fetched by the driver, or None if there is no limit."""
        return None

    def plain_errors(self) -> AbstractContextManager[None]:
        """Translate the executor's own exceptions into a HonemError of one line."""
        return nullcontext()


@contextmanager
def release_on_error(release: Callable[[], object]) -> Iterator[None]:
    """Call `release` if the block fails: nobody else can free what was kept for later."""
    try:
        yield
    except BaseException:
        release()
        raise
