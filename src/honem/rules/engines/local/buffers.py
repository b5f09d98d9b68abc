"""The memory a kernel works in: scratch of fixed size, and buffers enlarged when it says they are too short."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem.rules.engines.local import kernels
from honem.rules.engines.local.layout import Layout

Limits = tuple[int, int, float, int]
"""least_target, least_support, tau, max_order of kernels.grow_buckets."""

RULE_COLUMNS = (np.int32, np.int32, np.float64, np.bool_, np.int32)
ROW_COLUMNS = (np.int32, np.int64)
OPEN_COLUMNS = (np.int32, np.int32, np.int64, np.int32)
NO_WINDOW = 0


def empty(*kinds: type[np.generic]) -> list[NDArray[Any]]:
    """A column of each kind, without a row."""
    return [np.empty(0, kind) for kind in kinds]


NO_SEEDS = kernels.Seeds(*empty(np.int32, np.int32, np.int64, np.int64, np.int64, np.int32, np.int64, np.bool_))


class Grown(NamedTuple):
    """What came out of some buckets.

    `rules`: per rule an example position, order, divergence, whether growth ended with it as reference, number of rows;
    per row target and count. `opens`: the columns of kernels.Opens.
    """

    rules: list[NDArray[Any]]
    opens: list[NDArray[Any]]


def grow_buckets(
    layout: Layout,
    first: int,
    last: int,
    limits: Limits,
    seeds: kernels.Seeds = NO_SEEDS,
    window: int = NO_WINDOW,
) -> Grown:
    """The accepted contexts of a range of buckets, and those as long as the window that might still grow."""
    n_nodes = layout.n_nodes
    largest = layout.largest_bucket(first, last)
    most_groups = min(largest, n_nodes + 1)
    scratch = (*split_scratch(n_nodes, largest), np.zeros(n_nodes, np.int64), np.empty(n_nodes, np.int32))
    state = np.zeros(kernels.STATE_COLUMNS, np.int64)
    state[kernels.NEXT_BUCKET] = first
    frames = np.empty(0, np.int64)
    known, rules, rows = empty(*ROW_COLUMNS), empty(*RULE_COLUMNS), empty(*ROW_COLUMNS)
    opens, open_rows = empty(*OPEN_COLUMNS), empty(*ROW_COLUMNS)
    done = False
    while not done:
        n_frames, known_used, n_rules, n_rows, n_open, n_open_rows = state[
            [
                kernels.N_FRAMES,
                kernels.KNOWN_USED,
                kernels.N_RULES,
                kernels.N_ROWS,
                kernels.N_OPEN,
                kernels.N_OPEN_ROWS,
            ]
        ]
        frames = with_room(frames, n_frames * kernels.FRAME_COLUMNS, (most_groups + 1) * kernels.FRAME_COLUMNS)
        known = [with_room(buffer, known_used, largest) for buffer in known]
        rules = [with_room(buffer, n_rules, most_groups) for buffer in rules]
        rows = [with_room(buffer, n_rows, largest) for buffer in rows]
        if window != NO_WINDOW:
            opens = [with_room(buffer, n_open, most_groups) for buffer in opens]
            open_rows = [with_room(buffer, n_open_rows, largest) for buffer in open_rows]
        done = kernels.grow_buckets(
            state,
            last,
            *layout.arrays,
            kernels.LOGARITHMS,
            *limits,
            window,
            seeds,
            kernels.Opens(*opens, *open_rows),
            *scratch,
            frames,
            *known,
            *rules,
            *rows,
        )
    return Grown(
        filled(state, (rules, kernels.N_RULES), (rows, kernels.N_ROWS)),
        filled(state, (opens, kernels.N_OPEN), (open_rows, kernels.N_OPEN_ROWS)),
    )


def filled(state: NDArray[np.int64], *groups: tuple[list[NDArray[Any]], int]) -> list[NDArray[Any]]:
    """Copies of what the kernel wrote into groups of buffers, each with the place in its state that says how much."""
    return [buffer[: state[used]].copy() for buffers, used in groups for buffer in buffers]


def count_contexts(
    layout: Layout,
    positions: NDArray[np.int32],
    orders: NDArray[np.int32],
    references: NDArray[np.int64],
    reference_columns: tuple[NDArray[Any], ...],
    least_target: int,
) -> list[NDArray[Any]]:
    """The targets of contexts that stand grouped by newest node.

    `references` are numbers of accepted contexts, of which `reference_columns` are supports, row offsets, targets and
    counts. -> per context: divergence from its reference and number of rows; per row: target, count.
    """
    newest = layout.trail[positions]
    largest = layout.largest_bucket(int(newest[0]), int(newest[-1]) + 1)
    scratch = split_scratch(layout.n_nodes, largest)
    segments = np.empty((2, int(orders.max()) + 1), np.int64)
    divergences, rule_rows = np.empty(len(positions)), np.empty(len(positions), np.int32)
    rows = empty(*ROW_COLUMNS)
    done, n_rows = 0, 0
    while done < len(positions):
        rows = [with_room(buffer, n_rows, largest) for buffer in rows]
        done, n_rows = kernels.count_contexts(
            done,
            n_rows,
            positions,
            orders,
            references,
            *reference_columns,
            *layout.arrays,
            kernels.LOGARITHMS,
            least_target,
            *scratch,
            *segments,
            divergences,
            rule_rows,
            *rows,
        )
    return [divergences, rule_rows, *(buffer[:n_rows].copy() for buffer in rows)]


def split_scratch(n_nodes: int, largest: int) -> tuple[NDArray[Any], ...]:
    """older, moved, group_ends, groups, target_counts and touched of the kernels."""
    return (
        np.empty(largest, np.int32),
        np.empty(largest, np.int64),
        np.zeros(n_nodes + 1, np.int64),
        np.empty(n_nodes + 1, np.int32),
        np.zeros(n_nodes, np.int64),
        np.empty(n_nodes, np.int32),
    )


def with_room(buffer: NDArray[Any], used: int, needed: int) -> NDArray[Any]:
    """The buffer, or a longer copy of it, with room for `needed` more than are used."""
    if used + needed <= len(buffer):
        return buffer
    longer = np.empty(2 * (used + needed), buffer.dtype)
    longer[:used] = buffer[:used]
    return longer
