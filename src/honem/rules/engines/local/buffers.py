"""The memory that kernels work in: scratch of fixed size, and buffers that are enlarged when they may be too short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honem.rules.criteria import Criterion
from honem.rules.engines.local import kernels
from honem.rules.engines.local.layout import Layout
from honem.rules.params import ExtractionParams


@dataclass(frozen=True)
class Growth:
    """What limits growth, and the criterion that accepts contexts; `max_order` is NO_LIMIT for none."""

    least_count: int
    least_support: int
    max_order: int
    criterion: Criterion

    @classmethod
    def of(cls, params: ExtractionParams) -> Growth:
        """Take what kernels need from the parameters of an extraction."""
        return cls(params.least_count, params.least_support, highest_order(params), params.acceptance)

    @classmethod
    def for_evidence(cls, params: ExtractionParams) -> Growth:
        """Return the growth that tests all contexts for evidence, whatever the criterion; it uses unchanged counts."""
        return cls(1, params.least_support, highest_order(params), params.evidence_test)


NO_LIMIT = -1


def highest_order(params: ExtractionParams) -> int:
    """Return the highest order to be considered, or NO_LIMIT."""
    return NO_LIMIT if params.max_order is None else params.max_order


RULE_COLUMNS = (np.int32, np.int32, np.float64, np.bool_, np.int32)
ROW_COLUMNS = (np.int32, np.int64)
OPEN_COLUMNS = (np.int32, np.int32, np.int64, np.int32)
NO_WINDOW = 0


def empty(*kinds: type[np.generic]) -> list[NDArray[Any]]:
    """Return a column of each type, without rows."""
    return [np.empty(0, kind) for kind in kinds]


NO_SEEDS = kernels.Seeds(*empty(np.int32, np.int32, np.int64, np.int64, np.int64, np.int32, np.int64, np.bool_))


class Grown(NamedTuple):
    """What was found in some buckets.

    `rules`: the columns of kernels.Found; `opens`: those of kernels.Opens; `tested`: how many contexts of each bucket
    were scored.
    """

    rules: list[NDArray[Any]]
    opens: list[NDArray[Any]]
    tested: NDArray[np.int64]

    @property
    def n_tested(self) -> int:
        """How many contexts were scored."""
        return int(self.tested.sum())


def grow_buckets(
    layout: Layout,
    first: int,
    last: int,
    growth: Growth,
    seeds: kernels.Seeds = NO_SEEDS,
    window: int = NO_WINDOW,
) -> Grown:
    """Find the accepted contexts of a range of buckets, and those as long as the window that might still grow."""
    grow = kernels.for_criterion(type(growth.criterion)).grow_buckets
    limits = kernels.GrowthLimits(growth.least_count, growth.least_support, growth.max_order, window)
    criterion = growth.criterion.numbers, growth.criterion.table
    largest = layout.largest_bucket(first, last)
    most_groups = min(largest, layout.n_nodes + 1)
    scratch = new_scratch(layout.n_nodes, largest)
    state = np.zeros(kernels.STATE_COLUMNS, np.int64)
    state[kernels.NEXT_BUCKET] = first
    frames = np.empty(0, np.int64)
    tested = np.zeros(last - first, np.int64)
    known, rules, rows = empty(*ROW_COLUMNS), empty(*RULE_COLUMNS), empty(*ROW_COLUMNS)
    opens, open_rows = empty(*OPEN_COLUMNS), empty(*ROW_COLUMNS)
    done = False
    while not done:
        n_frames, known_used = state[kernels.N_FRAMES], state[kernels.KNOWN_USED]
        frames = with_room(frames, n_frames * kernels.FRAME_COLUMNS, (most_groups + 1) * kernels.FRAME_COLUMNS)
        known = [with_room(buffer, known_used, largest) for buffer in known]
        rules = [with_room(buffer, state[kernels.N_RULES], most_groups) for buffer in rules]
        rows = [with_room(buffer, state[kernels.N_ROWS], largest) for buffer in rows]
        if window != NO_WINDOW:
            opens = [with_room(buffer, state[kernels.N_OPEN], most_groups) for buffer in opens]
            open_rows = [with_room(buffer, state[kernels.N_OPEN_ROWS], largest) for buffer in open_rows]
        done = grow(
            state,
            last,
            layout.positions,
            limits,
            *criterion,
            seeds,
            kernels.Opens(*opens, *open_rows),
            scratch,
            frames,
            kernels.Known(*known),
            kernels.Found(*rules, *rows),
            tested,
        )
    return Grown(
        filled(state, (rules, kernels.N_RULES), (rows, kernels.N_ROWS)),
        filled(state, (opens, kernels.N_OPEN), (open_rows, kernels.N_OPEN_ROWS)),
        tested,
    )


def filled(state: NDArray[np.int64], *groups: tuple[list[NDArray[Any]], int]) -> list[NDArray[Any]]:
    """Copy what a kernel wrote into groups of buffers; each group comes with the place of its length in the state."""
    return [buffer[: state[used]].copy() for buffers, used in groups for buffer in buffers]


def count_contexts(
    layout: Layout,
    positions: NDArray[np.int32],
    orders: NDArray[np.int32],
    references: NDArray[np.int64],
    compared: kernels.References,
    growth: Growth,
) -> list[NDArray[Any]]:
    """Count the successors of contexts that are grouped by newest node, and score the contexts.

    `references` are rows of `compared`. Returns per context its score and number of rows; per row target and count.
    """
    count = kernels.for_criterion(type(growth.criterion)).count_contexts
    newest = layout.trail[positions]
    largest = layout.largest_bucket(int(newest[0]), int(newest[-1]) + 1)
    scratch = new_scratch(layout.n_nodes, largest)
    lows, highs = np.empty((2, int(orders.max()) + 1), np.int64)
    scores, rule_rows = np.empty(len(positions)), np.empty(len(positions), np.int32)
    rows = empty(*ROW_COLUMNS)
    done, n_rows = 0, 0
    while done < len(positions):
        rows = [with_room(buffer, n_rows, largest) for buffer in rows]
        done, n_rows = count(
            done,
            n_rows,
            positions,
            orders,
            references,
            compared,
            layout.positions,
            growth.criterion.numbers,
            growth.criterion.table,
            growth.least_count,
            scratch,
            (lows, highs),
            kernels.CountBuffers(scores, rule_rows, *rows),
        )
    return [scores, rule_rows, *(buffer[:n_rows].copy() for buffer in rows)]


def new_scratch(n_nodes: int, largest: int) -> kernels.Scratch:
    """Allocate working memory for buckets of at most `largest` entries."""
    return kernels.Scratch(
        older=np.empty(largest, np.int32),
        moved=np.empty(largest, np.int64),
        group_ends=np.zeros(n_nodes + 1, np.int64),
        groups=np.empty(n_nodes + 1, np.int32),
        target_counts=np.zeros(n_nodes, np.int64),
        touched=np.empty(n_nodes, np.int32),
        compared_counts=np.zeros(n_nodes, np.int64),
        compared_targets=np.empty(n_nodes, np.int32),
        observed_counts=np.zeros(n_nodes, np.int64),
        observed_targets=np.empty(n_nodes, np.int32),
    )


def with_room(buffer: NDArray[Any], used: int, needed: int) -> NDArray[Any]:
    """Return the buffer, or a longer copy of it, with room for `needed` more values than are used."""
    if used + needed <= len(buffer):
        return buffer
    longer = np.empty(2 * (used + needed), buffer.dtype)
    longer[:used] = buffer[:used]
    return longer
