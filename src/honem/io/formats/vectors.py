"""Vectors as Parquet, CSV, NumPy files, word2vec text and TensorBoard's projector."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from honem.embedding import Embedding, Vectors, Which
from honem.io.atomic import PathLike, check_file_place
from honem.io.formats.names import CONTROLS, csv_cells, escaper, names_of
from honem.io.formats.text import format_of, output, send_lines, write_lines
from honem.io.labels import label_json, label_table

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_AT_ONCE = 1 << 12


def write_vectors(embedding: Embedding, path: PathLike) -> None:
    """Write vectors in the format that the ending says."""
    format_of(path, FORMATS)(embedding, path)


def check_vectors_path(path: PathLike) -> None:
    """Refuse, before any work is done, a path that `write_vectors` could not write."""
    format_of(path, FORMATS)
    check_file_place(path)


def arrow_table(embedding: Embedding) -> pa.Table:
    """A row a node: the node, and a list of numbers for each of its vectors."""
    import pyarrow as pa

    table = label_table(embedding.nodes)
    for name, vectors in (("source", embedding.source), ("target", embedding.target)):
        if vectors is not None:
            values = pa.array(np.ascontiguousarray(vectors).reshape(-1))
            table = table.append_column(name, pa.FixedSizeListArray.from_arrays(values, embedding.dimension))
    return table


def to_parquet(embedding: Embedding, path: PathLike) -> None:
    """The table of `arrow_table` in a file."""
    import pyarrow.parquet as pq

    with output(path) as file:
        pq.write_table(arrow_table(embedding), file, compression="zstd", row_group_size=1 << 16)


def to_csv(embedding: Embedding, path: PathLike, *, spreadsheet_safe: bool = False) -> None:
    """A header, and a row a node: its name, source_0, source_1, ..., target_0, target_1, ..."""
    cells = csv_cells(names_of(embedding.nodes), spreadsheet_safe)
    header = ",".join(["node", *embedding.feature_names()])
    matrix = embedding.source if embedding.target is None else np.hstack((embedding.source, embedding.target))
    write_lines(path, _with_header(header, _rows(cells, matrix, ",")))


def to_npy(embedding: Embedding, path: PathLike, *, vectors: Which = "source") -> None:
    """One matrix as `.npy`, and the node of each row as a JSON list beside it (`vectors.npy`, `vectors.nodes.json`)."""
    matrix, _ = embedding.to_matrix(vectors)
    with output(beside(path, ".nodes.json")) as nodes, output(path) as file:
        nodes.write(_labels_json(embedding))
        # Not the file itself: past its buffers NumPy would not say why a write failed.
        np.save(SimpleNamespace(write=file.write), matrix, allow_pickle=False)


def to_npz(embedding: Embedding, path: PathLike) -> None:
    """All arrays in one `.npz`; `nodes_json` are the bytes of a JSON list: `json.loads(bytes(arrays["nodes_json"]))`.

    An array of texts would give each the length of the longest, and lose zeros at their ends; one of objects would
    need pickle, which runs whatever a file says.
    """
    named = {"source": embedding.source, "target": embedding.target, "singular_values": embedding.singular_values}
    arrays: dict[str, Any] = {name: values for name, values in named.items() if values is not None}
    with output(path) as file:
        # Without allow_pickle, which NumPy 2.0 would store as one more array.
        np.savez(file, nodes_json=np.frombuffer(_labels_json(embedding), np.uint8), **arrays)


def to_word2vec(embedding: Embedding, path: PathLike, *, vectors: Which = "source") -> None:
    """The text format of word2vec: a line with both sizes, then a name and its numbers a line, between spaces.

    White space and control characters in names are escaped (`New_x0020_York`); `unescape` of `writers.names` undoes it.
    """
    escape = escaper(r"\s" + CONTROLS)
    matrix, _ = embedding.to_matrix(vectors)
    names = [escape(name) for name in names_of(embedding.nodes)]
    write_lines(path, _with_header(f"{len(names)} {matrix.shape[1]}", _rows(names, matrix, " ")))


def to_projector(embedding: Embedding, path: PathLike, *, vectors: Which = "source") -> None:
    """The pair of TSV files of TensorBoard's projector: numbers, and beside them names (`x.tsv`, `x.metadata.tsv`).

    Tabs, line ends and other control characters in names are escaped.
    """
    escape = escaper(CONTROLS)
    matrix, _ = embedding.to_matrix(vectors)
    names = [escape(name) for name in names_of(embedding.nodes)]
    with output(beside(path, ".metadata.tsv")) as metadata, output(path) as file:
        send_lines(metadata, (f"{name}\n" for name in names))
        send_lines(file, _rows(None, matrix, "\t"))


def beside(path: PathLike, ending: str) -> Path:
    """The file that goes with another: `x.npy` and `x.nodes.json`."""
    return Path(os.path.splitext(os.fspath(path))[0] + ending)


def _with_header(header: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"{header}\n"
    yield from lines


def _rows(names: list[str] | None, matrix: Vectors, delimiter: str) -> Iterator[str]:
    """Each row as a line, its name first; numbers as short as they can be read back exactly."""
    for start in range(0, len(matrix), ROWS_AT_ONCE):
        lines = _number_lines(matrix[start : start + ROWS_AT_ONCE], delimiter)
        if names is None:
            yield from lines
        else:
            yield from (f"{name}{delimiter}{line}" for name, line in zip(names[start:], lines, strict=False))


def _number_lines(rows: Vectors, delimiter: str) -> list[str]:
    """Rows of numbers as lines of text: Arrow writes them several times as fast as Python."""
    import pyarrow as pa
    from pyarrow import csv

    columns = [np.ascontiguousarray(column) for column in rows.T]
    written = pa.BufferOutputStream()
    options = csv.WriteOptions(include_header=False, delimiter=delimiter)
    csv.write_csv(pa.table(columns, names=[str(number) for number in range(len(columns))]), written, options)
    text: str = written.getvalue().to_pybytes().decode("ascii")
    return text.splitlines(keepends=True)


def _labels_json(embedding: Embedding) -> bytes:
    """The labels as a JSON list, with tuples as lists."""
    return f"[{', '.join(map(label_json, embedding.nodes))}]\n".encode()


FORMATS: dict[str, Callable[[Embedding, PathLike], None]] = {
    ".parquet": to_parquet,
    ".csv": to_csv,
    ".npy": to_npy,
    ".npz": to_npz,
    ".vec": to_word2vec,
    ".tsv": to_projector,
}
