"""Event tables, with one row per visit: entity, node and time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from honem._internal.option_names import option
from honem.corpus import number_by_appearance
from honem.errors import InputError
from honem.io.paths.building import Labelled, Parsed
from honem.io.paths.cleaning import Batch
from honem.io.paths.columns import encode, is_missing, to_numbers, to_times, to_weights
from honem.io.paths.options import EventLayout
from honem.io.paths.times import Times
from honem.io.paths.written_times import Locate, Writing


def read_events(table: Any, layout: EventLayout, place: Locate) -> Parsed:
    """Return one sequence per entity, in order of first appearance, with its visits sorted by time."""
    counts = Counter(rows=table.num_rows)
    table, place = _without_missing(table, layout, place, counts)
    entities, names = encode(table[layout.entity], layout.entity)
    times = None if layout.time is None else to_times(table[layout.time], layout.time, place, Writing.of(layout))
    nodes, labels = encode(table[layout.node], layout.node) if layout.node is not None else _cells(table, layout, place)
    order = _visiting_order(entities, times)
    tokens = np.ascontiguousarray(nodes[order], np.int32)
    batch = Batch(
        tokens,
        np.bincount(entities, minlength=len(names)),
        _weights(table, layout, entities, names, place),
        None if times is None else times.select(order),
        np.arange(len(names), dtype=np.int32),
    )
    # Rows are not in the order of the sequences, so names are numbered again by first appearance in those.
    return Labelled(number_by_appearance(tokens, tuple(labels)), batch, place(0) if len(tokens) else ""), counts


def _visiting_order(entities: NDArray[np.int32], times: Times | None) -> NDArray[np.int64]:
    """Sort rows by entity, then by time; both sorts are stable, so equal times keep the order of the file."""
    if times is None:
        return np.argsort(entities, kind="stable")
    return np.lexsort((times.values, entities))


def _without_missing(table: Any, layout: EventLayout, place: Locate, counts: Counter[str]) -> tuple[Any, Locate]:
    missing = {name: is_missing(table[name]) for name in layout.columns}
    lacking = np.logical_or.reduce(list(missing.values()))
    if not lacking.any():
        return table, place
    if layout.missing == "error":
        row = int(np.argmax(lacking))
        column = next(name for name, where in missing.items() if where[row])
        raise InputError(
            f"{place(row)} has no value in column {column!r}; complete it, or leave out such rows with "
            f"{option('missing', 'skip')} (there are {np.count_nonzero(lacking)})"
        )
    counts["rows_skipped"] = int(np.count_nonzero(lacking))
    rows = np.flatnonzero(~lacking)
    # Not `take`, which cannot join the dictionaries of chunks.
    return table.filter(pa.array(~lacking)), lambda row: place(int(rows[row]) if len(rows) else row)


def _cells(table: Any, layout: EventLayout, place: Locate) -> tuple[NDArray[Any], list[str]]:
    """Return the cell of each visit, and the names of the cells."""
    longitudes = _positions(table, layout.lon, -180, 360, place)
    latitudes = _positions(table, layout.lat, -90, 90, place)
    return layout.cells.cells(longitudes, latitudes)


def _positions(table: Any, name: str | None, least: float, most: float, place: Locate) -> NDArray[np.float64]:
    """Return one column of degrees."""
    values = to_numbers(table[name], str(name), place)
    wrong = np.flatnonzero((values < least) | (values > most))
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{place(row)}: {name} is {values[row]}, not between {least} and {most} degrees; are lon and lat swapped?"
        )
    return values


def _weights(
    table: Any, layout: EventLayout, entities: NDArray[np.int32], names: list[Any], place: Locate
) -> NDArray[np.int64] | None:
    """Return the weight of each entity, which must be the same on all its rows."""
    if layout.weight is None:
        return None
    by_row = to_weights(table[layout.weight], layout.weight, place)
    weights = np.zeros(len(names), np.int64)
    weights[entities[::-1]] = by_row[::-1]
    other = np.flatnonzero(weights[entities] != by_row)
    if len(other):
        row = int(other[0])
        raise InputError(
            f"{place(row)}: {names[entities[row]]!r:.60} has weight {by_row[row]} here and "
            f"{weights[entities[row]]} in an earlier row; the weight must be the same on all rows of an entity"
        )
    return weights
