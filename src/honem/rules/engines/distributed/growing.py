"""Grows contexts: the task that runs the local engine's kernel on the windows of one shard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import gather_ranges, offsets_of
from honem.errors import CorpusError
from honem.rules.engines.distributed.chunks import ALL_ONE, joined_columns, members_of_shards
from honem.rules.engines.distributed.counting import CountedRows
from honem.rules.engines.distributed.executors.base import Packet
from honem.rules.engines.distributed.hubs import Hubs
from honem.rules.engines.distributed.windows import UNNUMBERED, WINDOWS, Hashes, Windows, hash_nodes, join_windows
from honem.rules.engines.local import buffers
from honem.rules.engines.local.kernels import NO_NODE, TARGET_BITS, Seeds
from honem.rules.engines.local.layout import LONGEST_TRAIL, Layout

# What the task yields. RULES: Contexts, and their CountedRows as body. SCORES: only the scores of contexts, of order 2
# and more. TESTED: only an amount, the number of tested contexts. OPEN: OpenContexts, addressed to the shard that grows
# them in the next pass. OPEN_HASHES: their hashes. ENDED: nodes and orders of contexts where growth ended.
RULES, SCORES, TESTED, OPEN, OPEN_HASHES, ENDED = "rules", "scores", "tested", "open", "open hashes", "ended"
RULES_AT_ONCE = 250_000


@dataclass(frozen=True, eq=False)
class Contexts:
    """Contexts one after the other, with their scores; context c has `orders[c]` nodes, oldest first."""

    nodes: NDArray[np.int32]
    orders: NDArray[np.int32]
    scores: NDArray[np.float64]
    is_end: NDArray[np.bool_]

    def select(self, chosen: NDArray[np.int64]) -> Contexts:
        """Return some of the contexts, in the order given."""
        nodes = self.nodes[gather_ranges(offsets_of(self.orders)[:-1][chosen], self.orders[chosen])]
        return Contexts(nodes, self.orders[chosen], self.scores[chosen], self.is_end[chosen])


@dataclass(frozen=True, eq=False)
class OpenContexts:
    """Contexts of one order that might still grow: what the next pass must know about them (see kernels.Seeds)."""

    histories: NDArray[np.int32]
    reference_orders: NDArray[np.int32]
    supports: NDArray[np.int64]
    n_known: NDArray[np.int32]
    targets: NDArray[np.int32]
    counts: NDArray[np.int64]

    def select(self, chosen: NDArray[np.int64]) -> OpenContexts:
        """Return some of the contexts, in the order given."""
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
    """What a task must know: the limits of growth, the width of its windows, and where open contexts go next.

    `window` is NO_WINDOW if no history is longer than the windows. After the first pass only open contexts grow, also
    where a shard has windows but no open context. `wants_rules` is False if only scores are needed. Only
    `lower_orders="hon"` needs to know where growth ended.
    """

    n_nodes: int
    limits: buffers.Growth
    window: int
    n_shards: int
    hubs: Hubs
    is_first_pass: bool
    wants_rules: bool
    wants_ends: bool


def grow(packets: Iterable[Packet], task: Growing) -> Iterator[Packet]:
    """Task: grow the windows and open contexts of one shard into rules and contexts that are still open."""
    received = list(packets)
    parts = [packet.head for packet in received if packet.kind == WINDOWS]
    opens = [packet.head for packet in received if packet.kind == OPEN]
    windows = join_windows(parts) if parts else None
    if opens:
        yield from grow_open_contexts(windows, OpenContexts(*joined_columns(opens)), task)
    elif windows is not None and task.is_first_pass:
        yield from grow_nodes(windows, task)


def grow_nodes(windows: Windows, task: Growing) -> Iterator[Packet]:
    """First pass: one bucket per newest node; the first order of hubs is known already."""
    newest = windows.histories[:, -1]
    order = np.argsort(newest, kind="stable")
    nodes, starts = np.unique(newest[order], return_index=True)
    layout = lay_windows(windows.select(order), np.append(starts, len(order)), task.n_nodes)
    seeds = task.hubs.seeds(nodes)
    grown = buffers.grow_buckets(layout, 0, len(nodes), task.limits, seeds, task.window)
    yield from grown_packets(layout, grown, task)


def grow_open_contexts(windows: Windows | None, opens: OpenContexts, task: Growing) -> Iterator[Packet]:
    """Later pass: one bucket per open context; windows at other contexts are left out."""
    n_contexts, order = opens.histories.shape
    keys = row_keys(opens.histories)
    by_key = np.argsort(keys, kind="stable")
    opens, keys = opens.select(by_key), keys[by_key]
    if windows is None:
        nothing = np.empty((0, order + 1), np.int32), np.empty(0, np.int32), ALL_ONE, UNNUMBERED
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
    yield from grown_packets(layout, grown, task)
    if task.wants_ends:
        ended = np.flatnonzero(seeds.ended)
        orders = opens.reference_orders[ended]
        nodes = opens.histories.ravel()[gather_ranges((ended + 1) * order - orders, orders)]
        if len(ended):
            yield Packet(ENDED, 0, len(ended), (nodes, orders))


def open_seeds(opens: OpenContexts) -> Seeds:
    """Return open contexts as the state that the kernel starts from."""
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
    """Return each row as one value that sorts and compares exactly."""
    rows = np.ascontiguousarray(histories)
    return rows.view(np.dtype((np.bytes_, rows.itemsize * rows.shape[1]))).ravel()


def lay_windows(windows: Windows, bucket_offsets: NDArray[np.int64], n_nodes: int) -> Layout:
    """Lay out windows, which are sorted by bucket, as the kernels expect them: one after the other on a trail."""
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
    # In a bucket, the windows of a sequence are next to each other; kernels only ask whether two are of the same one.
    sequences = np.cumsum(np.diff(windows.sequences, prepend=windows.sequences[:1]) != 0, dtype=np.int32)
    return Layout(n_nodes, trail.ravel(), bucket_offsets, entries, marks, windows.weights, shift, sequences)


def grown_packets(layout: Layout, grown: buffers.Grown, task: Growing) -> Iterator[Packet]:
    """Yield what the driver asked for, and open contexts in one packet per shard of the next pass."""
    yield Packet(TESTED, 0, grown.n_tested, None)
    yield from rule_packets(layout, grown) if task.wants_rules else score_packets(grown)
    positions, reference_orders, *columns = grown.opens
    if len(positions):
        histories = layout.trail[positions[:, None] + np.arange(1 - task.window, 1)]
        yield from open_packets(OpenContexts(histories, reference_orders, *columns), task)


def score_packets(grown: buffers.Grown) -> Iterator[Packet]:
    """Yield the scores of contexts of order 2 and more."""
    _, orders, scores, *_ = grown.rules
    of_longer = scores[orders > 1]
    yield Packet(SCORES, 0, len(of_longer), of_longer)


def rule_packets(layout: Layout, grown: buffers.Grown) -> Iterator[Packet]:
    """Yield contexts with their scores and rows, in packets of bounded size."""
    positions, orders, scores, is_end, n_rows, targets, counts = grown.rules
    row_offsets = offsets_of(n_rows)
    for start in range(0, len(orders), RULES_AT_ONCE):
        part = slice(start, start + RULES_AT_ONCE)
        rows = slice(row_offsets[start], row_offsets[min(part.stop, len(orders))])
        nodes = layout.trail[gather_ranges(positions[part].astype(np.int64) - orders[part] + 1, orders[part])]
        contexts = Contexts(nodes, orders[part], scores[part], is_end[part])
        counted = CountedRows(n_rows[part], targets[rows], counts[rows])
        yield Packet(RULES, 0, len(contexts.orders), contexts, counted)


def open_packets(opens: OpenContexts, task: Growing) -> Iterator[Packet]:
    """Yield open contexts by the shard of the next pass, and apart from them their hashes."""
    hashes = context_hashes(opens.histories)
    for shard, chosen in members_of_shards(hashes % np.uint64(task.n_shards)):
        yield Packet(OPEN, shard, len(chosen), opens.select(chosen))
    yield Packet(OPEN_HASHES, 0, len(hashes), hashes)


def context_hashes(histories: NDArray[np.int32]) -> Hashes:
    """Return the hashes that `windows.cut_windows` gives to positions at these contexts."""
    return hash_nodes([*histories.T[::-1]])
