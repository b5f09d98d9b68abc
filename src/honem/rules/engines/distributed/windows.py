"""Windows: each position with the few nodes up to it, which is all that a task needs to grow contexts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.rules.engines.distributed.chunks import ALL_ONE, Chunk, Steps, packets_by_shard
from honem.rules.engines.distributed.executors.base import Packet
from honem.rules.engines.local.closure import contained
from honem.rules.engines.local.kernels import NO_NODE

WINDOWS = "windows"
WINDOWS_AT_ONCE = 1_000_000  # sorted and sent together: more make fewer and larger packets
SAMPLE = 50_000
WORTH_COMBINING = 0.75  # combined windows carry a weight, and sorting them takes time

UNNUMBERED = np.zeros(0, np.int64)

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Windows:
    """Positions with a next step: the nodes up to each, oldest first, -1 before the start of the sequence.

    `weights` has one entry per position, or none if all weights are 1. `sequences` are the numbers of their sequences,
    or none if every position is an observation; the windows of one sequence are next to each other.
    """

    histories: NDArray[Any]
    targets: NDArray[Any]
    weights: NDArray[np.int64]
    sequences: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.targets)

    def select(self, chosen: NDArray[Any] | slice) -> Windows:
        """Return some of the windows, in the order given."""
        return Windows(
            self.histories[chosen],
            self.targets[chosen],
            self.weights[chosen] if len(self.weights) else ALL_ONE,
            self.sequences[chosen] if len(self.sequences) else UNNUMBERED,
        )


@dataclass(frozen=True, eq=False)
class Wanted:
    """A sorted set of hashes. Most lookups fail, so a small table of their leading bits answers nearly all of them."""

    hashes: Hashes

    def contain(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Return a mask of the given hashes that are in the set."""
        found: NDArray[np.bool_] = self._table[hashes >> self._shift]
        found[found] = contained(hashes[found], self.hashes)
        return found

    @property
    def _shift(self) -> np.uint64:
        """The shift that leaves about 16 times as many table entries as there are hashes."""
        return np.uint64(60 - len(self.hashes).bit_length())

    @cached_property
    def _table(self) -> NDArray[np.bool_]:
        table = np.zeros(1 << (64 - int(self._shift)), np.bool_)
        table[self.hashes >> self._shift] = True
        return table


@dataclass(frozen=True, eq=False)
class Shipping:
    """Which positions are cut out, how wide their windows are, and which shard each goes to.

    The shard is the hash of the last `key_order` nodes: of one node, so that all contexts with the same newest node
    are in one task, or of two for `hubs`, which are too frequent for one task. In later passes `key_order` is the order
    of the contexts that are still open. Only positions with a longer history are sent then: those at a `wanted`
    context, or all if `wanted` is None. With `numbers_sequences`, every window has the number of its sequence.
    """

    n_nodes: int
    width: int
    n_shards: int
    hubs: NDArray[np.int32]
    key_order: int = 1
    wanted: Wanted | None = None
    numbers_sequences: bool = False


def ship(packets: Iterable[Packet], task: Shipping) -> Iterator[Packet]:
    """Task: cut the windows of a pass out of the chunks of one partition, and address them to their shards."""
    pending: list[tuple[Windows, NDArray[np.uint16]]] = []
    amount = 0
    for packet in packets:
        windows, shards = cut_windows(packet.body, task)
        pending.append((windows, shards))
        amount += len(windows)
        if amount >= WINDOWS_AT_ONCE:
            yield from send(pending)
            pending, amount = [], 0
    if amount:
        yield from send(pending)


def cut_windows(chunk: Chunk, task: Shipping) -> tuple[Windows, NDArray[np.uint16]]:
    """Return the windows of a chunk that a pass needs, and the shard of each."""
    steps = chunk.steps()
    if task.key_order > 1:
        steps = steps.select(steps.histories > task.key_order)
    hashes = hash_nodes([chunk.tokens[steps.positions - back] for back in range(task.key_order)])
    if task.wanted is not None:
        chosen = task.wanted.contain(hashes)
        steps, hashes = steps.select(chosen), hashes[chosen]
    if len(task.hubs):
        steps, hashes = spread_hubs(chunk, steps, hashes, task.hubs)
    return windows_of(chunk, steps, task), (hashes % np.uint64(task.n_shards)).astype(np.uint16)


def spread_hubs(chunk: Chunk, steps: Steps, hashes: Hashes, hubs: NDArray[np.int32]) -> tuple[Steps, Hashes]:
    """Send hubs by their last two nodes; positions where a sequence begins at a hub have no longer context."""
    is_hub = contained(chunk.tokens[steps.positions], hubs)
    stays = ~(is_hub & (steps.histories == 1))
    steps, hashes, is_hub = steps.select(stays), hashes[stays], is_hub[stays]
    positions = steps.positions[is_hub]
    hashes[is_hub] = hash_nodes([chunk.tokens[positions], chunk.tokens[positions - 1]])
    return steps, hashes


def windows_of(chunk: Chunk, steps: Steps, task: Shipping) -> Windows:
    """Return the nodes up to each position, in the narrowest integer type that holds all ids."""
    kind = np.int16 if task.n_nodes <= np.iinfo(np.int16).max else np.int32
    histories = np.full((len(steps.positions), task.width), NO_NODE, kind)
    for back in range(task.width):
        known = steps.histories > back
        histories[known, task.width - 1 - back] = chunk.tokens[steps.positions[known] - back]
    sequences = chunk.sequences_at(steps.positions) if task.numbers_sequences else UNNUMBERED
    return Windows(histories, steps.targets.astype(kind), steps.weights, sequences)


def send(pending: Sequence[tuple[Windows, NDArray[np.uint16]]]) -> Iterator[Packet]:
    """Yield one packet per shard; equal windows are combined into one with a weight if there are enough of them.

    Windows with the numbers of their sequences are not combined: a sequence is to count once, with its own weight.
    """
    windows = join_windows([windows for windows, _ in pending])
    shards = np.concatenate([shards for _, shards in pending])
    if not len(windows.sequences) and share_of_different(windows) < WORTH_COMBINING:
        windows, shards = combine(windows, shards)
    yield from packets_by_shard(WINDOWS, windows, shards)


def join_windows(parts: Sequence[Windows]) -> Windows:
    """Concatenate windows; weights of 1 are written out if some windows have weights."""
    weighted = any(len(part.weights) for part in parts)
    return Windows(
        np.concatenate([part.histories for part in parts]),
        np.concatenate([part.targets for part in parts]),
        np.concatenate([written_weights(part) for part in parts]) if weighted else ALL_ONE,
        np.concatenate([part.sequences for part in parts]),
    )


def written_weights(windows: Windows) -> NDArray[np.int64]:
    """Return one weight per window."""
    return windows.weights if len(windows.weights) else np.ones(len(windows), np.int64)


def share_of_different(windows: Windows) -> float:
    """Return the share of distinct windows among the first ones."""
    sample = windows.select(slice(SAMPLE))
    return len(np.unique(window_hashes(sample))) / len(sample)


def combine(windows: Windows, shards: NDArray[np.uint16]) -> tuple[Windows, NDArray[np.uint16]]:
    """Combine equal windows of a shard into one with their total weight.

    Sorting by a hash makes equal windows neighbors. If different windows share a hash, equal ones may be separated;
    they are then not combined, which is still correct.
    """
    order = np.argsort(shards.astype(np.uint64) << np.uint64(48) | window_hashes(windows) >> np.uint64(16))
    windows, shards = windows.select(order), shards[order]
    differs = np.ones(len(windows), np.bool_)
    differs[1:] = (shards[1:] != shards[:-1]) | (windows.targets[1:] != windows.targets[:-1])
    differs[1:] |= (windows.histories[1:] != windows.histories[:-1]).any(axis=1)
    first = np.flatnonzero(differs)
    weights = np.add.reduceat(written_weights(windows), first)
    return Windows(windows.histories[first], windows.targets[first], weights, UNNUMBERED), shards[first]


def window_hashes(windows: Windows) -> Hashes:
    """Return a hash per window, equal for equal windows."""
    return hash_nodes([windows.targets, *windows.histories.T])


def hash_nodes(columns: Sequence[NDArray[Any]]) -> Hashes:
    """Return 64-bit hashes of rows of nodes, for shards and lookups; equality is never inferred from equal hashes."""
    hashes = np.zeros(len(columns[0]), np.uint64)
    for nodes in columns:
        hashes ^= (nodes.astype(np.int64) + 2).astype(np.uint64)
        # The finaliser of SplitMix64.
        hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        hashes ^= hashes >> np.uint64(31)
    return hashes
