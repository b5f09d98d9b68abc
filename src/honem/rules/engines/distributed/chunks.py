"""Chunk: some sequences of a corpus, packed into one row of a DataFrame.

Spark moves rows, and one row a sequence, or a position, costs more than all our work on it. So everything that travels
is a noun made of arrays, packed into one binary value.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import steps_of

PAYLOAD = "payload binary"
SHARDS = "shard int, payload binary"
ALL_ONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Chunk:
    """Sequences one after the other; `weights` has one a sequence, or none where all are 1."""

    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    weights: NDArray[np.int64]

    @property
    def n_steps(self) -> int:
        """Positions that are followed by another."""
        return int(np.maximum(self.lengths - 1, 0).sum())

    @property
    def n_weighted_steps(self) -> int:
        """The same, each as often as its sequence weighs; exact, beyond 64 bits too."""
        if not len(self.weights):
            return self.n_steps
        steps = np.maximum(self.lengths - 1, 0)
        return sum(step * weight for step, weight in zip(steps.tolist(), self.weights.tolist(), strict=True))

    def steps(self) -> Steps:
        """Every position that has a next step."""
        arrivals, histories = steps_of(self.lengths)
        weights = np.repeat(self.weights, self.lengths)[arrivals] if len(self.weights) else ALL_ONE
        return Steps(arrivals - 1, histories, self.tokens[arrivals], weights)


@dataclass(frozen=True, eq=False)
class Steps:
    """Positions among the tokens of a chunk, the nodes of the sequence up to each, the next node, and the weights."""

    positions: NDArray[np.int64]
    histories: NDArray[np.int64]
    targets: NDArray[np.int32]
    weights: NDArray[np.int64]

    def select(self, chosen: NDArray[np.bool_]) -> Steps:
        """Some of the positions."""
        weights = self.weights[chosen] if len(self.weights) else ALL_ONE
        return Steps(self.positions[chosen], self.histories[chosen], self.targets[chosen], weights)


def packed(noun: Any) -> bytes:
    """A noun as one binary value."""
    return pickle.dumps(noun, protocol=5)


def unpacked(value: bytes) -> Any:
    """What `packed` packed."""
    return pickle.loads(value)


def payload_row(noun: Any) -> Any:
    """One row of PAYLOAD."""
    import pyarrow as pa

    return pa.record_batch({"payload": pa.array([packed(noun)], pa.binary())})


def rows_by_shard(noun: Any, shards: NDArray[Any]) -> Iterator[Any]:
    """Rows of SHARDS: a noun that can `select`, cut by the shard of each of its entries."""
    import pyarrow as pa

    for shard, chosen in members_of_shards(shards):
        payload = packed(noun.select(chosen))
        yield pa.record_batch({"shard": pa.array([shard], pa.int32()), "payload": pa.array([payload], pa.binary())})


def members_of_shards(shards: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each shard that has some, with the places of its entries."""
    by_shard = np.argsort(shards.astype(np.uint16), kind="stable")
    used, starts = np.unique(shards[by_shard], return_index=True)
    ends = [*starts[1:].tolist(), len(shards)]
    for shard, start, end in zip(used.tolist(), starts.tolist(), ends[: len(used)], strict=True):
        yield shard, by_shard[start:end]


def unpack_column(batches: Iterable[Any], column: str = "payload") -> Iterator[Any]:
    """The nouns in one column of Arrow batches, one by one."""
    for batch in batches:
        for value in batch.column(column):
            yield unpacked(value.as_buffer())


def joined_columns(parts: Sequence[Any]) -> list[NDArray[Any]]:
    """The columns of several nouns of the same kind, one after the other."""
    return [np.concatenate(columns) for columns in zip(*(vars(part).values() for part in parts), strict=True)]
