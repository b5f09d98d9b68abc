"""The inner loops of the context trie: growing it level by level, and finding histories in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from honem._internal.compilation import compiled, inlined

SMALL = 24
"""Groups of up to this many steps are sorted by insertion, which needs no table of all symbols."""


@inlined
def _sort_small(low: int, high: int, older: Any, ends: Any, rows: Any) -> None:
    """Sort the steps of a small group by their older symbol, keeping the order of equal ones."""
    for i in range(low + 1, high):
        symbol, end, row = older[i], ends[i], rows[i]
        j = i
        while j > low and older[j - 1] > symbol:
            older[j], ends[j], rows[j] = older[j - 1], ends[j - 1], rows[j - 1]
            j -= 1
        older[j], ends[j], rows[j] = symbol, end, row


@inlined
def _sort_large(low: int, high: int, older: Any, ends: Any, rows: Any, scratch: Any, tally: Any, touched: Any) -> None:
    """Sort the steps of a large group by their older symbol, keeping the order of equal ones, by counting."""
    n_touched = 0
    for i in range(low, high):
        if tally[older[i]] == 0:
            touched[n_touched] = older[i]
            n_touched += 1
        tally[older[i]] += 1
    start = 0
    for symbol in np.sort(touched[:n_touched]):
        start, tally[symbol] = start + tally[symbol], start
    for i in range(low, high):
        place = tally[older[i]]
        tally[older[i]] += 1
        scratch[0, place], scratch[1, place], scratch[2, place] = older[i], ends[i], rows[i]
    for i in range(low, high):
        older[i], ends[i], rows[i] = scratch[0, i - low], scratch[1, i - low], scratch[2, i - low]
    tally[touched[:n_touched]] = 0


@compiled
def steps_by_target(padded: Any, start: int) -> Any:
    """Return where the steps of padded sequences end, sorted by target; the first node of a sequence ends no step."""
    counts = np.zeros(start + 1, np.int64)
    for end in range(2, len(padded)):
        if padded[end] != start and padded[end - 1] != start:
            counts[padded[end] + 1] += 1
    places = np.cumsum(counts)
    ends = np.empty(places[-1], np.int32)
    for end in range(2, len(padded)):
        if padded[end] != start and padded[end - 1] != start:
            ends[places[padded[end]]] = end
            places[padded[end]] += 1
    return ends


@compiled
def grow_level(
    padded: Any, weights: Any, held: Any, targets: Any, start: int, order: int, bounds: Any, ends: Any, rows: Any
) -> Any:
    """Extend each open context by one older symbol.

    Parameters
    ----------
    padded : array
        All sequences, with the symbol `start` before each.
    weights : array
        How often the step that ends at each position of `padded` counts.
    held : array
        How many of these are held out.
    targets : array
        Targets of the rows of the level above.
    start : int
        The symbol of the start of a sequence, which is larger than all nodes.
    order : int
        Order of the new contexts.
    bounds : array
        The steps of the g-th open context are bounds[g]:bounds[g + 1].
    ends, rows : array
        Position in `padded` of the target of each step, and its row in the level above. Within a context steps are
        sorted by target. Both are overwritten, and what is returned under these names is a part of them.

    Returns
    -------
    n_children : array
        Number of extensions of each open context.
    symbols, n_rows : array
        Oldest symbol and number of targets of each new context.
    row_targets, row_parents, row_counts, row_held : array
        Target, row in the level above, summed weight, and the part of it that is held out, of each new row.
    is_open, new_bounds, ends, rows
        Which new contexts can be extended further, and their steps.
    """
    n_steps = len(ends)
    older = np.empty(n_steps, np.int32)
    for i in range(n_steps):
        older[i] = padded[ends[i] - order]
    largest = 0
    for group in range(len(bounds) - 1):
        largest = max(largest, bounds[group + 1] - bounds[group])
    scratch, n_symbols = np.empty((3, largest), np.int32), start + 1 if largest > SMALL else 0
    tally, touched = np.zeros(n_symbols, np.int32), np.empty(n_symbols, np.int32)
    n_children = np.zeros(len(bounds) - 1, np.int32)
    symbols, n_rows = np.empty(n_steps, np.int32), np.empty(n_steps, np.int32)
    is_open = np.empty(n_steps, np.bool_)
    row_targets, row_parents = np.empty(n_steps, np.int32), np.empty(n_steps, np.int32)
    row_counts, row_held = np.empty(n_steps, np.int64), np.empty(n_steps, np.int64)
    new_bounds = np.zeros(n_steps + 1, np.int64)
    child, row, kept, n_open = 0, 0, 0, 0
    for group in range(len(bounds) - 1):
        low, high = bounds[group], bounds[group + 1]
        if high - low <= SMALL:
            _sort_small(low, high, older, ends, rows)
        else:
            _sort_large(low, high, older, ends, rows, scratch, tally, touched)
        i = low
        while i < high:
            symbol, total, begin, first = older[i], 0, i, row
            while i < high and older[i] == symbol:
                parent, count, out = rows[i], 0, 0
                while i < high and older[i] == symbol and rows[i] == parent:
                    count += weights[ends[i]]
                    out += held[ends[i]]
                    rows[i] = row
                    i += 1
                row_targets[row], row_parents[row], row_counts[row] = targets[parent], parent, count
                row_held[row] = out
                row += 1
                total += count
            symbols[child], n_rows[child] = symbol, row - first
            is_open[child] = total > 1 and symbol != start
            if is_open[child]:
                for j in range(begin, i):
                    ends[kept], rows[kept] = ends[j], rows[j]
                    kept += 1
                n_open += 1
                new_bounds[n_open] = kept
            child += 1
            n_children[group] += 1
    return (
        n_children,
        symbols[:child].copy(),
        n_rows[:child].copy(),
        row_targets[:row].copy(),
        row_parents[:row].copy(),
        row_counts[:row].copy(),
        row_held[:row].copy(),
        is_open[:child].copy(),
        new_bounds[: n_open + 1].copy(),
        ends[:kept],
        rows[:kept],
    )


@compiled
def find_row_parents(parents: Any, row_offsets: Any, targets: Any) -> Any:
    """Return, for each row, the row of the same target in the parent of its context, or -1."""
    found = np.full(len(targets), -1, np.int32)
    for context in range(1, len(parents)):
        low, high = row_offsets[parents[context]], row_offsets[parents[context] + 1]
        for row in range(row_offsets[context], row_offsets[context + 1]):
            found[row] = low + np.searchsorted(targets[low:high], targets[row])
    return found


@compiled
def find_contexts(
    symbols: Any, child_offsets: Any, start: int, nodes: Any, ends: Any, lengths: Any, begins: Any
) -> Any:
    """Return the longest context that is a suffix of each history; the start is the oldest symbol of a history."""
    found = np.zeros(len(ends), np.int32)
    for history in range(len(ends)):
        context = 0
        for back in range(1, lengths[history] + 2):
            if back > lengths[history]:
                if not begins[history] or back == 1:
                    break
                symbol = start
            else:
                symbol = nodes[ends[history] - back]
            low, high = child_offsets[context], child_offsets[context + 1]
            child = low + np.searchsorted(symbols[low:high], symbol)
            if child == high or symbols[child] != symbol:
                break
            context = child
        found[history] = context
    return found


@compiled
def hash_sequences(tokens: Any, offsets: Any) -> Any:
    """Return a 64-bit hash of the nodes of each sequence (FNV-1a on whole nodes, then the finalizer of splitmix64)."""
    found = np.empty(len(offsets) - 1, np.uint64)
    for sequence in range(len(found)):
        value = np.uint64(14695981039346656037)
        for place in range(offsets[sequence], offsets[sequence + 1]):
            value = (value ^ np.uint64(tokens[place])) * np.uint64(1099511628211)
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found[sequence] = value ^ (value >> np.uint64(31))
    return found
