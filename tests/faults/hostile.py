"""Stores that honem did not write: every hash is right, and what the files hold is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from honem.io.rule_columns import PARAMS_KEY, TESTS_KEY
from tests.faults.changing import (
    Change,
    at,
    at_all,
    manifest_of,
    one,
    places_in,
    put,
    rows,
    scaled,
    with_columns,
    with_label,
    with_metadata,
    with_nodes,
    with_tensors,
    with_value,
    without,
)
from tests.faults.hostile_models import hostile_models

DEEP = "[" * 5000 + "]" * 5000
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 10**30, 0.5, 1e308, float("nan"), float("inf"), "", "odd", [], [None], {}, {"odd": [1]}),
    *([float("nan"), 2.0], ["odd", 1], [[]]),
)
ODD_LABELS = (
    "{",
    "{}",
    "[{}]",
    "NaN",
    '"A"',
    "null",
    "1e999",
    "5" * 5000,
    DEEP,
    "[[[1]]]",
    '"\\ud800"',
    "true",
    "1.0",
    "",
)


def hostile_vectors() -> dict[str, Change]:
    """Name and make changes of the vectors."""
    found: dict[str, Callable[[dict[str, Any]], object]] = {
        "no source": lambda tensors: tensors.pop("source"),
        "no target": lambda tensors: tensors.pop("target"),
        "no singular values": lambda tensors: tensors.pop("singular_values"),
        "another tensor": put("other", lambda _: np.ones(3)),
        "one dimension": put("source", lambda array: array[:, 0]),
        "three dimensions": put("source", lambda array: array[:, :, None]),
        "no columns": lambda tensors: tensors.update({name: array[..., :0] for name, array in tensors.items()}),
        "fewer rows": put("source", lambda array: array[1:]),
        "target of another shape": put("target", lambda array: array[:, 1:]),
        "singular values in a matrix": put("singular_values", lambda array: array[None]),
        "too few singular values": put("singular_values", lambda array: array[1:]),
        "negative singular values": scaled("singular_values", -1.0),
        "zero vectors": scaled("source", 0.0),
        "small vectors": scaled("source", 1e-200),
    }
    for name in ("source", "target", "singular_values"):
        for number in (float("nan"), float("inf"), -float("inf"), 1e308, 1e160, -1e308):
            found[f"{name} with {number}"] = one(name, number)
        for kind in (np.int64, np.uint8, np.bool_, np.float16, np.float32):
            found[f"{name} of {kind.__name__}"] = put(name, methodcaller("astype", kind))
    return {f"vectors: {name}": with_tensors(change) for name, change in found.items()}


def hostile_nodes() -> dict[str, Change]:
    """Name and make changes of the nodes."""
    names = ["A", "C", "D", "E", "B", "é", "ö"]
    arrays = {
        "numbers": pa.array(range(7)),
        "unsigned": pa.array(range(7), pa.uint64()),
        "floats": pa.array([0.5] * 7),
        "NaN": pa.array([float("nan")] * 7),
        "booleans": pa.array([True] * 7),
        "bytes": pa.array([name.encode() for name in names]),
        "lists": pa.array([[name] for name in names]),
        "objects": pa.array([{"name": name} for name in names]),
        "dates": pa.array(range(7), pa.timestamp("s")),
        "nothing": pa.nulls(7),
        "a missing one": pa.array([*names[:-1], None]),
        "a dictionary": pa.array(names).dictionary_encode(),
        "equal ones": pa.array(["A"] * 7),
        "none": pa.array([], pa.string()),
        "fewer": pa.array(names[:3]),
        "more": pa.array([*names, "F"]),
        "not UTF-8": pa.Array.from_buffers(
            pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")]
        ),
        "control characters": pa.array([f"{name}\0\x1b[2J\n" for name in names]),
        "empty": pa.array(["", *names[1:]]),
    }
    found = {
        f"nodes: {name} in {column}": with_nodes(column, array)
        for name, array in arrays.items()
        for column in ("node", "node_json", "other")
    }
    return found | {f"nodes: the text {text[:20]}": with_label(1, text) for text in ODD_LABELS}


def hostile_rules() -> dict[str, Change]:
    """Name and make changes of the rules."""
    found: dict[str, Change] = {
        "no rules": with_columns(lambda columns: rows(columns, [])),
        "one rule": with_columns(lambda columns: rows(columns, [0])),
        "only longer contexts": with_columns(lambda columns: rows(columns, [-2, -1])),
        "not sorted": with_columns(lambda columns: rows(columns, [1, 0, *range(2, len(columns["context"]))])),
        "not sorted by order": with_columns(lambda columns: rows(columns, list(range(len(columns["context"])))[::-1])),
        "one twice": with_columns(lambda columns: rows(columns, [0, *range(len(columns["context"]))])),
        "a long context": with_columns(at("context", (-1,), [0] * 5000)),
        "targets not sorted": with_columns(lambda columns: [column.reverse() for column in columns["targets"]]),
        "a target twice": with_columns(
            lambda columns: columns["targets"].__setitem__(1, [columns["targets"][1][0]] * len(columns["targets"][1]))
        ),
        "more targets than counts": with_columns(lambda columns: columns["targets"][0].append(6)),
        "a context as numbers with a point": with_columns(lambda _: None, {"context": pa.large_list(pa.float64())}),
        "counts as texts": with_columns(
            lambda columns: columns.update(counts=[list(map(str, each)) for each in columns["counts"]]),
            {"counts": pa.list_(pa.string())},
        ),
        "accepted as numbers": with_columns(
            lambda columns: columns.update(accepted=[7] * len(columns["accepted"])), {"accepted": pa.int8()}
        ),
        "nothing accepted": with_columns(lambda columns: columns.update(accepted=[False] * len(columns["accepted"]))),
        "short lists": with_columns(lambda _: None, {"context": pa.list_(pa.int16())}),
        "a score of its own": with_columns(
            lambda columns: columns.update(score=[float("inf")] * len(columns["accepted"]))
        ),
    }
    for name in ("context", "targets", "counts", "divergence", "evidence", "q_value", "accepted"):
        found[f"without {name}"] = with_columns(methodcaller("pop", name))
        found[f"missing {name}"] = with_columns(at(name, (-1,), None))
    for name in ("context", "targets", "counts"):
        found[f"empty {name}"] = with_columns(at(name, (-1,), []))
        for number in (None, -1, 0, 4, 7, 2**31 - 1, -(2**31)):
            for place in ((0, 0), (-1, 0)):
                found[f"{name} with {number} at {place}"] = with_columns(at(name, place, number))
    for number in (2**63 - 1, 2**62, -(2**63)):
        found[f"counts with {number}"] = with_columns(at_all("counts", number))
    for name in ("divergence", "evidence", "q_value"):
        for value in (float("nan"), float("inf"), -float("inf"), -1.0, 5.0, 1e308):
            found[f"{name} of {value}"] = with_columns(at(name, (-1,), value))
    return {f"rules: {name}": change for name, change in found.items()} | hostile_metadata()


def hostile_metadata() -> dict[str, Change]:
    """Name and make changes of what the table of rules says about itself."""
    found: dict[str, Change] = {}
    for key in (PARAMS_KEY, TESTS_KEY):
        for text in (
            None,
            "",
            "{",
            "null",
            "5",
            "[]",
            '"odd"',
            DEEP,
            b"\xff",
            '{"odd": 1}',
            "{}",
            '{"a": ' * 2000 + "1" + "}" * 2000,
        ):
            found[f"rules: {key.decode()} {str(text)[:20]}"] = with_metadata(key, text)
    params = {"min_support", "support", "tau", "max_order", "lower_orders", "criterion", "alpha", "count"}
    for name in sorted(params):
        for value in (*ODD_VALUES, "divergence", "transition", "hon", "sequences", 1e-300, 2**70):
            found[f"rules: {name} {str(value)[:20]}"] = with_metadata(
                PARAMS_KEY, json.dumps({"criterion": "significance", name: value})
            )
    for name in ("n_tested", "n_accepted"):
        for value in ODD_VALUES:
            found[f"rules: {name} {str(value)[:20]}"] = with_metadata(
                TESTS_KEY, json.dumps({"n_tested": 1, "n_accepted": 1, name: value})
            )
    return found


def hostile_manifests(store: Path) -> dict[str, Change]:
    """Name and make changes of all values of a manifest."""
    values = manifest_of(store)
    places = [keys for keys in places_in(values) if keys not in (("format",), ("sha256",))]
    places += [
        ("superseded",),
        ("unfinished",),
        ("parameters", "odd"),
        ("recipe", "preset"),
        ("recipe", "odd"),
        ("files", "odd"),
        ("files", "Rules"),
    ]
    found = {
        f"manifest: {'.'.join(map(str, keys))} {str(value)[:20]}": with_value(keys, value)
        for keys in places
        for value in ODD_VALUES
    }
    found |= {f"manifest: no {part}": without(part) for part in values["files"]}
    swapped = values["files"] | {"nodes": values["files"]["rules"]}
    return found | {"manifest: nodes from rules": with_value(("files",), swapped)}


def hostile_stores(store: Path) -> dict[str, Change]:
    """Name and make all changes of a store."""
    return hostile_nodes() | hostile_vectors() | hostile_rules() | hostile_manifests(store) | hostile_models(ODD_VALUES)
