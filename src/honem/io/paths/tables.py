"""Tables as Arrow tables with only the columns that are needed, and files as Arrow opens them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from honem.errors import InputError, ParameterError
from honem.io.paths.options import MIB
from honem.io.paths.sources import Stream
from honem.io.paths.written_times import Locate


def as_table(given: Any, columns: tuple[str, ...]) -> Any:
    """Return columns of a pandas, polars or Arrow table, of any object with an Arrow C stream, or of a dict."""
    if hasattr(given, "collect"):
        raise ParameterError(f"collect() the {type(given).__name__} first: a lazy table cannot be read")
    try:
        if isinstance(given, Mapping):
            table = pa.table({name: given[name] for name in columns if name in given})
        elif hasattr(given, "columns") and not isinstance(given, (pa.Table, pa.RecordBatch)):
            # Only these columns: a data frame may have others that Arrow has no type for.
            table = pa.table(given[[name for name in columns if name in given.columns]])
        else:
            table = pa.table(given)
    except (pa.ArrowException, OverflowError) as error:
        raise InputError(f"the columns must be of one length, and each of one type ({error})") from None
    except (TypeError, ValueError):
        raise ParameterError(
            f"a table must be a pandas, polars or Arrow table or a dict of columns, not {type(given).__name__}"
        ) from None
    return select(table, columns, "the table")


def join_tables(tables: Iterable[Any], names: Iterable[str]) -> tuple[Any, Locate]:
    """Concatenate tables; also return a function that names the file and row of a row of the result."""
    tables, names = list(tables), list(names)
    ends = np.cumsum([table.num_rows for table in tables])

    def place(row: int) -> str:
        # The first row of a table without rows, too, is in one of the files.
        part = min(int(np.searchsorted(ends, row, side="right")), len(names) - 1)
        return f"{names[part]}, row {row - (ends[part - 1] if part else 0) + 1}"

    try:
        return pa.concat_tables(tables, promote_options="permissive"), place
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"the columns of {', '.join(names[:3])} are of different types ({error})") from None


def select(table: Any, columns: tuple[str, ...], shown: str) -> Any:
    """Return the columns of a table, or raise InputError if it does not have one of them exactly once."""
    for name in columns:
        require_column(name, table.column_names, shown)
    return table.select(list(columns))


def require_column(name: str, known: list[str], shown: str) -> None:
    """Raise InputError unless exactly one of the known columns has this name."""
    if known.count(name) != 1:
        what = "no column" if name not in known else "more than one column"
        raise InputError(
            f"{shown} has {what} {name!r}; its columns are {', '.join(f'{one!r:.60}' for one in known[:30])}"
        )


def collect_batches(batches: Iterable[Any], schema: Any, columns: tuple[str, ...], stream: Stream) -> Any:
    """Return a table of record batches, which are checked as they come: their content, and their size in memory."""
    collected, seen, size, n_rows = [], set[int](), 0, 0
    for batch in batches:
        # Without the full check, wrong offsets and indices make Arrow read outside its memory.
        batch.validate(full=True)
        for column in batch.columns:
            new = {buffer.address: buffer.size for buffer in _buffers(column) if buffer.address not in seen}
            seen.update(new)
            size += sum(new.values()) + _size_of_views(column)
        n_rows += batch.num_rows
        # Some types take no memory at all; what is made of them takes at least a byte per value.
        stream.require_size(max(size, n_rows * len(columns)))
        collected.append(batch)
    return pa.Table.from_batches(collected, collected[0].schema if collected else schema).select(list(columns))


def _buffers(array: Any) -> Iterator[Any]:
    """Yield the buffers of an array, those of dictionaries included."""
    yield from (buffer for buffer in array.buffers() if buffer is not None)
    values = array.values if isinstance(array, (pa.ListArray, pa.LargeListArray)) else array
    if isinstance(values, pa.DictionaryArray):
        yield from (buffer for buffer in values.dictionary.buffers() if buffer is not None)


def _size_of_views(array: Any) -> int:
    """Return the number of bytes of strings of a view, several of which may be the same bytes in memory."""
    values = array.values if isinstance(array, (pa.ListArray, pa.LargeListArray)) else array
    if not pa.types.is_string_view(values.type):
        return 0
    # A view is 16 bytes, of which the first four are the length.
    lengths = np.frombuffer(values.buffers()[1], np.int32)[::4]
    return int(lengths[values.offset : values.offset + len(values)].sum(dtype=np.int64))


@contextmanager
def arrow_errors(shown: str, what: str) -> Iterator[None]:
    """Turn errors of Arrow into InputErrors."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError, struct.error) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{shown} cannot be read as {what}: {reason:.300}") from None


@contextmanager
def opened_file(stream: Stream, kind: str) -> Iterator[Any]:
    """Open a stream as a file that Arrow can read at any position; errors of Arrow become InputErrors."""
    with arrow_errors(stream.source.shown, kind), _whole_file(stream) as file:
        yield file


def _whole_file(stream: Stream) -> Any:
    """Return the file, or its content if it is compressed or comes from stdin."""
    if stream.compression or stream.source.is_stdin:
        return pa.BufferReader(stream.read_all())
    # Read to the end in any case, for the hash.
    for _ in iter(lambda: stream.read(8 * MIB), b""):
        pass
    if not stream.given:
        raise InputError(f"{stream.source.shown}: empty; there is nothing to read")
    # Not mapped into memory: the process would be killed if another one made the file shorter.
    return pa.OSFile(stream.source.name)
