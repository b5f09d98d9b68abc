"""Chunk: some sequences of a corpus as arrays, the unit in which a corpus is spread over a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import steps_of
from honem.rules.engines.distributed.executors.base import Packet

CHUNK = "chunk"
ALL_ONE = np.zeros(0, np.int64)


class ChunkSize(NamedTuple):
    """What the driver knows of a chunk; `weighted_steps` may exceed 64 bits."""

    sequences: int
    steps: int
    weighted_steps: int
    longest: int


@dataclass(frozen=True, eq=False)
class Chunk:
    """Sequences one after the other; `weights` has one entry per sequence, or none if all weights are 1.

    The sequences of a chunk have the numbers from `first_sequence` on, which no other chunk of the corpus has.
    """

    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    weights: NDArray[np.int64]
    first_sequence: int

    def packet(self) -> Packet:
        """Return the chunk with its size as head; weights are left out if all are 1."""
        weights = ALL_ONE if (self.weights == 1).all() else self.weights
        return Packet(CHUNK, 0, len(self.lengths), self.size(), replace(self, weights=weights))

    def size(self) -> ChunkSize:
        """Return the number of sequences and steps, and the length of the longest sequence."""
        return ChunkSize(len(self.lengths), self.n_steps, self.n_weighted_steps, int(self.lengths.max(initial=0)))

    @property
    def n_steps(self) -> int:
        """Positions that are followed by another."""
        return int(np.maximum(self.lengths - 1, 0).sum())

    @property
    def n_weighted_steps(self) -> int:
        """Steps, each times the weight of its sequence; exact beyond 64 bits."""
        if not len(self.weights):
            return self.n_steps
        steps = np.maximum(self.lengths - 1, 0)
        return sum(step * weight for step, weight in zip(steps.tolist(), self.weights.tolist(), strict=True))

    def steps(self) -> Steps:
        """Return every position that has a next step."""
        arrivals, histories = steps_of(self.lengths)
        weights = np.repeat(self.weights, self.lengths)[arrivals] if len(self.weights) else ALL_ONE
        return Steps(arrivals - 1, histories, self.tokens[arrivals], weights)

    def sequences_at(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the sequence that each position belongs to."""
        return self.first_sequence + np.searchsorted(np.cumsum(self.lengths), positions, side="right")


@dataclass(frozen=True, eq=False)
class Steps:
    """Positions among the tokens of a chunk.

    For each position: how many nodes its sequence has up to there, the next node, and the weight of the sequence
    (no weights if all are 1).
    """

    positions: NDArray[np.int64]
    histories: NDArray[np.int64]
    targets: NDArray[np.int32]
    weights: NDArray[np.int64]

    def select(self, chosen: NDArray[np.bool_]) -> Steps:
        """Return some of the positions."""
        weights = self.weights[chosen] if len(self.weights) else ALL_ONE
        return Steps(self.positions[chosen], self.histories[chosen], self.targets[chosen], weights)


def packets_by_shard(kind: str, arrays: Any, shards: NDArray[Any]) -> Iterator[Packet]:
    """Cut an object that has `select` by the shard of each of its entries; one packet per shard."""
    for shard, chosen in members_of_shards(shards):
        yield Packet(kind, shard, len(chosen), arrays.select(chosen))


def members_of_shards(shards: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Iterate over the shards that have entries, with the indices of these entries."""
    by_shard = np.argsort(shards.astype(np.uint16), kind="stable")
    used, starts = np.unique(shards[by_shard], return_index=True)
    ends = [*starts[1:].tolist(), len(shards)]
    for shard, start, end in zip(used.tolist(), starts.tolist(), ends[: len(used)], strict=True):
        yield shard, by_shard[start:end]


def joined_columns(parts: Sequence[Any]) -> list[NDArray[Any]]:
    """Concatenate the fields of several dataclass instances of the same type, field by field."""
    return [np.concatenate(columns) for columns in zip(*(vars(part).values() for part in parts), strict=True)]
