"""Tables with one sequence per row, in a column of lists."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from honem.errors import InputError
from honem.io.paths.building import Labelled, Parsed
from honem.io.paths.cleaning import Batch
from honem.io.paths.columns import encode, is_missing, to_weights
from honem.io.paths.options import JsonLayout
from honem.io.paths.written_times import Locate


def read_lists(table: Any, layout: JsonLayout, place: Locate) -> Parsed:
    """Return one sequence per row."""
    column = table[layout.field]
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise InputError(f"{place(0)}: column {layout.field!r} holds {column.type}, not lists of nodes")
    _require_all(column, layout.field, place)
    lengths = pc.list_value_length(column).to_numpy().astype(np.int64)
    nodes = pc.list_flatten(column)
    lacking = np.flatnonzero(is_missing(nodes))
    if len(lacking):
        row = int(np.searchsorted(np.cumsum(lengths), lacking[0], side="right"))
        raise InputError(f"{place(row)}: a node in column {layout.field!r} is missing")
    weights = None
    if layout.weight is not None:
        _require_all(table[layout.weight], layout.weight, place)
        weights = to_weights(table[layout.weight], layout.weight, place)
    tokens, labels = encode(nodes, str(layout.field))
    return Labelled(labels, Batch(tokens, lengths, weights), place(0) if len(lengths) else ""), Counter(
        rows=len(lengths)
    )


def _require_all(column: Any, name: str | None, place: Locate) -> None:
    lacking = np.flatnonzero(is_missing(column))
    if len(lacking):
        raise InputError(f"{place(int(lacking[0]))} has no value in column {name!r}")
