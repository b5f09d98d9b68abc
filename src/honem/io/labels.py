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
    """Return the labels of such a table."""
    if table.column_names == [PLAIN]:
        return tuple(table[PLAIN].to_pylist())
    if table.column_names == [CODED]:
        return tuple(_as_label(json.loads(text)) for text in table[CODED].to_pylist())
    raise InputError(f"{where} has the columns {table.column_names}, not {PLAIN!r} or {CODED!r}")


def label_json(label: Hashable) -> str:
    """Return a label as JSON; raise OutputError if it could not be read back as the same value."""
    text = json.dumps(_as_plain(label), ensure_ascii=False)
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
