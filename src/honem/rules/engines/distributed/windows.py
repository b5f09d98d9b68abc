"""Windows: each position with the few nodes up to it, which is all that a task needs to grow its contexts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.rules.engines.distributed.chunks import ALL_ONE, Chunk, Steps, rows_by_shard, unpack_column
from honem.rules.engines.local.closure import contained
from honem.rules.engines.local.kernels import NO_NODE

WINDOWS_AT_ONCE = 1_000_000  # sorted and sent together: more make fewer and larger rows
SAMPLE = 50_000
WORTH_COMBINING = 0.75  # combined windows carry a weight, and sorting them takes time

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Windows:
    """Positions with a next step: the nodes up to each, oldest first, -1 where the sequence had not begun.

    `weights` has one a position, or none where all are 1.
    """

    histories: NDArray[Any]
    targets: NDArray[Any]
    weights: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.targets)

    def select(self, chosen: NDArray[Any] | slice) -> Windows:
        """Some of the windows, in the order given."""
        return Windows(
            self.histories[chosen], self.targets[chosen], self.weights[chosen] if len(self.weights) else ALL_ONE
        )


@dataclass(frozen=True, eq=False)
class Wanted:
    """Sorted hashes to look up. Most that are asked for are not among them, as a small table tells of nearly all."""

    hashes: Hashes

    def contain(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Which of some hashes are among them."""
        found: NDArray[np.bool_] = self._table[hashes >> self._shift]
        found[found] = contained(hashes[found], self.hashes)
        return found

    @property
    def _shift(self) -> np.uint64:
        """What this leaves of a hash has about 16 times as many values as there are hashes."""
        return np.uint64(60 - len(self.hashes).bit_length())

    @cached_property
    def _table(self) -> NDArray[np.bool_]:
        table = np.zeros(1 << (64 - int(self._shift)), np.bool_)
        table[self.hashes >> self._shift] = True
        return table


@dataclass(frozen=True, eq=False)
class Shipping:
    """Which positions are cut out, how far back, and which shard each goes to.

    A shard is chosen by the hash of the last `key_order` nodes: of one, so that all contexts of a newest node are
    together, or of two for `hubs`, which are too much for one task. In later passes it is the order of the contexts
    still open, and only positions with a longer history are sent: those at `wanted` contexts, given by their
    hashes, or all.
    """

    n_nodes: int
    width: int
    n_shards: int
    hubs: NDArray[np.int32]
    key_order: int = 1
    wanted: Wanted | None = None


def ship(batches: Iterable[Any], shipping: Any) -> Iterator[Any]:
    """Chunks to windows, packed by shard; `shipping` is a broadcast Shipping."""
    task: Shipping = shipping.value
    pending: list[tuple[Windows, NDArray[np.uint16]]] = []
    amount = 0
    for chunk in unpack_column(batches):
        windows, shards = cut_windows(chunk, task)
        pending.append((windows, shards))
        amount += len(windows)
        if amount >= WINDOWS_AT_ONCE:
            yield from send(pending)
            pending, amount = [], 0
    if amount:
        yield from send(pending)


def cut_windows(chunk: Chunk, task: Shipping) -> tuple[Windows, NDArray[np.uint16]]:
    """The windows of a chunk that a pass needs, and the shard of each."""
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
    """Hubs are sent by their last two nodes; what begins at a hub has no longer context and is not sent."""
    is_hub = contained(chunk.tokens[steps.positions], hubs)
    stays = ~(is_hub & (steps.histories == 1))
    steps, hashes, is_hub = steps.select(stays), hashes[stays], is_hub[stays]
    positions = steps.positions[is_hub]
    hashes[is_hub] = hash_nodes([chunk.tokens[positions], chunk.tokens[positions - 1]])
    return steps, hashes


def windows_of(chunk: Chunk, steps: Steps, task: Shipping) -> Windows:
    """The nodes up to each position, as narrow as ids allow."""
    kind = np.int16 if task.n_nodes <= np.iinfo(np.int16).max else np.int32
    histories = np.full((len(steps.positions), task.width), NO_NODE, kind)
    for back in range(task.width):
        known = steps.histories > back
        histories[known, task.width - 1 - back] = chunk.tokens[steps.positions[known] - back]
    return Windows(histories, steps.targets.astype(kind), steps.weights)


def send(pending: Sequence[tuple[Windows, NDArray[np.uint16]]]) -> Iterator[Any]:
    """One row a shard; equal windows become one that weighs more, where there are enough of them."""
    windows = join_windows([windows for windows, _ in pending])
    shards = np.concatenate([shards for _, shards in pending])
    if share_of_different(windows) < WORTH_COMBINING:
        windows, shards = combine(windows, shards)
    yield from rows_by_shard(windows, shards)


def join_windows(parts: Sequence[Windows]) -> Windows:
    """Windows one after the other; weights are written out if some have them."""
    weighted = any(len(part.weights) for part in parts)
    return Windows(
        np.concatenate([part.histories for part in parts]),
        np.concatenate([part.targets for part in parts]),
        np.concatenate([written_weights(part) for part in parts]) if weighted else ALL_ONE,
    )


def written_weights(windows: Windows) -> NDArray[np.int64]:
    """A weight a window."""
    return windows.weights if len(windows.weights) else np.ones(len(windows), np.int64)


def share_of_different(windows: Windows) -> float:
    """How many of the first windows are different, as a share."""
    sample = windows.select(slice(SAMPLE))
    return len(np.unique(window_hashes(sample))) / len(sample)


def combine(windows: Windows, shards: NDArray[np.uint16]) -> tuple[Windows, NDArray[np.uint16]]:
    """Equal windows of a shard as one with their weight.

    They stand together after sorting by a hash. Where two different ones share it, equal ones may be apart and stay so.
    """
    order = np.argsort(shards.astype(np.uint64) << np.uint64(48) | window_hashes(windows) >> np.uint64(16))
    windows, shards = windows.select(order), shards[order]
    differs = np.ones(len(windows), np.bool_)
    differs[1:] = (shards[1:] != shards[:-1]) | (windows.targets[1:] != windows.targets[:-1])
    differs[1:] |= (windows.histories[1:] != windows.histories[:-1]).any(axis=1)
    first = np.flatnonzero(differs)
    weights = np.add.reduceat(written_weights(windows), first)
    return Windows(windows.histories[first], windows.targets[first], weights), shards[first]


def window_hashes(windows: Windows) -> Hashes:
    """Equal for equal windows."""
    return hash_nodes([windows.targets, *windows.histories.T])


def hash_nodes(columns: Sequence[NDArray[Any]]) -> Hashes:
    """64 bits of several nodes, for shards and for looking up; equal hashes never stand for equality."""
    hashes = np.zeros(len(columns[0]), np.uint64)
    for nodes in columns:
        hashes ^= (nodes.astype(np.int64) + 2).astype(np.uint64)
        # The finaliser of SplitMix64.
        hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        hashes ^= hashes >> np.uint64(31)
    return hashes
