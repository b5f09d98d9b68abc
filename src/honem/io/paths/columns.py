"""Convert columns of a table to arrays: times, numbers and weights of any input type; errors name the row."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from honem.corpus import MAX_COUNT
from honem.errors import InputError
from honem.io.paths.times import Times
from honem.io.paths.weights import parse_weights
from honem.io.paths.written_times import PLAIN, Locate, Writing
from honem.sequence_times import TICKS

# The first that fits all values wins; microseconds before nanoseconds, which end in the year 2262.
WRITTEN_TIMES = (
    pa.int64(),
    pa.float64(),
    pa.timestamp("us"),
    pa.timestamp("us", "UTC"),
    pa.timestamp("ns"),
    pa.timestamp("ns", "UTC"),
)
TIME_WORDS = "a number, an ISO date or a timestamp"
LONGEST_NUMBER = 1000
LARGEST_EXACT = 2**53
"""From here on, two whole numbers may be the same float."""


def plain(column: Any) -> Any:
    """Decode a dictionary-encoded or view column of numbers or times."""
    if pa.types.is_dictionary(column.type):
        chunks = [plain(chunk.dictionary).take(chunk.indices) for chunk in _chunks(column)]
        return pa.chunked_array(chunks, None if chunks else column.type.value_type)
    # Not all versions of Arrow can number the values of a view.
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def encode(column: Any, name: str) -> tuple[NDArray[np.int32], list[Any]]:
    """Return the index of each value in the list of distinct values, and that list, in order of first appearance."""
    try:
        if not len(column):  # not all versions of Arrow can combine no dictionaries
            return np.zeros(0, np.int32), []
        if pa.types.is_dictionary(column.type):
            return _encode_again(column)
        encoded = plain(column).dictionary_encode().combine_chunks()
    except pa.ArrowNotImplementedError:
        raise InputError(f"column {name!r} holds values of type {column.type}, which cannot be ids") from None
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()


def _encode_again(column: Any) -> tuple[NDArray[np.int32], list[Any]]:
    """Return what `encode` does, without decoding a dictionary-encoded column: values may be long and occur often.

    Its dictionaries may hold a value twice, or hold values that do not occur.
    """
    chunks = _chunks(column)
    values = [plain(chunk.dictionary) for chunk in chunks]
    distinct = pa.chunked_array(values, None if values else column.type.value_type).dictionary_encode().combine_chunks()
    starts = np.cumsum([0, *(len(chunk.dictionary) for chunk in chunks)])
    indices = [chunk.indices.cast(pa.int64()).to_numpy() + start for chunk, start in zip(chunks, starts, strict=False)]
    # A null in a dictionary has no number; rows with it were removed before.
    numbers = distinct.indices.fill_null(0).to_numpy()[np.concatenate([np.zeros(0, np.int64), *indices])]
    encoded = pa.array(numbers).dictionary_encode()
    return encoded.indices.to_numpy(), distinct.dictionary.take(encoded.dictionary).to_pylist()


def _chunks(column: Any) -> list[Any]:
    return column.chunks if isinstance(column, pa.ChunkedArray) else [column]


def is_missing(column: Any) -> NDArray[np.bool_]:
    """Return where a value is missing: null, or a float that is NaN."""
    if pa.types.is_dictionary(column.type):
        return np.concatenate([np.zeros(0, bool), *map(_is_missing_in_chunk, _chunks(column))])
    missing = pc.is_null(plain(column), nan_is_null=True)
    return np.asarray(missing.to_numpy(zero_copy_only=False), dtype=bool)


def _is_missing_in_chunk(chunk: Any) -> NDArray[np.bool_]:
    of_values = pc.is_null(plain(chunk.dictionary), nan_is_null=True)
    return np.asarray(pc.fill_null(of_values.take(chunk.indices), True).to_numpy(zero_copy_only=False), dtype=bool)


def _decoded(column: Any, name: str, what: str) -> Any:
    """Decode a column of numbers or times, unless it holds texts that are much too long for one."""
    if pa.types.is_dictionary(column.type) and is_text(column.type.value_type):
        for chunk in _chunks(column):
            longest = pc.max(pc.binary_length(chunk.dictionary)).as_py() or 0
            if longest > LONGEST_NUMBER:
                raise InputError(f"column {name!r} holds a text of {longest} bytes, which is not {what}")
    return plain(column)


def to_times(column: Any, name: str, place: Locate, writing: Writing = PLAIN) -> Times:
    """Convert a column to times, in its own unit; strings may be numbers, ISO dates or timestamps."""
    column = _decoded(column, name, TIME_WORDS)
    kind = column.type
    text = column if is_text(kind) else None
    if text is not None and writing.is_other_than_iso:
        text, column = None, writing.parse(column, name, place)
        kind = column.type
    elif text is not None:
        column = _parse(column, WRITTEN_TIMES, name, TIME_WORDS + writing.hint(column), place)
        kind = column.type
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("ms" if pa.types.is_date64(kind) else "s"))
        kind = column.type
    if pa.types.is_temporal(kind) and hasattr(kind, "unit"):
        writing.require_no_unit(name)
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return Times(column.cast(width).cast(pa.int64()).to_numpy(), TICKS[kind.unit])
    numbers = _numeric(column, name, place)
    _require_finite(numbers, name, place)
    if text is not None and numbers.dtype.kind == "f":
        _require_exact(text, numbers, name, place)
    return Times(numbers, None if writing.unit is None else TICKS[writing.unit])


def _require_exact(text: Any, numbers: NDArray[np.float64], name: str, place: Locate) -> None:
    """Raise InputError if a whole number is among fractions and too large for a float: the order would be lost."""
    is_whole = pc.match_substring_regex(text, r"^\s*[+-]?[0-9]+\s*$").to_numpy(zero_copy_only=False)
    wrong = np.flatnonzero((np.abs(numbers) >= LARGEST_EXACT) & is_whole.astype(bool))
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{place(row)}: {name} is {text[row].as_py()}, which is too large to be compared with the fractions in "
            "other rows; use whole numbers only, or timestamps"
        )


def to_numbers(column: Any, name: str, place: Locate) -> NDArray[np.float64]:
    """Convert a column of numbers or strings to finite numbers."""
    column = _decoded(column, name, "a number")
    if is_text(column.type):
        column = _parse(column, (pa.float64(),), name, "a number", place)
    numbers = _numeric(column, name, place).astype(np.float64)
    _require_finite(numbers, name, place)
    return numbers


def to_weights(column: Any, name: str, place: Locate) -> NDArray[np.int64]:
    """Convert a column of numbers or strings to positive whole numbers."""
    column = _decoded(column, name, "a weight")
    if is_text(column.type):
        return parse_weights(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column, place)
    numbers = _numeric(column, name, place)
    # The largest count is not a float; 2^63, which is, is too much.
    too_large = numbers >= 2.0**63 if numbers.dtype.kind == "f" else numbers > MAX_COUNT
    wrong = np.flatnonzero((numbers < 1) | (numbers != np.floor(numbers)) | too_large)
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{place(row)}: the weight {numbers[row]} in {name} is not a positive whole number of at most {MAX_COUNT}"
        )
    return numbers.astype(np.int64)


def is_text(kind: Any) -> bool:
    """Return whether a column of this type holds strings."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _numeric(column: Any, name: str, place: Locate) -> NDArray[Any]:
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise InputError(f"{place(0)}: {name} holds values of type {kind}, which are not numbers")
    width = pa.int64() if pa.types.is_integer(kind) else pa.float64()
    try:
        return np.asarray(column.cast(width).to_numpy())
    except pa.ArrowInvalid as error:
        raise InputError(f"column {name!r} cannot be read as 64-bit numbers ({error})") from None


def _require_finite(numbers: NDArray[Any], name: str, place: Locate) -> None:
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        raise InputError(f"{place(int(wrong[0]))}: {name} is {numbers[wrong[0]]}, not a finite number")


def _parse(column: Any, kinds: tuple[Any, ...], name: str, what: str, place: Locate) -> Any:
    for kind in kinds:
        if _fits(column, kind):
            return column.cast(kind)
    # The type that fits most rows was probably meant; name the first row that it cannot read.
    row = max(bisect_left(range(1, len(column) + 1), True, key=_fails(column, kind)) for kind in kinds)
    raise InputError(
        f"{place(row)}: {name} is {column[row].as_py()!r:.60}, not {what}{' like those before it' if row else ''}"
    )


def _fits(column: Any, kind: Any) -> bool:
    try:
        column.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _fails(column: Any, kind: Any) -> Callable[[int], bool]:
    return lambda length: not _fits(column.slice(0, length), kind)
