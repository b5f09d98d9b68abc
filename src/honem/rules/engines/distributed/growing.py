"""What one task does: the windows of its shard, the local engine's kernel, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.errors import CorpusError
from honem.rules.engines.distributed.chunks import joined_columns, members_of_shards, packed, unpack_column
from honem.rules.engines.distributed.counting import CountedRows
from honem.rules.engines.distributed.hubs import Hubs
from honem.rules.engines.distributed.windows import Hashes, Windows, hash_nodes, join_windows
from honem.rules.engines.local import buffers
from honem.rules.engines.local.kernels import NO_NODE, TARGET_BITS, Seeds
from honem.rules.engines.local.layout import LONGEST_TRAIL, Layout

FOUND = "kind string, shard int, amount long, contexts binary, rows binary"
RULES, OPEN, ENDED = "rules", "open", "ended"
RULES_AT_ONCE = 250_000


@dataclass(frozen=True, eq=False)
class Contexts:
    """Contexts with what was decided on them; context c is `orders[c]` of the nodes, oldest first."""

    nodes: NDArray[np.int32]
    orders: NDArray[np.int32]
    divergences: NDArray[np.float64]
    is_end: NDArray[np.bool_]

    def select(self, chosen: NDArray[np.int64]) -> Contexts:
        """Some of the contexts, in the order given."""
        nodes = self.nodes[gather_ranges(offsets_of(self.orders)[:-1][chosen], self.orders[chosen])]
        return Contexts(nodes, self.orders[chosen], self.divergences[chosen], self.is_end[chosen])


@dataclass(frozen=True, eq=False)
class OpenContexts:
    """Contexts of one order that might still grow: what the next pass must know of them (kernels.Seeds)."""

    histories: NDArray[np.int32]
    reference_orders: NDArray[np.int32]
    supports: NDArray[np.int64]
    n_known: NDArray[np.int32]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]

    def select(self, chosen: NDArray[np.int64]) -> OpenContexts:
        """Some of the contexts, in the order given."""
        rows = gather_ranges(offsets_of(self.n_known)[:-1][chosen], self.n_known[chosen])
        return OpenContexts(
            self.histories[chosen],
            self.reference_orders[chosen],
            self.supports[chosen],
            self.n_known[chosen],
            self.targets[rows],
            self.counts[rows],
        )


@dataclass(frozen=True, eq=False)
class Growing:
    """What a task must know: the limits of growth, how wide its windows are, and where open contexts go next.

    `window` is NO_WINDOW where nothing lies beyond the windows. Only `lower_orders="hon"` asks where growth ended.
    """

    n_nodes: int
    limits: buffers.Growth
    window: int
    n_shards: int
    hubs: Hubs
    wants_ends: bool


def grow(batches: Iterable[Any], growing: Any) -> Iterator[Any]:
    """The windows and open contexts of one shard to rules and contexts still open; `growing` is a broadcast Growing."""
    task: Growing = growing.value
    nouns = list(unpack_column(batches))
    parts = [noun for noun in nouns if isinstance(noun, Windows)]
    opens = [noun for noun in nouns if isinstance(noun, OpenContexts)]
    if opens:
        yield from grow_open_contexts(
            join_windows(parts) if parts else None, OpenContexts(*joined_columns(opens)), task
        )
    elif parts:
        yield from grow_nodes(join_windows(parts), task)


def grow_nodes(windows: Windows, task: Growing) -> Iterator[Any]:
    """The first pass: a bucket is a newest node; of hubs the first order is known already."""
    newest = windows.histories[:, -1]
    order = np.argsort(newest, kind="stable")
    nodes, starts = np.unique(newest[order], return_index=True)
    layout = lay_windows(windows.select(order), np.append(starts, len(order)), task.n_nodes)
    seeds = task.hubs.seeds(nodes)
    grown = buffers.grow_buckets(layout, 0, len(nodes), task.limits, seeds, task.window)
    yield from tell_grown(layout, grown, task)


def grow_open_contexts(windows: Windows | None, opens: OpenContexts, task: Growing) -> Iterator[Any]:
    """A later pass: a bucket is an open context, and windows that stand at none of them are left out."""
    n_contexts, order = opens.histories.shape
    keys = row_keys(opens.histories)
    by_key = np.argsort(keys, kind="stable")
    opens, keys = opens.select(by_key), keys[by_key]
    if windows is None:
        nothing = np.empty((0, order + 1), np.int32), np.empty(0, np.int32), np.empty(0, np.int64)
        windows, places = Windows(*nothing), np.empty(0, np.int64)
    else:
        standing = row_keys(windows.histories[:, -order:].astype(np.int32))
        places = np.minimum(np.searchsorted(keys, standing), n_contexts - 1)
        at_one = keys[places] == standing
        windows, places = windows.select(at_one), places[at_one]
    by_place = np.argsort(places, kind="stable")
    bucket_offsets = offsets_of(np.bincount(places, minlength=n_contexts))
    layout = lay_windows(windows.select(by_place), bucket_offsets, task.n_nodes)
    seeds = open_seeds(opens)
    grown = buffers.grow_buckets(layout, 0, n_contexts, task.limits, seeds, task.window)
    yield from tell_grown(layout, grown, task)
    if task.wants_ends:
        ended = np.flatnonzero(seeds.ended)
        orders = opens.reference_orders[ended]
        nodes = opens.histories.ravel()[gather_ranges((ended + 1) * order - orders, orders)]
        yield from tell_contexts(ENDED, nodes, orders)


def open_seeds(opens: OpenContexts) -> Seeds:
    """Open contexts as what the kernel begins with."""
    n_contexts, order = opens.histories.shape
    offsets = offsets_of(opens.n_known)
    return Seeds(
        np.full(n_contexts, order, np.int32),
        opens.reference_orders,
        opens.supports,
        offsets[:-1],
        offsets[1:],
        opens.targets,
        opens.counts,
        np.zeros(n_contexts, np.bool_),
    )


def row_keys(histories: NDArray[np.int32]) -> NDArray[Any]:
    """Each row as one value that can be sorted and compared, exactly."""
    rows = np.ascontiguousarray(histories)
    return rows.view(np.dtype((np.bytes_, rows.itemsize * rows.shape[1]))).ravel()


def lay_windows(windows: Windows, bucket_offsets: NDArray[np.int64], n_nodes: int) -> Layout:
    """Windows that stand bucket by bucket as the kernels want them: one after the other on a trail of their own."""
    n_windows, width = windows.histories.shape
    shift = (width - 1).bit_length()
    stride = 1 << shift
    if n_windows * stride > LONGEST_TRAIL:
        raise CorpusError(
            f"{n_windows} windows of {width} nodes in one task, which holds at most {LONGEST_TRAIL // stride}; "
            "one context of two nodes is that frequent"
        )
    trail = np.full((n_windows, stride), NO_NODE, np.int32)
    trail[:, stride - width :] = windows.histories
    positions = np.arange(1, n_windows + 1, dtype=np.int64) * stride - 1
    entries = positions << TARGET_BITS | windows.targets
    marks = np.zeros(n_windows, np.uint8)
    return Layout(n_nodes, trail.ravel(), bucket_offsets, entries, marks, windows.weights, shift)


def tell_grown(layout: Layout, grown: buffers.Grown, task: Growing) -> Iterator[Any]:
    """Rules in rows of bounded size, and open contexts in one row a shard of the next pass."""
    positions, orders, divergences, is_end, n_rows, targets, counts = grown.rules
    row_offsets = offsets_of(n_rows)
    for start in range(0, len(orders), RULES_AT_ONCE):
        part = slice(start, start + RULES_AT_ONCE)
        rows = slice(row_offsets[start], row_offsets[min(part.stop, len(orders))])
        nodes = layout.trail[gather_ranges(positions[part].astype(np.int64) - orders[part] + 1, orders[part])]
        contexts = Contexts(nodes, orders[part], divergences[part], is_end[part])
        yield told(RULES, 0, len(contexts.orders), contexts, CountedRows(n_rows[part], targets[rows], counts[rows]))
    positions, reference_orders, *columns = grown.opens
    if len(positions):
        histories = layout.trail[positions[:, None] + np.arange(1 - task.window, 1)]
        yield from tell_opens(OpenContexts(histories, reference_orders, *columns), task)


def tell_opens(opens: OpenContexts, task: Growing) -> Iterator[Any]:
    """Open contexts by the shard of the next pass, with their hashes."""
    hashes = context_hashes(opens.histories)
    for shard, chosen in members_of_shards(hashes % np.uint64(task.n_shards)):
        yield told(OPEN, shard, len(chosen), opens.select(chosen), hashes[chosen])


def context_hashes(histories: NDArray[np.int32]) -> Hashes:
    """The hashes that `windows.cut_windows` gives positions at these contexts."""
    return hash_nodes([*histories.T[::-1]])


def tell_contexts(kind: str, nodes: NDArray[Any], orders: NDArray[np.int32]) -> Iterator[Any]:
    """Bare contexts."""
    if len(orders):
        yield told(kind, 0, len(orders), (nodes.astype(np.int32), orders), None)


def told(kind: str, shard: int, amount: int, contexts: Any, rows: Any) -> Any:
    """One row of FOUND."""
    import pyarrow as pa

    return pa.record_batch(
        {
            "kind": pa.array([kind]),
            "shard": pa.array([shard], pa.int32()),
            "amount": pa.array([amount], pa.int64()),
            "contexts": pa.array([packed(contexts)], pa.binary()),
            "rows": pa.array([packed(rows)], pa.binary()),
        }
    )
