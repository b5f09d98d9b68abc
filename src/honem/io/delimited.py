"""Parse CSV and TSV files into columns of text; errors name the line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain, islice

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from honem.errors import InputError
from honem.io.paths.lines import read_line_chunks
from honem.io.paths.options import Limits
from honem.io.paths.sources import ByteCount, InputSource, Stream

DELIMITERS = {".csv": ",", ".tsv": "\t"}
ROWS_AT_ONCE = 1 << 12


def text_lines(source: InputSource) -> Iterator[str]:
    r"""Yield the lines of a UTF-8 text file, plain or compressed, each with its `\n`."""
    with Stream(source, Limits(), ByteCount((), None)) as stream:
        for chunk in read_line_chunks(stream):
            yield from io.StringIO(chunk.data.decode(), newline="\n")


def read_delimited(source: InputSource) -> tuple[pa.Table, NDArray[np.int64]]:
    """Read a CSV or TSV file with a header: its columns as text, and the line on which each row starts.

    Raises
    ------
    InputError
        If the file cannot be read or is empty, a row is not as long as the header, a quote is not closed, or a field is
        too long; the message names the line.
    """
    rows = _rows_of(source)
    _, header = next(rows, (0, None))
    if header is None:
        raise InputError(f"{source.shown} is empty; a table starts with a header")
    batches, lines = [_batch([], header)], []
    while block := list(islice(rows, ROWS_AT_ONCE)):
        for line, row in block:
            if len(row) != len(header):
                raise InputError(
                    f"{source.shown}, line {line}: the header has {len(header)} fields, this row has {len(row)}"
                )
        lines += [line for line, _ in block]
        batches.append(_batch([row for _, row in block], header))
    return pa.concat_tables(batches), np.array(lines, np.int64)


def _batch(rows: list[list[str]], header: list[str]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    return pa.table([pa.array(column, pa.large_string()) for column in columns], names=header)


def _rows_of(source: InputSource) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each row that is not blank, and the line on which it starts."""
    lines = text_lines(source)
    first = next(lines, "")
    delimiter = DELIMITERS.get(source.extensions[0]) or ("\t" if "\t" in first else ",")
    reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{source.shown}, line {line}: {_explained(error)}") from None
        if row is None:
            return
        if any(field.strip() for field in row):
            yield line, row


def _explained(error: csv.Error) -> str:
    if "unexpected end of data" in str(error):
        return 'a quote (") is opened and never closed'
    if "field limit" in str(error):
        return f'a field is longer than {csv.field_size_limit():,} characters; is a quote (") not closed?'
    return f'{error}; write a field that contains quotes as "a ""quoted"" word"'
