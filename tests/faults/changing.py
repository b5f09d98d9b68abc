"""Change the files of a store, and all hashes with them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import load_file, save_file

from honem.io.manifest import Manifest, StoredFile
from honem.io.parts import file_name

Change = Callable[[Path], None]
"""Changes a store."""

Columns = dict[str, list[Any]]


def manifest_of(store: Path) -> dict[str, Any]:
    """Return the values of a manifest."""
    values: dict[str, Any] = json.loads((store / "manifest.json").read_bytes())
    return values


def write_manifest(store: Path, values: dict[str, Any]) -> None:
    """Replace the manifest, with the digest of its new values."""
    (store / "manifest.json").write_bytes(Manifest(values).to_bytes())


def replace_part(store: Path, part: str, write: Callable[[Path], object], **counts: int) -> None:
    """Replace a file of a store by another, with its hash, and what the manifest says about its size."""
    write(store / "new")
    values, found = manifest_of(store), StoredFile.of(store / "new")
    name = file_name(part, found.sha256)
    (store / "new").rename(store / name)
    values["files"][part] = {"name": name, "sha256": found.sha256, "bytes": found.size}
    write_manifest(store, values | {"counts": values["counts"] | counts})


def part_path(store: Path, part: str) -> Path:
    """Return the file of a part."""
    return store / str(manifest_of(store)["files"][part]["name"])


def with_value(keys: tuple[Any, ...], value: Any) -> Change:
    """Set a value of the manifest."""

    def change(store: Path) -> None:
        values = copy.deepcopy(manifest_of(store))
        inner = values
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value
        write_manifest(store, values)

    return change


def places_in(values: Any, keys: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the keys of all values, inner ones too."""
    named = values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    for key, value in named:
        yield (*keys, key)
        yield from places_in(value, (*keys, key))


def with_nodes(column: str, labels: pa.Array) -> Change:
    """Replace the table of nodes."""

    def change(store: Path) -> None:
        table = pa.table({column: labels})
        replace_part(store, "nodes", lambda path: pq.write_table(table, path), nodes=len(labels))

    return change


def with_label(number: int, text: str) -> Change:
    """Give all nodes in JSON, one of them as this text."""

    def change(store: Path) -> None:
        labels = [json.dumps(label) for label in pq.ParquetFile(part_path(store, "nodes")).read()["node"].to_pylist()]
        labels[number] = text
        with_nodes("node_json", pa.array(labels))(store)

    return change


def with_tensors(change_tensors: Callable[[dict[str, Any]], object]) -> Change:
    """Change the arrays of the vectors."""

    def change(store: Path) -> None:
        tensors = load_file(part_path(store, "vectors"))
        change_tensors(tensors)
        shape = tensors.get("source", np.zeros((0, 0))).shape
        tensors = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        replace_part(
            store, "vectors", lambda path: save_file(tensors, path), dimensions=shape[1] if len(shape) > 1 else 0
        )

    return change


def with_columns(change_columns: Callable[[Columns], object], schema: dict[str, pa.DataType] | None = None) -> Change:
    """Change the columns of the rules, as lists, and types of columns."""

    def change(store: Path) -> None:
        table = pq.ParquetFile(part_path(store, "rules")).read()
        columns = table.to_pydict()
        change_columns(columns)
        types = {field.name: field.type for field in table.schema} | (schema or {})
        arrays = {name: pa.array(values, types.get(name)) for name, values in columns.items()}
        replace_rules(store, pa.table(arrays).replace_schema_metadata(table.schema.metadata))

    return change


def replace_rules(store: Path, table: pa.Table) -> None:
    """Replace the table of rules."""
    lists = {name: table[name].to_pylist() if name in table.column_names else [] for name in ("context", "targets")}
    lengths = {name: [len(inner) if isinstance(inner, list) else 0 for inner in each] for name, each in lists.items()}
    replace_part(
        store,
        "rules",
        lambda path: pq.write_table(table, path),
        rules=len(table),
        rule_rows=sum(lengths["targets"]),
        max_order=lengths["context"][-1] if lengths["context"] else 0,
    )


def with_metadata(key: bytes, text: str | bytes | None) -> Change:
    """Change the parameters of the extraction, or the number of tests."""

    def change(store: Path) -> None:
        table = pq.ParquetFile(part_path(store, "rules")).read()
        others = {name: value for name, value in table.schema.metadata.items() if name != key}
        replace_rules(store, table.replace_schema_metadata(others | ({} if text is None else {key: text})))

    return change


def without(part: str) -> Change:
    """Let the manifest list no file of a part."""

    def change(store: Path) -> None:
        values = manifest_of(store)
        del values["files"][part]
        write_manifest(store, values)

    return change


def at(name: str, place: tuple[int, ...], value: Any) -> Callable[[Columns], None]:
    """Set one value of the columns of rules."""

    def change(columns: Columns) -> None:
        inner: Any = columns[name]
        for number in place[:-1]:
            inner = inner[number]
        inner[place[-1]] = value

    return change


def at_all(name: str, value: Any) -> Callable[[Columns], None]:
    """Set the first value of a column in every rule."""

    def change(columns: Columns) -> None:
        for inner in columns[name]:
            inner[0] = value

    return change


def rows(columns: Columns, numbers: list[int]) -> None:
    """Keep some rules, in this order."""
    for name in columns:
        columns[name] = [columns[name][number] for number in numbers]


def scaled(name: str, number: float) -> Callable[[dict[str, Any]], None]:
    def change(tensors: dict[str, Any]) -> None:
        tensors[name] = tensors[name] * number

    return change


def one(name: str, number: float) -> Callable[[dict[str, Any]], None]:
    def change(tensors: dict[str, Any]) -> None:
        tensors[name].flat[-1] = number

    return change


def put(name: str, make: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    def change(tensors: dict[str, Any]) -> None:
        tensors[name] = make(tensors.get(name))

    return change
