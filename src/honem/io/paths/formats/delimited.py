"""Tables in delimited text files: CSV and TSV."""

from __future__ import annotations

import csv
import io
from functools import partial
from typing import Any

from honem._internal.option_names import option
from honem.errors import InputError, ParameterError
from honem.io.paths.lines import CHUNK_BYTES, read_line_chunks
from honem.io.paths.options import EventLayout, JsonLayout
from honem.io.paths.registry import DEFAULT_FORMAT, TableFormat, register
from honem.io.paths.settings import Settings, table_layout
from honem.io.paths.sources import Stream

NO_DELIMITERS = '"\r\n\0'


def read_delimited(stream: Stream, layout: EventLayout | JsonLayout, default_delimiter: str) -> Any:
    """Read the columns that are needed, as strings."""
    import pyarrow as pa

    from honem.io.paths.tables import require_column

    columns, delimiter = layout.columns, getattr(layout, "delimiter", None) or default_delimiter
    lines = _Lines(stream)
    if not lines.ahead:
        return pa.table({name: pa.array([], pa.string()) for name in columns})
    header = _header(lines, delimiter, stream.source.shown)
    for name in columns:
        require_column(name, header, stream.source.shown)
    try:
        table = _parse(lines, columns, delimiter)
    except pa.ArrowInvalid as error:
        if "straddl" in str(error):
            # Arrow advises to raise its block size, which is made of our limit.
            raise InputError(
                f"{stream.source.shown}: a row is longer than {option('max_line_bytes')} = {lines.longest} bytes; is a "
                f'quote (") opened and never closed? Raise {option("max_line_bytes")} if that is right'
            ) from None
        raise InputError(f"{stream.source.shown} cannot be read as a table: {str(error).splitlines()[0]}") from None
    # Arrow then takes the rest of the file for one value, without an error.
    if lines.quotes % 2:
        raise InputError(f'{stream.source.shown}: a quote (") is opened and never closed; {lines.quotes} in all')
    return table


def _header(lines: _Lines, delimiter: str, shown: str) -> list[str]:
    """Return the names of the columns."""
    rows = csv.reader(io.StringIO(lines.ahead.decode(), newline=""), delimiter=delimiter)
    try:
        return next((row for row in rows if row), [])
    except csv.Error as error:
        raise InputError(
            f'{shown}: the header cannot be read ({error}); is a quote (") opened and never closed?'
        ) from None


def _parse(lines: _Lines, columns: tuple[str, ...], delimiter: str) -> Any:
    import pyarrow as pa
    import pyarrow.csv as pacsv

    # Arrow asks for blocks of this size, gets the shorter ones of `lines`, and has a limit of 2 GiB.
    block_size = min(lines.longest + 4 * CHUNK_BYTES, 2**31 - 1)
    return pacsv.open_csv(
        pa.PythonFile(lines, mode="r"),
        # One thread, so that an error can name its row.
        read_options=pacsv.ReadOptions(use_threads=False, block_size=block_size),
        parse_options=pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        # Only an empty, unquoted field is missing: "NA" may be a name, and so may a quoted "".
        convert_options=pacsv.ConvertOptions(
            include_columns=list(columns),
            column_types=dict.fromkeys(columns, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    ).read_all()


class _Lines:
    """The content as a file for Arrow, from the line reader, which finds invalid UTF-8 and lines that are too long.

    Arrow's rows must not extend over more than two blocks, so a block does not end within quotes, up to the length that
    a line may have.
    """

    closed = False

    def __init__(self, stream: Stream) -> None:
        self.chunks = read_line_chunks(stream)
        self.longest = stream.limits.max_line_bytes
        self.ahead, self.quotes = b"", 0
        self._fetch()

    def _fetch(self) -> None:
        block = bytearray()
        while chunk := next(self.chunks, None):
            block += chunk.data
            self.quotes += chunk.data.count(b'"')
            if self.quotes % 2 == 0 or len(block) > self.longest:
                break
        self.ahead = bytes(block)

    def read(self, size: int) -> bytes:
        if not self.ahead:
            self._fetch()
        data, self.ahead = self.ahead[:size], self.ahead[size:]
        return data

    def close(self) -> None:
        self.closed = True


def _layout(settings: Settings) -> EventLayout | JsonLayout:
    layout = table_layout(settings)
    require_delimiter(settings)
    return layout


def require_delimiter(settings: Settings) -> None:
    """Raise ParameterError unless the delimiter, if one is given, can separate the columns of a table."""
    delimiter = settings.given.get("delimiter")
    if delimiter is not None and not (isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()):
        raise ParameterError(f"{option('delimiter')} must be one ASCII character for a table, not {delimiter!r}")
    if delimiter is not None and delimiter in NO_DELIMITERS:
        raise ParameterError(f"{option('delimiter')} cannot be {delimiter!r}, which has another meaning in a table")


def _resolve(name: str, shown: str, settings: Settings) -> str:
    """Tell an event table from lines of sequences by the options given."""
    if settings.given.get("entity") is not None:
        return name
    if settings.given.get("delimiter") is None:
        raise ParameterError(
            f"{shown} can be a table with one row per visit (name its columns with {option('entity')} and "
            f"{option('node')}) or one sequence per line (give the {option('delimiter')})"
        )
    return DEFAULT_FORMAT


for _name, _delimiter in (("csv", ","), ("tsv", "\t")):
    register(
        TableFormat(
            name=_name,
            extensions=(f".{_name}",),
            description=f"{_name.upper()} table with a header: one row per visit",
            layouts=(EventLayout, JsonLayout),
            layout=_layout,
            resolve=partial(_resolve, _name),
            read=partial(read_delimited, default_delimiter=_delimiter),
        )
    )
