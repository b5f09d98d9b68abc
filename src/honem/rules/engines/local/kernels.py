"""The inner loops, compiled by Numba: they take arrays and return arrays, and know no labels.

Glossary. The `trail` is all sequences one after the other, with -1 before, between and after them. An `entry` is a
position on the trail that has a next step, packed as ``position << 32 | target``. A context c of order k owns a
segment of entries: those whose k nodes up to the position are c. Its extensions are the groups into which the node one
step older splits that segment, so a context never leaves the `bucket` of its newest node. A `frame` is a context whose
extensions are still to be visited.

A trail may also be made of bounded `windows` of positions far apart, and a bucket may hold part of the positions of a
node, as in the tasks of a distributed engine. Growth then begins from `Seeds`, and contexts that windows cut off are
written to `Opens`.

`score`, `is_tested`, `passes`, `can_extend` and `COMPARES_WITH_PARENT` belong to the acceptance criterion.
`for_criterion` compiles the kernels that use them, once for each criterion.

Everything is in one file because Numba's cache notices changes of the file of the kernel alone: a change of an inlined
function elsewhere would go unnoticed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from honem._internal.compilation import compiled, inlined, linked, source_digest, with_names
from honem.rules.criteria import Criterion

TARGET_BITS = 32
TARGET_MASK = (1 << TARGET_BITS) - 1
NO_NODE = -1
NO_REFERENCE = -1  # the reference is not among the rules found so far: it is the seed's
DEEPEST_MARK = 255  # split marks are one byte; deeper segments are split again, which changes nothing

# Columns of a frame.
LOW, HIGH, ORDER, REFERENCE, REFERENCE_SUPPORT, KNOWN, N_KNOWN, KNOWN_TOP = range(8)
FRAME_COLUMNS = 8

KNOWN_BY_SEED = -1

# What growing remembers between two calls.
NEXT_BUCKET, N_FRAMES, KNOWN_USED, N_RULES, N_ROWS, N_OPEN, N_OPEN_ROWS = range(7)
STATE_COLUMNS = 7

# Replaced by the functions of a criterion in the kernels that `for_criterion` compiles.
score: Any = None
is_tested: Any = None
passes: Any = None
can_extend: Any = None
COMPARES_WITH_PARENT = False


class Positions(NamedTuple):
    """The corpus as kernels read it; they reorder the entries within each bucket.

    `split_marks[low]` is the order up to which the segments that begin at `low` have been split. The weight of position
    p is ``weights[p >> weight_shift]``, or 1 if there are no weights. ``sequences[p >> weight_shift]`` is the number of
    its sequence; without these numbers, every occurrence is an observation of its own. In a bucket, positions of one
    sequence come one after the other.
    """

    bucket_offsets: Any
    trail: Any
    entries: Any
    split_marks: Any
    weights: Any
    weight_shift: Any
    sequences: Any


class GrowthLimits(NamedTuple):
    """Limits of growth: least count of a transition, least support of a context, highest order, width of windows."""

    least_count: Any
    least_support: Any
    max_order: Any
    window: Any


class Seeds(NamedTuple):
    """Contexts that growth begins with, one per bucket; order 0 means the newest node, with nothing known about it.

    For a longer one, rows `starts` to `stops` hold the counts that its extensions are compared with, and `supports`
    their sum; `reference_orders` is the order of its reference. Growing sets `ended` where growth ended in the bucket
    with the seed's reference. Without any seeds, all buckets begin with order 0.
    """

    orders: Any
    reference_orders: Any
    supports: Any
    starts: Any
    stops: Any
    targets: Any
    counts: Any
    ended: Any


class Opens(NamedTuple):
    """Buffers for contexts as long as the window that might still grow, with what a seed needs to know of them."""

    positions: Any
    reference_orders: Any
    supports: Any
    n_known: Any
    targets: Any
    counts: Any


class Found(NamedTuple):
    """Buffers for accepted contexts.

    Per context: an example position, order, score, whether growth ended with it as reference, and number of rows; per
    row: target and count.
    """

    positions: Any
    orders: Any
    scores: Any
    ends: Any
    n_rows: Any
    targets: Any
    counts: Any


class Known(NamedTuple):
    """A stack of the counts that the extensions of frames are compared with."""

    targets: Any
    counts: Any


class Scratch(NamedTuple):
    """Working memory: for splitting a segment, for counting successors, and for the counts compared with.

    `observed_counts` and `observed_targets` are those of observations, where they are not occurrences.
    """

    older: Any
    moved: Any
    group_ends: Any
    groups: Any
    target_counts: Any
    touched: Any
    compared_counts: Any
    compared_targets: Any
    observed_counts: Any
    observed_targets: Any


@compiled
def lay_trail(tokens: Any, offsets: Any, trail: Any) -> None:
    """Write the sequences into the trail, each followed by -1."""
    write = 1
    trail[0] = NO_NODE
    for sequence in range(len(offsets) - 1):
        for read in range(offsets[sequence], offsets[sequence + 1]):
            trail[write] = tokens[read]
            write += 1
        trail[write] = NO_NODE
        write += 1


@compiled
def count_newest(trail: Any, start: int, stop: int, amounts: Any) -> None:
    """Count, per node, the positions of a stretch of the trail that have it as newest node and have a next step."""
    for position in range(start, stop):
        if trail[position] != NO_NODE and trail[position + 1] != NO_NODE:
            amounts[trail[position]] += 1


@compiled
def fill_buckets(trail: Any, start: int, stop: int, cursors: Any, entries: Any) -> None:
    """Put the positions of a stretch of the trail into the buckets of their newest nodes, unless their cursor is -1."""
    for position in range(start, stop):
        newest, target = trail[position], trail[position + 1]
        if newest != NO_NODE and target != NO_NODE and cursors[newest] >= 0:
            entries[cursors[newest]] = np.int64(position) << TARGET_BITS | np.int64(target)
            cursors[newest] += 1


@inlined
def sort_ids(values: Any, amount: int) -> None:
    """Sort the first values in place; most lists here have a handful."""
    if amount > 64:
        values[:amount].sort()
        return
    for i in range(1, amount):
        value = values[i]
        j = i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


@inlined
def split_segment(
    trail: Any, entries: Any, low: int, high: int, order: int, group_ends: Any, groups: Any, older: Any, moved: Any
) -> int:
    """Group a segment of order k by the node one step older, ascending, and return the number of groups.

    Entries whose sequence begins here come first (group -1). `group_ends`, indexed by node + 1, must be 0 and holds
    the end of each group within the segment afterwards: the caller resets the places it used to 0.
    """
    size = high - low
    # Gathering in a loop of its own lets the processor fetch many distant places at once.
    for i in range(size):
        older[i] = trail[(entries[low + i] >> TARGET_BITS) - order]
    n_groups = 0
    for i in range(size):
        place = older[i] + 1
        if group_ends[place] == 0:
            groups[n_groups] = older[i]
            n_groups += 1
        group_ends[place] += 1
    sort_ids(groups, n_groups)
    start = 0
    for g in range(n_groups):
        place = groups[g] + 1
        amount = group_ends[place]
        group_ends[place] = start
        start += amount
    for i in range(size):
        place = older[i] + 1
        moved[group_ends[place]] = entries[low + i]
        group_ends[place] += 1
    if n_groups > 1:
        for i in range(size):
            entries[low + i] = moved[i]
    return n_groups


@inlined
def count_targets(
    entries: Any,
    low: int,
    high: int,
    weights: Any,
    weight_shift: int,
    least: int,
    target_counts: Any,
    touched: Any,
) -> tuple[int, int]:
    """Count the successors of a segment and return (number of successors, support).

    Successors counted fewer than `least` times are left out. `target_counts` must be 0; the caller resets the places
    listed in `touched` to 0.
    """
    n_touched = 0
    weighted = len(weights) > 0
    to_weight = TARGET_BITS + weight_shift
    for i in range(low, high):
        target = entries[i] & TARGET_MASK
        if target_counts[target] == 0:
            touched[n_touched] = target
            n_touched += 1
        target_counts[target] += weights[entries[i] >> to_weight] if weighted else 1
    support = 0
    n_kept = 0
    for i in range(n_touched):
        target = touched[i]
        if target_counts[target] < least:
            target_counts[target] = 0
        else:
            support += target_counts[target]
            touched[n_kept] = target
            n_kept += 1
    return n_kept, support


@inlined
def count_observations(
    trail: Any,
    entries: Any,
    low: int,
    high: int,
    order: int,
    weights: Any,
    weight_shift: int,
    sequences: Any,
    ordered: Any,
    observed_counts: Any,
    touched: Any,
) -> tuple[int, int]:
    """Count what follows the first occurrence, in each sequence, of every extension of a split segment of order k.

    Returns (number of successors, their sum). `observed_counts` must be 0; the caller resets the places listed in
    `touched` to 0. `ordered` is working memory.
    """
    n_touched, total = 0, 0
    weighted = len(weights) > 0
    start = low
    while start < high:
        older = trail[(entries[start] >> TARGET_BITS) - order]
        stop = start
        while stop < high and trail[(entries[stop] >> TARGET_BITS) - order] == older:
            ordered[stop - start] = entries[stop]
            stop += 1
        # By position, entries of one sequence are next to each other; deeper splits have changed the order.
        ordered[: stop - start].sort()
        sequence = -1
        for i in range(stop - start):
            place = (ordered[i] >> TARGET_BITS) >> weight_shift
            if i > 0 and sequences[place] == sequence:
                continue
            sequence = sequences[place]
            target = ordered[i] & TARGET_MASK
            if observed_counts[target] == 0:
                touched[n_touched] = target
                n_touched += 1
            amount = weights[place] if weighted else 1
            observed_counts[target] += amount
            total += amount
        start = stop
    return n_touched, total


@inlined
def count_parent(
    trail: Any,
    entries: Any,
    low: int,
    high: int,
    order: int,
    weights: Any,
    weight_shift: int,
    sequences: Any,
    ordered: Any,
    compared_counts: Any,
    compared_targets: Any,
) -> Any:
    """Count the observations that extensions of a split segment are compared with: entries that have an older node."""
    if len(sequences) > 0:
        return count_observations(
            trail,
            entries,
            low,
            high,
            order,
            weights,
            weight_shift,
            sequences,
            ordered,
            compared_counts,
            compared_targets,
        )
    return count_targets(entries, low, high, weights, weight_shift, 1, compared_counts, compared_targets)


@inlined
def copy_counts(targets: Any, amount: int, counts: Any, into_targets: Any, into_counts: Any, start: int) -> int:
    """Append targets and their counts, which are indexed by node, to a buffer; return its new length."""
    for i in range(amount):
        into_targets[start + i] = targets[i]
        into_counts[start + i] = counts[targets[i]]
    return start + amount


@inlined
def begin_bucket(frames: Any, bucket_offsets: Any, bucket: int, seeds: Any) -> None:
    """Write the first frame of a bucket: the only extension of a context "of order 0", or a seed."""
    frames[LOW], frames[HIGH] = bucket_offsets[bucket], bucket_offsets[bucket + 1]
    frames[ORDER], frames[REFERENCE], frames[REFERENCE_SUPPORT] = 0, NO_REFERENCE, 0
    frames[KNOWN], frames[N_KNOWN], frames[KNOWN_TOP] = 0, 0, 0
    if len(seeds.orders) > 0 and seeds.orders[bucket] > 0:
        frames[ORDER], frames[REFERENCE_SUPPORT] = seeds.orders[bucket], seeds.supports[bucket]
        frames[KNOWN], frames[N_KNOWN] = KNOWN_BY_SEED, seeds.stops[bucket] - seeds.starts[bucket]


@inlined
def load_counts(start: int, amount: int, targets: Any, counts: Any, into_counts: Any, into_targets: Any) -> None:
    """Spread stored counts over an array indexed by node."""
    for i in range(amount):
        into_targets[i] = targets[start + i]
        into_counts[into_targets[i]] = counts[start + i]


@inlined
def append_rule(
    positions: Any,
    orders: Any,
    scores: Any,
    ends: Any,
    rows: Any,
    n_rules: int,
    position: int,
    order: int,
    value: float,
    n_targets: int,
) -> None:
    """Write an accepted context, but for its rows, into the buffers of `Found`."""
    positions[n_rules] = position
    orders[n_rules] = order
    scores[n_rules] = value
    ends[n_rules] = False
    rows[n_rules] = n_targets


@inlined
def push_frame(
    frames: Any, n_frames: int, low: int, high: int, order: int, reference: int, support: int, known: int, n_known: int
) -> None:
    """Write a frame; `known` says where the counts begin that its extensions are compared with."""
    new = n_frames * FRAME_COLUMNS
    frames[new + LOW], frames[new + HIGH], frames[new + ORDER] = low, high, order
    frames[new + REFERENCE], frames[new + REFERENCE_SUPPORT] = reference, support
    frames[new + KNOWN], frames[new + N_KNOWN] = known, n_known


@inlined
def order_new_frames(frames: Any, first: int, last: int, known_before: int, known_top: int) -> None:
    """Reverse the frames that a context pushed, so that its first extension is visited first and rules come out sorted.

    The known counts of a frame lie below those of its later siblings, and are freed with the last of them.
    """
    for i in range((last - first) // 2):
        a, b = (first + i) * FRAME_COLUMNS, (last - 1 - i) * FRAME_COLUMNS
        for column in range(FRAME_COLUMNS):
            frames[a + column], frames[b + column] = frames[b + column], frames[a + column]
    for i in range(first, last):
        frames[i * FRAME_COLUMNS + KNOWN_TOP] = known_before if i == first else known_top


@inlined
def mark_end(rule_ends: Any, seed_ends: Any, reference: int, bucket: int) -> None:
    """Note that growth ended at a context with this reference."""
    if reference == NO_REFERENCE:
        seed_ends[bucket] = True
    else:
        rule_ends[reference] = True


def judge_context(
    numbers: Any,
    table: Any,
    order: int,
    support: int,
    compared_support: int,
    n_targets: int,
    targets: Any,
    counts: Any,
    compared: Any,
) -> tuple[float, bool, int]:
    """Test a context with the criterion and return (score, whether it passes, number of tests: 0 or 1)."""
    if not is_tested(numbers, table, order, support, compared_support, n_targets, targets, counts, compared):
        return 0.0, False, 0
    value = score(numbers, table, order, support, compared_support, n_targets, targets, counts, compared)
    if not passes(numbers, table, value, order, support):
        return value, False, 1
    if COMPARES_WITH_PARENT:
        # Again in the order of ids, so that rounding does not depend on the order of the entries.
        sort_ids(targets, n_targets)
        value = score(numbers, table, order, support, compared_support, n_targets, targets, counts, compared)
    return value, True, 1


def grow_buckets(
    state: Any,
    last: int,
    positions: Any,
    limits: Any,
    numbers: Any,
    table: Any,
    seeds: Any,
    opens: Any,
    scratch: Any,
    frames: Any,
    known: Any,
    found: Any,
    tested: Any,
) -> bool:
    """Find every accepted context of the buckets from state[NEXT_BUCKET] up to `last`, depth first.

    Contexts are appended to `found`, within an order in the canonical order. Returns True when done, and False when a
    buffer may be too short for what comes next: the caller enlarges it and calls again. (Enlarging buffers in here
    would cost an atomic reference count per buffer and step of every loop.) `numbers` and `table` are those of the
    criterion. The number of tested contexts of each bucket is added to `tested`, which ends with bucket `last` - 1.
    """
    bucket_offsets, trail, entries, split_marks, weights, weight_shift, sequences = positions
    least_count, least_support, max_order, window = limits
    older, moved, group_ends, groups, target_counts, touched, compared_counts, compared_targets, _, _ = scratch
    by_sequence = COMPARES_WITH_PARENT and len(sequences) > 0
    observed_counts = scratch.observed_counts if by_sequence else target_counts
    observed_targets = scratch.observed_targets if by_sequence else touched
    rule_positions, rule_orders, rule_scores, rule_ends, rule_rows, row_targets, row_counts = found
    known_targets, known_counts = known
    n_frames, known_top, n_rules, n_rows = state[N_FRAMES], state[KNOWN_USED], state[N_RULES], state[N_ROWS]
    n_open, n_open_rows = state[N_OPEN], state[N_OPEN_ROWS]
    bucket = state[NEXT_BUCKET] - 1
    first_tested = last - len(tested)
    done = True
    while n_frames > 0 or bucket + 1 < last:
        if n_frames == 0:
            bucket += 1
            begin_bucket(frames, bucket_offsets, bucket, seeds)
            n_frames = 1
        frame = (n_frames - 1) * FRAME_COLUMNS
        low, high, order = frames[frame + LOW], frames[frame + HIGH], frames[frame + ORDER]
        size = high - low
        most_groups = min(size, len(groups))
        if (
            n_rules + most_groups > len(rule_positions)
            or n_rows + size > len(row_targets)
            or frames[frame + KNOWN_TOP] + size > len(known_targets)
            or (n_frames + most_groups) * FRAME_COLUMNS > len(frames)
            or (order + 1 == window and n_open + most_groups > len(opens.positions))
            or (order + 1 == window and n_open_rows + size > len(opens.targets))
        ):
            done = False
            break
        n_frames -= 1
        reference, compared_support = frames[frame + REFERENCE], frames[frame + REFERENCE_SUPPORT]
        first_known, n_compared = frames[frame + KNOWN], frames[frame + N_KNOWN]
        known_top = frames[frame + KNOWN_TOP]
        n_groups = min(1, size)
        if order > 0 and size > 0:
            n_groups = split_segment(trail, entries, low, high, order, group_ends, groups, older, moved)
            if order <= DEEPEST_MARK:
                split_marks[low] = order
        if first_known == KNOWN_BY_SEED and n_compared > 0:
            load_counts(
                seeds.starts[bucket], n_compared, seeds.targets, seeds.counts, compared_counts, compared_targets
            )
        elif not COMPARES_WITH_PARENT:
            load_counts(first_known, n_compared, known_targets, known_counts, compared_counts, compared_targets)
        elif order > 0:
            # Entries without an older node come first, and belong to no extension.
            n_compared, compared_support = count_parent(
                trail,
                entries,
                low + group_ends[NO_NODE + 1],
                high,
                order,
                weights,
                weight_shift,
                sequences,
                moved,
                compared_counts,
                compared_targets,
            )
        frames_before, known_before = n_frames, known_top
        some_survived = order == 0
        group_low = low
        for g in range(n_groups):
            group_high = high
            if order > 0:
                group_high = low + group_ends[groups[g] + 1]
                group_ends[groups[g] + 1] = 0
                too_few = len(weights) == 0 and group_high - group_low < least_support
                if groups[g] == NO_NODE or too_few:
                    group_low = group_high
                    continue
            n_targets, support = count_targets(
                entries, group_low, group_high, weights, weight_shift, least_count, target_counts, touched
            )
            if n_targets > 0 and (order == 0 or support >= least_support):
                some_survived = True
                value, accepted = 0.0, order == 0
                n_observed, n_observed_targets = support, n_targets
                if by_sequence and order > 0:
                    n_observed_targets, n_observed = count_observations(
                        trail,
                        entries,
                        group_low,
                        group_high,
                        order,
                        weights,
                        weight_shift,
                        sequences,
                        moved,
                        observed_counts,
                        observed_targets,
                    )
                if order > 0:
                    value, accepted, n_tests = judge_context(
                        numbers,
                        table,
                        order + 1,
                        n_observed,
                        compared_support,
                        n_observed_targets,
                        observed_targets,
                        observed_counts,
                        compared_counts,
                    )
                    tested[bucket - first_tested] += n_tests
                if by_sequence and order > 0:
                    for i in range(n_observed_targets):
                        observed_counts[observed_targets[i]] = 0
                if accepted:
                    append_rule(
                        rule_positions,
                        rule_orders,
                        rule_scores,
                        rule_ends,
                        rule_rows,
                        n_rules,
                        entries[group_low] >> TARGET_BITS,
                        order + 1,
                        value,
                        n_targets,
                    )
                    n_rules += 1
                    sort_ids(touched, n_targets)
                    n_rows = copy_counts(touched, n_targets, target_counts, row_targets, row_counts, n_rows)
                child_reference = n_rules - 1 if accepted else reference
                compares_with_own = accepted or COMPARES_WITH_PARENT
                child_support = support if compares_with_own else compared_support
                may_grow = order + 1 != max_order
                if may_grow and compares_with_own:
                    may_grow = can_extend(
                        numbers, table, order + 1, support, child_support, n_targets, touched, target_counts
                    )
                elif may_grow:
                    may_grow = can_extend(
                        numbers, table, order + 1, support, child_support, n_targets, touched, compared_counts
                    )
                # Extensions that are compared with their parent count it themselves.
                n_known = 0 if COMPARES_WITH_PARENT else n_targets
                if not may_grow:
                    mark_end(rule_ends, seeds.ended, child_reference, bucket)
                elif order + 1 == window:
                    opens.positions[n_open] = entries[group_low] >> TARGET_BITS
                    opens.supports[n_open], opens.n_known[n_open] = child_support, n_known
                    if child_reference == NO_REFERENCE:
                        opens.reference_orders[n_open] = seeds.reference_orders[bucket]
                    else:
                        opens.reference_orders[n_open] = rule_orders[child_reference]
                    n_open += 1
                    if accepted:
                        n_open_rows = copy_counts(
                            touched, n_known, target_counts, opens.targets, opens.counts, n_open_rows
                        )
                    else:
                        n_open_rows = copy_counts(
                            touched, n_known, compared_counts, opens.targets, opens.counts, n_open_rows
                        )
                else:
                    push_frame(
                        frames,
                        n_frames,
                        group_low,
                        group_high,
                        order + 1,
                        child_reference,
                        child_support,
                        known_top,
                        n_known,
                    )
                    n_frames += 1
                    if accepted:
                        known_top = copy_counts(touched, n_known, target_counts, known_targets, known_counts, known_top)
                    else:
                        known_top = copy_counts(
                            touched, n_known, compared_counts, known_targets, known_counts, known_top
                        )
            for i in range(n_targets):
                target_counts[touched[i]] = 0
            group_low = group_high
        if not some_survived:
            mark_end(rule_ends, seeds.ended, reference, bucket)
        for i in range(n_compared):
            compared_counts[compared_targets[i]] = 0
        order_new_frames(frames, frames_before, n_frames, known_before, known_top)
    state[NEXT_BUCKET], state[N_FRAMES], state[KNOWN_USED] = bucket + 1, n_frames, known_top
    state[N_RULES], state[N_ROWS] = n_rules, n_rows
    state[N_OPEN], state[N_OPEN_ROWS] = n_open, n_open_rows
    return done


@inlined
def first_entry(trail: Any, entries: Any, low: int, high: int, order: int, node: int) -> int:
    """Return the first entry of a split segment of order k whose node one step older is at least `node`."""
    while low < high:
        middle = (low + high) // 2
        if trail[(entries[middle] >> TARGET_BITS) - order] < node:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def first_row(targets: Any, low: int, high: int, target: int) -> Any:
    """Return the first of some sorted targets that is at least `target`."""
    while low < high:
        middle = (low + high) // 2
        if targets[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


class References(NamedTuple):
    """Sorted rows of the contexts that others are compared with: rows `offsets[r]:offsets[r + 1]` belong to r."""

    supports: Any
    offsets: Any
    targets: Any
    counts: Any


class CountBuffers(NamedTuple):
    """Buffers for given contexts: score and number of rows; per row target and count."""

    scores: Any
    n_rows: Any
    targets: Any
    counts: Any


def count_contexts(
    start: int,
    n_rows: int,
    examples: Any,
    orders: Any,
    references: Any,
    compared: Any,
    positions: Any,
    numbers: Any,
    table: Any,
    least_count: int,
    scratch: Any,
    segments: Any,
    counted: Any,
) -> tuple[int, int]:
    """Count the successors of given contexts, each an example position and an order, grouped by newest node.

    `references[c]` is the row in `compared` of the context that c is compared with, unless the criterion compares with
    the parent. Growing left the segments it split in ascending order of the older node, so most segments are found by
    bisection; one that was never split is split now. Returns (contexts done, rows written): fewer than all when the row
    buffers may be too short for the next one; the caller enlarges them and calls again.
    """
    bucket_offsets, trail, entries, split_marks, weights, weight_shift, sequences = positions
    older, moved, group_ends, groups, target_counts, touched, compared_counts, compared_targets, _, _ = scratch
    by_sequence = COMPARES_WITH_PARENT and len(sequences) > 0
    observed_counts = scratch.observed_counts if by_sequence else target_counts
    observed_targets = scratch.observed_targets if by_sequence else touched
    lows, highs = segments
    known_depth = 0
    for c in range(start, len(examples)):
        position, order = examples[c], orders[c]
        # The context before mostly shares its newest nodes with this one, and so the segments found for them.
        shared = 0
        if known_depth > 0:
            before = examples[c - 1]
            while shared < min(order, known_depth) and trail[position - shared] == trail[before - shared]:
                shared += 1
        if shared == 0:
            newest = trail[position]
            lows[1], highs[1] = bucket_offsets[newest], bucket_offsets[newest + 1]
            shared = 1
        for depth in range(shared, order):
            low, high = lows[depth], highs[depth]
            if depth > DEEPEST_MARK or split_marks[low] < depth:
                n_groups = split_segment(trail, entries, low, high, depth, group_ends, groups, older, moved)
                for g in range(n_groups):
                    group_ends[groups[g] + 1] = 0
                if depth <= DEEPEST_MARK:
                    split_marks[low] = depth
            node = trail[position - depth]
            lows[depth + 1] = first_entry(trail, entries, low, high, depth, node)
            highs[depth + 1] = first_entry(trail, entries, lows[depth + 1], high, depth, node + 1)
        known_depth = order
        low, high = lows[order], highs[order]
        if n_rows + high - low > len(counted.targets):
            return c, n_rows
        n_targets, support = count_targets(
            entries, low, high, weights, weight_shift, least_count, target_counts, touched
        )
        sort_ids(touched, n_targets)
        n_observed, n_observed_targets = support, n_targets
        if by_sequence:
            n_observed_targets, n_observed = count_observations(
                trail,
                entries,
                low,
                high,
                order - 1,
                weights,
                weight_shift,
                sequences,
                moved,
                observed_counts,
                observed_targets,
            )
            sort_ids(observed_targets, n_observed_targets)
        if COMPARES_WITH_PARENT:
            n_compared, compared_support = count_parent(
                trail,
                entries,
                first_entry(trail, entries, lows[order - 1], highs[order - 1], order - 1, 0),
                highs[order - 1],
                order - 1,
                weights,
                weight_shift,
                sequences,
                moved,
                compared_counts,
                compared_targets,
            )
        else:
            reference = references[c]
            compared_support = compared.supports[reference]
            row, last_row = compared.offsets[reference], compared.offsets[reference + 1]
            n_compared = n_targets
            for i in range(n_targets):
                row = first_row(compared.targets, row, last_row, touched[i])
                compared_targets[i] = touched[i]
                compared_counts[touched[i]] = compared.counts[row]
        value = score(
            numbers,
            table,
            order,
            n_observed,
            compared_support,
            n_observed_targets,
            observed_targets,
            observed_counts,
            compared_counts,
        )
        counted.scores[c] = value
        counted.n_rows[c] = n_targets
        n_rows = copy_counts(touched, n_targets, target_counts, counted.targets, counted.counts, n_rows)
        for i in range(n_observed_targets):
            observed_counts[observed_targets[i]] = 0
        for i in range(n_targets):
            target_counts[touched[i]] = 0
        for i in range(n_compared):
            compared_counts[compared_targets[i]] = 0
    return len(examples), n_rows


class Kernels(NamedTuple):
    """The kernels that use a criterion."""

    grow_buckets: Callable[..., bool]
    count_contexts: Callable[..., tuple[int, int]]


@cache
def for_criterion(criterion: type[Criterion]) -> Kernels:
    """Return the kernels with the functions of a criterion compiled into them."""
    form = criterion.compiled
    functions = linked(form.functions)
    names = {
        "score": functions[form.score],
        "is_tested": functions[form.is_tested],
        "passes": functions[form.passes],
        "can_extend": functions[form.can_extend],
        "COMPARES_WITH_PARENT": criterion.compared_with == "parent",
    }
    # Part of the name under which Numba caches the kernels. Numba would not notice a change of the criterion's file,
    # and cannot read what it cached for arguments of classes that are gone from this one.
    bases = [owner for owner in criterion.__mro__ if issubclass(owner, Criterion)]
    digest = source_digest(*bases, sys.modules[__name__])
    suffix = f"{criterion.name}_{digest}"
    judge = compiled(with_names(judge_context, names, suffix), inlined=True, cache=False)
    kernels = (
        with_names(kernel, {**names, "judge_context": judge}, suffix) for kernel in (grow_buckets, count_contexts)
    )
    return Kernels(*(compiled(kernel, cache=digest is not None) for kernel in kernels))
