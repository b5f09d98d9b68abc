"""Node labels as a table that preserves their types: strings stay strings, numbers stay numbers."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from honem.errors import InputError, OutputError

if TYPE_CHECKING:
    import pyarrow as pa

PLAIN, CODED = "node", "node_json"


def label_table(labels: Sequence[Hashable]) -> pa.Table:
    """Return a table of one column: `node` if all labels are strings or all are 64-bit integers, else `node_json`.

    JSON distinguishes strings, numbers, booleans and None. Tuples are written as its lists, which are not hashable and
    therefore cannot be labels themselves.
    """
    import pyarrow as pa

    kinds = {type(label) for label in labels}
    types = {str: pa.large_string(), int: pa.int64()}
    if kinds <= {str} or kinds == {int}:
        try:
            return pa.table({PLAIN: pa.array(labels, types[kinds.pop() if kinds else str])})
        except (OverflowError, UnicodeEncodeError, pa.ArrowException):
            pass  # integers of more than 64 bits, or lone surrogates: JSON can represent them
    return pa.table({CODED: pa.array(map(label_json, labels), pa.large_string())})


def labels_of(table: pa.Table, where: str) -> tuple[Hashable, ...]:
    """Return the labels of such a table; raise InputError if it is another one."""
    if table.column_names not in ([PLAIN], [CODED]):
        raise InputError(f"{where} has the columns {table.column_names}, not {PLAIN!r} or {CODED!r}")
    name, column = table.column_names[0], table.columns[0]
    if not _holds_labels(name, column.type) or column.null_count:
        raise InputError(f"{where}: {name!r} is of type {column.type}, {column.null_count} missing; it cannot be nodes")
    if name == PLAIN:
        return tuple(column.to_pylist())
    try:
        return tuple(_as_label(json.loads(text)) for text in column.to_pylist())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: a value of {name!r} is not a node in JSON: {error}") from None


def _holds_labels(name: str, kind: pa.DataType) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or (name == PLAIN and types.is_integer(kind)))


def label_json(label: Hashable) -> str:
    """Return a label as JSON; raise OutputError if it could not be read back as the same value."""
    try:
        text = json.dumps(_as_plain(label), ensure_ascii=False)
    except ValueError:
        raise OutputError("a node is a number with more digits than JSON can hold; use a string instead") from None
    # Lone surrogates, which come from badly decoded text, have no UTF-8: then everything is escaped as \\uXXXX.
    return text if text.isascii() or not _has_surrogates(text) else json.dumps(_as_plain(label))


def _as_plain(label: Any) -> Any:
    if isinstance(label, np.generic):
        label = label.item()
    if type(label) is tuple:
        return [_as_plain(part) for part in label]
    if label is not None and type(label) not in (str, int, float, bool):
        raise OutputError(
            f"the node {label!r:.60} is a {type(label).__name__}, which cannot be stored without loss; "
            "use strings, numbers or tuples of them as nodes"
        )
    return label


def _as_label(value: Any) -> Hashable:
    return tuple(map(_as_label, value)) if isinstance(value, list) else value


def _has_surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
