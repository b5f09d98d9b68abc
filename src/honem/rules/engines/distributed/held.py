"""Held: a collection that was computed and is kept by its executor, with its size by kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from honem.rules.engines.distributed import sizes
from honem.rules.engines.distributed.executors.base import (
    Collection,
    Executor,
    PacketPart,
    Totals,
    release_on_error,
)


@dataclass(frozen=True, eq=False)
class Held:
    """Packets that the executor keeps until `release`, or until the end of a `with` block."""

    executor: Executor
    packets: Collection
    totals: dict[str, Totals]

    @classmethod
    def of(cls, collection: Collection, executor: Executor) -> Held:
        """Compute a collection and keep it."""
        kept = collection.persist()
        with release_on_error(kept.release):
            return cls(executor, kept, kept.totals())

    def amount(self, kind: str) -> int:
        """Return the number of items of one kind."""
        return self.totals[kind].amount if kind in self.totals else 0

    def size(self, kind: str, part: PacketPart) -> int:
        """Return the bytes of the heads or bodies of one kind."""
        return int(getattr(self.totals[kind], part)) if kind in self.totals else 0

    def release(self) -> None:
        """Free the packets."""
        self.packets.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class Releasable(Protocol):
    """Something that an executor holds."""

    def release(self) -> None:
        """Free what the executor holds."""
        ...


def release_all(held: Iterable[Releasable]) -> None:
    """Free everything in a list."""
    for one in held:
        one.release()


def fetch(
    collections: Sequence[Held], kind: str, what: str, part: PacketPart = "head", remedy: str = sizes.FEWER_RULES
) -> list[Any]:
    """Bring the heads or bodies of one kind to the driver, if they fit.

    Parameters
    ----------
    collections : sequence of Held
        At least one; all of the same executor.
    kind : str
        Which packets.
    what : str
        What they hold, for the error message.
    part : {"head", "body"}, default "head"
        Which value of the packets.
    remedy : str
        What the error message advises.

    Raises
    ------
    HonemError
        If they are larger than the executor lets through or than half the memory of the driver's machine.
    """
    size = sum(held.size(kind, part) for held in collections)
    sizes.require_room(size, collections[0].executor.fetch_limit(), what, remedy)
    filled = [held for held in collections if held.amount(kind)]
    return [value for held in filled for value in held.packets.of_kind(kind).collect(part)]


def compute(collection: Collection, executor: Executor, kind: str, what: str) -> list[Any]:
    """Compute a collection, fetch the heads of one kind and keep nothing on the executor."""
    with Held.of(collection, executor) as held:
        return fetch([held], kind, what)
