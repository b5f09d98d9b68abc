"""Hostile profiles, next-step models and tuning reports: every hash is right, and what they hold is not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from itertools import product
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import load_file, save_file

from honem.prediction.smoothing import N_CLASSES
from tests.faults.changing import Change, part_path, replace_part, with_value

Tensors = dict[str, Any]
LIMITS = (-1, 0, 1, 6, 7, 8, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, -(2**31), -(2**63))
ODD_NUMBERS = (float("nan"), float("inf"), -float("inf"), -1.0, -1e-9, 0.0, 1e-300, 0.5, 3.5, 1e160, 1e308)
TREE = ("symbols", "n_children", "n_rows", "targets", "counts", "first_counts")
FACTORS = ("alpha", "base_share", "popularity", "affinity")


def with_next_step(change_tensors: Callable[[Tensors], object]) -> Change:
    """Change the arrays of the next-step model."""

    def change(store: Path) -> None:
        tensors = load_file(part_path(store, "next_step"))
        change_tensors(tensors)
        contiguous = {name: np.ascontiguousarray(values) for name, values in tensors.items()}
        replace_part(store, "next_step", lambda path: save_file(contiguous, path))

    return change


def set_number(name: str, place: Any, value: float, tensors: Tensors) -> None:
    """Set numbers of an array, in the smallest type that has them all."""
    kind = np.result_type(tensors[name].dtype, np.min_scalar_type(value))
    tensors[name] = tensors[name].astype(kind)
    tensors[name][place] = value


def change_array(name: str, make: Callable[[Any], Any], tensors: Tensors) -> None:
    """Replace an array."""
    tensors[name] = make(tensors[name])


ARRAYS: dict[str, Callable[[Any], Any]] = {
    "of 64-bit numbers": lambda array: array.astype(np.int64),
    "of fractions": lambda array: array.astype(np.float64) + 0.25,
    "of booleans": lambda array: array.astype(np.bool_),
    "in a matrix": lambda array: array[None],
    "without values": lambda array: array[:0],
    "without the last": lambda array: array[:-1],
    "with one more": lambda array: np.concatenate((array, array[-1:])),
    "reversed": lambda array: array[::-1],
    "all zero": np.zeros_like,
    "of one number": lambda array: np.array(array.flat[0]),
}


def deep(tensors: Tensors) -> None:
    """A chain of 5,000 contexts, with the parameters that it needs."""
    length = 5000
    tensors["symbols"] = np.zeros(length, np.uint8)
    tensors["n_children"] = np.append(np.ones(length, np.uint8), np.uint8(0))
    tensors["n_rows"] = np.ones(length + 1, np.uint8)
    tensors["targets"], tensors["counts"] = np.zeros(length + 1, np.uint8), np.full(length + 1, 2, np.uint8)
    n_kinds = (length + 1) * N_CLASSES
    tensors["discounts"], tensors["strengths"] = np.full((n_kinds, 3), 0.5), np.full(n_kinds, 0.5)


def own_parent(tensors: Tensors) -> None:
    """A context that extends itself: the children of the empty context become those of the next one."""
    n_children = tensors["n_children"]
    n_children[:2] = 0, n_children[0] + n_children[1]


def extended_start(tensors: Tensors) -> None:
    """A context that begins at the start of a sequence, and goes on before it."""
    tensors["symbols"] = np.where(np.arange(len(tensors["symbols"])) < 7, 7, tensors["symbols"]).astype(np.uint8)


def with_vectors_in_the_base(affinity: float, popularity: float, tensors: Tensors) -> None:
    """Half of what is below order 1 comes from vectors."""
    tensors["scalars"] = np.array([0.5, 0.5, popularity, affinity])


def hostile_next_step() -> dict[str, Change]:
    """Name and make changes of the next-step model."""
    found: dict[str, Callable[[Tensors], object]] = {
        "a chain": deep,
        "a context that extends itself": own_parent,
        "a start that is extended": extended_start,
        "another array": lambda tensors: tensors.update(other=np.ones(3)),
    }
    for name, value, place in product(TREE, LIMITS, (0, 1, -1, slice(None))):
        found[f"{name} with {value} at {place}"] = partial(set_number, name, place, value)
    for name in (*TREE, "discounts", "strengths", "scalars"):
        found[f"no {name}"] = methodcaller("pop", name)
        found |= {f"{name} {kind}": partial(change_array, name, make) for kind, make in ARRAYS.items()}
    for number in ODD_NUMBERS:
        found |= {f"{name} of {number}": partial(set_number, name, ..., number) for name in ("discounts", "strengths")}
        found |= {f"{name} of {number}": partial(set_number, "scalars", i, number) for i, name in enumerate(FACTORS)}
        found[f"vectors times {number}"] = partial(with_vectors_in_the_base, number, 1.0)
        found[f"vectors and popularity times {number}"] = partial(with_vectors_in_the_base, 1.0, number)
    return {f"next step: {name}": with_next_step(change) for name, change in found.items()}


def with_profile(change_table: Callable[[Any], Any]) -> Change:
    """Change the table of the profile."""

    def change(store: Path) -> None:
        table = change_table(pq.ParquetFile(part_path(store, "profile")).read())
        replace_part(store, "profile", lambda path: pq.write_table(table, path))

    return change


def with_column(values: Any, table: Any, place: int = 2) -> Any:
    """Replace one column."""
    return table.set_column(place, table.column_names[place], pa.array(values))


def hostile_profile() -> dict[str, Change]:
    """Name and make changes of the profile; the store has seven nodes."""
    columns: dict[str, Any] = {
        "texts": ["x"] * 7,
        "texts of numbers": ["1"] * 7,
        "nothing": [None] * 7,
        "one missing": [None, *[1.0] * 6],
        "booleans": [True] * 7,
        "lists": [[1.0]] * 7,
        "objects": [{"a": 1}] * 7,
        "bytes": [b"\xff"] * 7,
        "large numbers": [2**63 - 1] * 7,
        "dates": pa.array(range(7), pa.timestamp("s")),
        "durations": pa.array(range(7), pa.duration("s")),
        "decimals": pa.array(range(7), pa.decimal128(20)),
    } | {f"{number}": [number] * 7 for number in ODD_NUMBERS}
    found: dict[str, Callable[[Any], Any]] = {
        f"a column of {name}": partial(with_column, values) for name, values in columns.items()
    }
    found |= {
        "no columns": lambda table: table.select([]),
        "one column": lambda table: table.select([3]),
        "a column twice": lambda table: table.select([0, 0, 1]),
        "an unknown column": lambda table: table.rename_columns(["odd", *table.column_names[1:]]),
        "a column without a name": lambda table: table.rename_columns(["", *table.column_names[1:]]),
        "other order": lambda table: table.select(table.column_names[::-1]),
        "no rows": lambda table: table.slice(0, 0),
        "fewer rows": lambda table: table.slice(1),
        "more rows": lambda table: pa.concat_tables([table, table]),
    }
    return {f"profile: {name}": with_profile(change) for name, change in found.items()}


REPORT: dict[str, Any] = {
    "tune_for": "links",
    "chosen": "evidence",
    "reason": "it is the best",
    "trials": [{"name": "evidence", "n_components": 3, "value": 0.5, "values": [0.25, 0.75]}],
    "n_nodes": 7,
    "seconds": 1.0,
}


def hostile_tuning(odd_values: tuple[Any, ...]) -> dict[str, Change]:
    """Name and make changes of the report of tuning."""

    def with_report(keys: tuple[Any, ...], value: Any) -> Change:
        report = copy.deepcopy(REPORT)
        inner: Any = report
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value
        return with_value(("facts", "tuning"), report)

    places = [(name,) for name in REPORT] + [("odd",), ("trials", 0), ("trials", 0, "odd")]
    places += [("trials", 0, name) for name in REPORT["trials"][0]]
    odd = (*odd_values, "\x1b[2J\x07", "\ud800", "x" * 10**6, 10**400)
    return {
        f"tuning: {'.'.join(map(str, keys))} {str(value)[:20]!r}": with_report(keys, value)
        for keys in places
        for value in odd
    }


def hostile_models(odd_values: tuple[Any, ...]) -> dict[str, Change]:
    """Name and make changes of the parts that the vectors do not need."""
    return hostile_next_step() | hostile_profile() | hostile_tuning(odd_values)
