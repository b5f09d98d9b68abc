"""Tables from files and from Python: only the columns that are needed, as Arrow."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from honem.errors import InputError, ParameterError
from honem.io.paths.columns import Place
from honem.io.paths.lines import read_line_chunks
from honem.io.paths.options import MIB, Format
from honem.io.paths.sources import Stream


def read_table(stream: Stream, kind: Format, columns: tuple[str, ...], delimiter: str | None) -> Any:
    """These columns of one file; what is in a CSV or TSV file is strings."""
    if kind in ("csv", "tsv"):
        return _read_csv(stream, columns, delimiter or ("," if kind == "csv" else "\t"))
    return _read_columnar(stream, kind, columns)


def as_table(given: Any, columns: tuple[str, ...]) -> Any:
    """These columns of a pandas, polars or Arrow table, of anything with Arrow's C stream, or of a dict of columns."""
    if hasattr(given, "collect"):
        raise ParameterError(f"collect() the {type(given).__name__} first: a table must be there to be read")
    try:
        if isinstance(given, Mapping):
            table = pa.table({name: given[name] for name in columns if name in given})
        elif hasattr(given, "columns") and not isinstance(given, (pa.Table, pa.RecordBatch)):
            # Only what is needed: a data frame may hold other columns that Arrow has no type for.
            table = pa.table(given[[name for name in columns if name in given.columns]])
        else:
            table = pa.table(given)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"the columns must be of one length, and each of one type ({error})") from None
    except (TypeError, ValueError):
        raise ParameterError(
            f"a table must be a pandas, polars or Arrow table or a dict of columns, not {type(given).__name__}"
        ) from None
    return _select(table, columns, "the table")


def join_tables(tables: Iterable[Any], names: Iterable[str]) -> tuple[Any, Place]:
    """Several tables as one, and a way to name a row of it by the file it is in."""
    tables, names = list(tables), list(names)
    ends = np.cumsum([table.num_rows for table in tables])

    def place(row: int) -> str:
        part = int(np.searchsorted(ends, row, side="right"))
        return f"{names[part]}, row {row - (ends[part - 1] if part else 0) + 1}"

    try:
        return pa.concat_tables(tables, promote_options="permissive"), place
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"the columns of {', '.join(names[:3])} are of different types ({error})") from None


def _select(table: Any, columns: tuple[str, ...], shown: str) -> Any:
    for name in columns:
        _require_column(name, table.column_names, shown)
    return table.select(list(columns))


def _require_column(name: str, known: list[str], shown: str) -> None:
    if known.count(name) != 1:
        what = "no column" if name not in known else "more than one column"
        raise InputError(f"{shown} has {what} {name!r}; its columns are {', '.join(map(repr, known[:30]))}")


def _read_columnar(stream: Stream, kind: Format, columns: tuple[str, ...]) -> Any:
    shown = stream.source.shown
    try:
        with _whole_file(stream) as file:
            return (_read_arrow if kind == "arrow" else _read_parquet)(file, columns, stream)
    except InputError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{shown} cannot be read as {kind}: {str(error).splitlines()[0]}") from None


def _whole_file(stream: Stream) -> Any:
    """The file as something that can be read at any place: mapped where possible, otherwise taken into memory."""
    if stream.compression or stream.source.is_stdin:
        return pa.BufferReader(stream.read_all())
    # Read to its end nevertheless, for its hash.
    for _ in iter(lambda: stream.read(8 * MIB), b""):
        pass
    if not stream.given:
        raise InputError(f"{stream.source.shown}: empty; there is nothing to read")
    return pa.memory_map(stream.source.name)


def _read_arrow(file: Any, columns: tuple[str, ...], stream: Stream) -> Any:
    is_file = file.read(6) == b"ARROW1"
    file.seek(0)
    table = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(file).read_all()
    return _select(table, columns, stream.source.shown)


def _read_parquet(file: Any, columns: tuple[str, ...], stream: Stream) -> Any:
    import pyarrow.parquet as pq

    opened = pq.ParquetFile(file)
    for name in columns:
        _require_column(name, opened.schema_arrow.names, stream.source.shown)
    stream.require_size(sum(opened.metadata.row_group(i).total_byte_size for i in range(opened.num_row_groups)))
    return opened.read(columns=list(columns))


def _read_csv(stream: Stream, columns: tuple[str, ...], delimiter: str) -> Any:
    import pyarrow.csv as pacsv

    if len(delimiter) != 1 or not delimiter.isascii():
        raise ParameterError(f"the delimiter of a table must be one ASCII character, not {delimiter!r}")
    lines = _Lines(stream)
    # A row must fit into a block; Arrow's own limit is 2 GiB.
    block_size = min(max(stream.limits.max_line_bytes, MIB), 2**31 - 1)
    if not lines.ahead:
        return pa.table({name: pa.array([], pa.string()) for name in columns})
    rows = csv.reader(io.StringIO(lines.ahead.decode(), newline=""), delimiter=delimiter)
    header = next((row for row in rows if row), [])
    for name in columns:
        _require_column(name, header, stream.source.shown)
    try:
        table = pacsv.open_csv(
            pa.PythonFile(lines, mode="r"),
            # One thread, so that an error can name its row.
            read_options=pacsv.ReadOptions(use_threads=False, block_size=block_size),
            parse_options=pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            # Only a field with nothing in it is missing: "NA" may be a name, and so may a quoted "".
            convert_options=pacsv.ConvertOptions(
                include_columns=list(columns),
                column_types=dict.fromkeys(columns, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        ).read_all()
    except pa.ArrowInvalid as error:
        raise InputError(f"{stream.source.shown} cannot be read as a table: {str(error).splitlines()[0]}") from None
    # Arrow takes the rest of the file for one name then, and says nothing.
    if lines.quotes % 2:
        raise InputError(f'{stream.source.shown}: a quote (") is opened and never closed; {lines.quotes} in all')
    return table


class _Lines:
    """The content as a file, by way of the line reader: it finds invalid UTF-8 and lines that are too long."""

    closed = False

    def __init__(self, stream: Stream) -> None:
        self.chunks = read_line_chunks(stream)
        self.ahead, self.quotes = b"", 0
        self._fetch()

    def _fetch(self) -> None:
        chunk = next(self.chunks, None)
        self.ahead = b"" if chunk is None else chunk.data
        self.quotes += self.ahead.count(b'"')

    def read(self, size: int) -> bytes:
        if not self.ahead:
            self._fetch()
        data, self.ahead = self.ahead[:size], self.ahead[size:]
        return data

    def close(self) -> None:
        self.closed = True
