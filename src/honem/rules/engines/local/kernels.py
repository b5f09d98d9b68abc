"""The inner loops, compiled by Numba: they take arrays and give arrays, and know no labels.

Words used here: the `trail` is every sequence one after the other with -1 before, between and after them. An
`entry` is a position on the trail that has a next step, packed as `position << 32 | target`. A context c of order k
owns a segment of entries: those whose k nodes up to the position are c. Its extensions are the groups into which the
node one step older splits that segment, so a context never leaves the bucket of its newest node.

A trail may also be made of bounded `windows` of positions far apart, and a bucket may hold part of what there is
(Spark's tasks see no more). Then growth begins from `Seeds`, and what the windows cut off goes out as `Opens`.

All of it is in one file because Numba keeps compiled code by the file of the kernel alone: a change in an inlined
piece elsewhere would not be noticed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from honem._internal.compilation import compiled, inlined
from honem.rules.params import ACCEPTANCE_MARGIN

TARGET_BITS = 32
TARGET_MASK = (1 << TARGET_BITS) - 1
NO_NODE = -1
NO_REFERENCE = -1  # among the rules found so far: it is the seed's
DEEPEST_MARK = 255  # split marks are one byte; deeper segments are split again, which changes nothing

# Columns of a frame: a context whose extensions are still to be looked at.
LOW, HIGH, ORDER, REFERENCE, REFERENCE_SUPPORT, KNOWN, N_KNOWN, KNOWN_TOP = range(8)
FRAME_COLUMNS = 8

KNOWN_BY_SEED = -1

# What growing remembers between two calls.
NEXT_BUCKET, N_FRAMES, KNOWN_USED, N_RULES, N_ROWS, N_OPEN, N_OPEN_ROWS = range(7)
STATE_COLUMNS = 7


class Seeds(NamedTuple):
    """Contexts that growth begins with, one a bucket; of order 0 it is the newest node, of which nothing is known.

    Of a longer one the order of its reference is given, and the reference's support and counts of the seed's targets
    (rows `starts` to `stops`). Growing fills in whether growth ended in the bucket with the seed's reference. Without
    any seed all begin with order 0.
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
    """Room for the contexts as long as the window that might still grow: what a seed needs to be told of them."""

    positions: Any
    reference_orders: Any
    supports: Any
    n_known: Any
    targets: Any
    counts: Any


LOGARITHMS = np.log2(np.maximum(np.arange(2048, dtype=np.float64), 1))


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
    """How many positions of a stretch of the trail have each node as their newest and a next step."""
    for position in range(start, stop):
        if trail[position] != NO_NODE and trail[position + 1] != NO_NODE:
            amounts[trail[position]] += 1


@compiled
def fill_buckets(trail: Any, start: int, stop: int, cursors: Any, entries: Any) -> None:
    """Put the positions of a stretch of the trail into the buckets of their newest nodes."""
    for position in range(start, stop):
        newest, target = trail[position], trail[position + 1]
        if newest != NO_NODE and target != NO_NODE:
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
def log_2(count: int, logarithms: Any) -> Any:
    """The binary logarithm of a count; small ones are looked up."""
    if count < len(logarithms):
        return logarithms[count]
    return np.log2(np.float64(count))


@inlined
def split_segment(
    trail: Any, entries: Any, low: int, high: int, order: int, group_ends: Any, groups: Any, older: Any, moved: Any
) -> int:
    """Group a segment of order k by the node one step older, ascending; -> number of groups.

    Entries whose sequence begins here come first (group -1). `group_ends`, indexed by node + 1, must be 0 and holds
    the end of each group within the segment afterwards: the caller puts its touched places back to 0.
    """
    size = high - low
    # Gathering in a loop of its own lets the processor fetch many far places at once.
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
    """Count the next nodes of a segment; -> (number of targets, support).

    The weight of position p is `weights[p >> weight_shift]`, or 1 where there are none. Targets counted fewer than
    `least` times are left out. `target_counts` must be 0; the caller puts its touched places back to 0.
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


@compiled
def grow_buckets(
    state: Any,
    last: int,
    bucket_offsets: Any,
    trail: Any,
    entries: Any,
    split_marks: Any,
    weights: Any,
    weight_shift: int,
    logarithms: Any,
    least_target: int,
    least_support: int,
    tau: float,
    max_order: int,
    window: int,
    seeds: Any,
    opens: Any,
    older: Any,
    moved: Any,
    group_ends: Any,
    groups: Any,
    target_counts: Any,
    touched: Any,
    reference_counts: Any,
    reference_targets: Any,
    frames: Any,
    known_targets: Any,
    known_counts: Any,
    rule_positions: Any,
    rule_orders: Any,
    rule_divergences: Any,
    rule_ends: Any,
    rule_rows: Any,
    row_targets: Any,
    row_counts: Any,
) -> bool:
    """Every accepted context of the buckets from state[NEXT_BUCKET] up to `last`, depth first, by the exact early stop.

    Rules are appended to the rule_ and row_ buffers: an example position, order, divergence, whether growth ended
    with it as reference, number of targets; per row target and count. Within an order they come out in the canonical
    order. -> True when done; False when a buffer may be too short for what comes next: the caller enlarges it and
    calls again. (Growing buffers in here would cost an atomic reference count per buffer and step of every loop.)
    """
    n_frames, known_top, n_rules, n_rows = state[N_FRAMES], state[KNOWN_USED], state[N_RULES], state[N_ROWS]
    n_open, n_open_rows = state[N_OPEN], state[N_OPEN_ROWS]
    bucket = state[NEXT_BUCKET] - 1
    while n_frames > 0 or bucket + 1 < last:
        if n_frames == 0:
            bucket += 1
            # A bucket begins as the only extension of a context "of order 0"; from there on all orders are alike.
            frames[LOW], frames[HIGH] = bucket_offsets[bucket], bucket_offsets[bucket + 1]
            frames[ORDER], frames[REFERENCE], frames[REFERENCE_SUPPORT] = 0, NO_REFERENCE, 0
            frames[KNOWN], frames[N_KNOWN], frames[KNOWN_TOP] = 0, 0, 0
            if len(seeds.orders) > 0 and seeds.orders[bucket] > 0:
                frames[ORDER], frames[REFERENCE_SUPPORT] = seeds.orders[bucket], seeds.supports[bucket]
                frames[KNOWN], frames[N_KNOWN] = KNOWN_BY_SEED, seeds.stops[bucket] - seeds.starts[bucket]
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
            state[NEXT_BUCKET], state[N_FRAMES], state[KNOWN_USED] = bucket + 1, n_frames, known_top
            state[N_RULES], state[N_ROWS], state[N_OPEN], state[N_OPEN_ROWS] = n_rules, n_rows, n_open, n_open_rows
            return False
        n_frames -= 1
        reference, reference_support = frames[frame + REFERENCE], frames[frame + REFERENCE_SUPPORT]
        known, n_known = frames[frame + KNOWN], frames[frame + N_KNOWN]
        known_top = frames[frame + KNOWN_TOP]
        if known == KNOWN_BY_SEED:
            start = seeds.starts[bucket]
            for i in range(n_known):
                reference_targets[i] = seeds.targets[start + i]
                reference_counts[reference_targets[i]] = seeds.counts[start + i]
        else:
            for i in range(n_known):
                reference_targets[i] = known_targets[known + i]
                reference_counts[reference_targets[i]] = known_counts[known + i]
        n_groups = min(1, size)
        if order > 0 and size > 0:
            n_groups = split_segment(trail, entries, low, high, order, group_ends, groups, older, moved)
            if order <= DEEPEST_MARK:
                split_marks[low] = order
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
                entries, group_low, group_high, weights, weight_shift, least_target, target_counts, touched
            )
            if n_targets > 0 and (order == 0 or support >= least_support):
                some_survived = True
                log_support = np.log2(1.0 + support)
                own_least, reference_least = target_counts[touched[0]], reference_counts[touched[0]]
                divergence = 0.0
                for i in range(n_targets):
                    count, known_count = target_counts[touched[i]], reference_counts[touched[i]]
                    own_least = min(own_least, count)
                    if order > 0:
                        reference_least = min(reference_least, known_count)
                        divergence += count * (log_2(count, logarithms) - log_2(known_count, logarithms))
                if order > 0:
                    divergence = divergence / support + np.log2(reference_support / support)
                accepted = order == 0 or divergence - tau * (order + 1) / log_support > ACCEPTANCE_MARGIN
                child_reference, child_support, least = reference, reference_support, reference_least
                if accepted:
                    child_reference, child_support, least = n_rules, support, own_least
                    sort_ids(touched, n_targets)
                    rule_positions[n_rules] = entries[group_low] >> TARGET_BITS
                    rule_orders[n_rules] = order + 1
                    rule_divergences[n_rules] = max(divergence, 0.0)
                    rule_ends[n_rules] = False
                    rule_rows[n_rules] = n_targets
                    n_rules += 1
                    for i in range(n_targets):
                        row_targets[n_rows] = touched[i]
                        row_counts[n_rows] = target_counts[touched[i]]
                        n_rows += 1
                # The early stop: no extension can diverge by more than its least likely target allows.
                most_bits = np.log2(child_support / least)
                if order + 1 == max_order or most_bits <= tau * (order + 2) / log_support:
                    if child_reference == NO_REFERENCE:
                        seeds.ended[bucket] = True
                    else:
                        rule_ends[child_reference] = True
                elif order + 1 == window:
                    opens.positions[n_open] = entries[group_low] >> TARGET_BITS
                    opens.supports[n_open], opens.n_known[n_open] = child_support, n_targets
                    if child_reference == NO_REFERENCE:
                        opens.reference_orders[n_open] = seeds.reference_orders[bucket]
                    else:
                        opens.reference_orders[n_open] = rule_orders[child_reference]
                    n_open += 1
                    for i in range(n_targets):
                        target = touched[i]
                        opens.targets[n_open_rows] = target
                        opens.counts[n_open_rows] = target_counts[target] if accepted else reference_counts[target]
                        n_open_rows += 1
                else:
                    new = n_frames * FRAME_COLUMNS
                    frames[new + LOW], frames[new + HIGH], frames[new + ORDER] = group_low, group_high, order + 1
                    frames[new + REFERENCE], frames[new + REFERENCE_SUPPORT] = child_reference, child_support
                    frames[new + KNOWN], frames[new + N_KNOWN] = known_top, n_targets
                    n_frames += 1
                    for i in range(n_targets):
                        target = touched[i]
                        known_targets[known_top] = target
                        known_counts[known_top] = target_counts[target] if accepted else reference_counts[target]
                        known_top += 1
            for i in range(n_targets):
                target_counts[touched[i]] = 0
            group_low = group_high
        if not some_survived and reference == NO_REFERENCE:
            seeds.ended[bucket] = True
        elif not some_survived:
            rule_ends[reference] = True
        for i in range(n_known):
            reference_counts[reference_targets[i]] = 0
        # The first extension must be taken up first, or rules would not come out in order: turn the new frames
        # round. What they know lies below what their later siblings know, and goes when the last of them goes.
        for i in range((n_frames - frames_before) // 2):
            a, b = (frames_before + i) * FRAME_COLUMNS, (n_frames - 1 - i) * FRAME_COLUMNS
            for column in range(FRAME_COLUMNS):
                frames[a + column], frames[b + column] = frames[b + column], frames[a + column]
        for i in range(frames_before, n_frames):
            frames[i * FRAME_COLUMNS + KNOWN_TOP] = known_before if i == frames_before else known_top
    state[NEXT_BUCKET], state[N_FRAMES], state[KNOWN_USED] = bucket + 1, 0, 0
    state[N_RULES], state[N_ROWS], state[N_OPEN], state[N_OPEN_ROWS] = n_rules, n_rows, n_open, n_open_rows
    return True


@inlined
def first_entry(trail: Any, entries: Any, low: int, high: int, order: int, node: int) -> int:
    """The first entry of a split segment of order k whose node one step older is at least `node`."""
    while low < high:
        middle = (low + high) // 2
        if trail[(entries[middle] >> TARGET_BITS) - order] < node:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def first_row(targets: Any, low: int, high: int, target: int) -> Any:
    """The first of some sorted targets that is at least `target`."""
    while low < high:
        middle = (low + high) // 2
        if targets[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def count_contexts(
    start: int,
    n_rows: int,
    positions: Any,
    orders: Any,
    references: Any,
    reference_supports: Any,
    reference_offsets: Any,
    reference_targets: Any,
    reference_counts: Any,
    bucket_offsets: Any,
    trail: Any,
    entries: Any,
    split_marks: Any,
    weights: Any,
    weight_shift: int,
    logarithms: Any,
    least_target: int,
    older: Any,
    moved: Any,
    group_ends: Any,
    groups: Any,
    target_counts: Any,
    touched: Any,
    lows: Any,
    highs: Any,
    rule_divergences: Any,
    rule_rows: Any,
    row_targets: Any,
    row_counts: Any,
) -> tuple[int, int]:
    """Targets, counts and divergences of given contexts, each an example position and an order, by newest node.

    Their references are accepted contexts, whose sorted rows stand in the `reference_` columns. Growing left the
    segments it split in ascending order of the older node, so most are found by bisection; one that was never split is
    split now. -> (contexts done, rows written): fewer than all when the row buffers may be too short for the next
    one; the caller enlarges them and calls again.
    """
    known_depth = 0
    for c in range(start, len(positions)):
        position, order = positions[c], orders[c]
        # The context before mostly shares its newest nodes with this one, and so the segments found for them.
        shared = 0
        if known_depth > 0:
            before = positions[c - 1]
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
        if n_rows + highs[order] - lows[order] > len(row_targets):
            return c, n_rows
        n_targets, support = count_targets(
            entries, lows[order], highs[order], weights, weight_shift, least_target, target_counts, touched
        )
        sort_ids(touched, n_targets)
        rule_rows[c] = n_targets
        row, last_row = reference_offsets[references[c]], reference_offsets[references[c] + 1]
        divergence = 0.0
        for i in range(n_targets):
            target = touched[i]
            count = target_counts[target]
            target_counts[target] = 0
            row_targets[n_rows] = target
            row_counts[n_rows] = count
            n_rows += 1
            row = first_row(reference_targets, row, last_row, target)
            divergence += count * (log_2(count, logarithms) - log_2(reference_counts[row], logarithms))
        divergence = divergence / support + np.log2(reference_supports[references[c]] / support)
        rule_divergences[c] = max(divergence, 0.0)
    return len(positions), n_rows
