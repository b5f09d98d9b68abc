"""Hostile paths in a store: every hash is right, and the table holds something else than paths of its nodes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.faults.changing import Change, part_path, replace_part

LISTS = pa.large_list(pa.int32())
LIMITS = (None, -1, 0, 6, 7, 2**31 - 1, -(2**31))
WEIGHTS = (None, 0, -1, 1, 2**31, 2**62, 2**63 - 1, -(2**63))
ODD_TIMES = (None, -(2**63), 2**63 - 1, 0, float("nan"), float("inf"), 1e308, 0.5)
TICKS = ("", "odd", "0", "-1", "1", "1000", "1000000000", "7", "1e3", "9" * 5000, b"\xff")


def with_paths(change_table: Callable[[Any], Any]) -> Change:
    """Change the table of paths; the small store has eight sequences of seven nodes."""

    def change(store: Path) -> None:
        table = change_table(pq.ParquetFile(part_path(store, "paths")).read())
        replace_part(store, "paths", lambda path: pq.write_table(table, path))

    return change


def with_column(name: str, values: Any, table: Any) -> Any:
    """Replace a column, or add one."""
    if name in table.column_names:
        return table.set_column(table.column_names.index(name), name, values)
    return table.append_column(name, values)


def with_number(number: int | None, place: int, table: Any) -> Any:
    """Replace one node of the first path."""
    paths = table["path"].to_pylist()
    paths[0][place] = number
    return with_column("path", pa.array(paths, LISTS), table)


def with_weight(number: int | None, only_first: bool, table: Any) -> Any:
    """Replace the weight of one sequence, or of all."""
    weights = [number] + (table["weight"].to_pylist()[1:] if only_first else [number] * (len(table) - 1))
    return with_column("weight", pa.array(weights, pa.int64()), table)


def with_times(start: float | None, end: float | None, ticks: str | bytes | None, table: Any) -> Any:
    """Add times, with the metadata that says their unit."""
    for name, time in (("start", start), ("end", end)):
        table = with_column(name, pa.array([time] * len(table)), table)
    return table.replace_schema_metadata({} if ticks is None else {"ticks": ticks})


def hostile_paths() -> dict[str, Change]:
    """Name and make changes of the paths."""
    columns: dict[str, Any] = {
        "texts": pa.array([["A", "C"]] * 8),
        "fractions": pa.array([[0.5, 1.0]] * 8),
        "fractions that are whole": pa.array([[0.0, 1.0]] * 8),
        "numbers": pa.array(range(8)),
        "lists of lists": pa.array([[[0], [1]]] * 8),
        "64-bit numbers": pa.array([[0, 1]] * 8, pa.large_list(pa.int64())),
        "numbers above 32 bits": pa.array([[2**32, 2**32 + 1]] * 8, pa.large_list(pa.int64())),
        "short lists": pa.array([[0, 1]] * 8, pa.list_(pa.int32())),
        "booleans": pa.array([[True, False]] * 8),
        "nothing": pa.nulls(8),
        "empty lists": pa.array([[]] * 8, LISTS),
        "a missing list": pa.array([None, *[[0, 1]] * 7], LISTS),
        "one node": pa.array([[0]] * 8, LISTS),
        "one long path": pa.array([[0, 1] * 5000, *[[]] * 7], LISTS),
        "bytes": pa.array([b"01"] * 8),
        "a dictionary": pa.array(["A"] * 8).dictionary_encode(),
        "lists of one size": pa.array([[0, 1]] * 8, pa.list_(pa.int32(), 2)),
    }
    found: dict[str, Callable[[Any], Any]] = {
        "no rows": lambda table: table.slice(0, 0),
        "fewer rows": lambda table: table.slice(2),
        "more rows": lambda table: pa.concat_tables([table] * 3),
        "a column twice": lambda table: table.append_column("path", table["path"]),
        "another column": lambda table: table.append_column("odd", table["weight"]),
        "no columns": lambda table: table.select([]),
        "weights as texts": partial(with_column, "weight", pa.array(["1"] * 8)),
        "weights of 0.5": partial(with_column, "weight", pa.array([0.5] * 8)),
        "weights of 8 bits": partial(with_column, "weight", pa.array([1] * 8, pa.uint8())),
        "weights of lists": partial(with_column, "weight", pa.array([[1]] * 8)),
        "start without end": partial(with_column, "start", pa.array(range(8))),
        "end before start": partial(with_times, 5, 4, "1"),
        "times as texts": lambda table: with_column("end", pa.array(["a"] * 8), with_times(1, 1, None, table)),
        "times as dates": partial(with_column, "start", pa.array(range(8), pa.timestamp("s"))),
    }
    found |= {f"no {name}": methodcaller("drop_columns", [name]) for name in ("path", "weight")}
    found |= {f"a path of {name}": partial(with_column, "path", values) for name, values in columns.items()}
    found |= {f"node {number} at {at}": partial(with_number, number, at) for number in LIMITS for at in (0, -1)}
    found |= {
        f"weight {number}{'' if first else ' everywhere'}": partial(with_weight, number, first)
        for number in WEIGHTS
        for first in (True, False)
    }
    found |= {f"times {time}": partial(with_times, time, time, "1000") for time in ODD_TIMES}
    found |= {f"ticks {ticks[:9]!r}": partial(with_times, 1, 2, ticks) for ticks in TICKS}
    return {f"paths: {name}": with_paths(change) for name, change in found.items()}
