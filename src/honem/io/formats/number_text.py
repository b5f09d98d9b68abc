"""Rows of numbers as text, shared by the formats that write vectors as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from honem.embedding import Vectors

ROWS_AT_ONCE = 1 << 12


def with_header(header: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield a header line, then the lines."""
    yield f"{header}\n"
    yield from lines


def number_rows(names: list[str] | None, matrix: Vectors, delimiter: str) -> Iterator[str]:
    """Yield one line per row, its name first; numbers are as short as possible while they can be read back exactly."""
    for start in range(0, len(matrix), ROWS_AT_ONCE):
        lines = _number_lines(matrix[start : start + ROWS_AT_ONCE], delimiter)
        if names is None:
            yield from lines
        else:
            yield from (f"{name}{delimiter}{line}" for name, line in zip(names[start:], lines, strict=False))


def _number_lines(rows: Vectors, delimiter: str) -> list[str]:
    """Format rows of numbers with Arrow, which is several times as fast as Python."""
    import pyarrow as pa
    from pyarrow import csv

    columns = [np.ascontiguousarray(column) for column in rows.T]
    written = pa.BufferOutputStream()
    options = csv.WriteOptions(include_header=False, delimiter=delimiter)
    csv.write_csv(pa.table(columns, names=[str(number) for number in range(len(columns))]), written, options)
    text: str = written.getvalue().to_pybytes().decode("ascii")
    return text.splitlines(keepends=True)
