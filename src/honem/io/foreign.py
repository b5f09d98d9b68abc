"""Vectors that were made elsewhere, as an Embedding: word2vec text, CSV, TSV, Parquet, or a store of honem."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from honem.corpus import Vocabulary
from honem.embedding import Embedding, Vectors
from honem.errors import InputError, ParameterError
from honem.io.formats.names import unescape
from honem.io.store import load

if TYPE_CHECKING:
    import pyarrow as pa


def read_vectors(path: str | os.PathLike[str]) -> Embedding:
    """The vectors in a file; the first column of a table is the node, the others are numbers or lists of numbers.

    Columns that are called `target`, or `target_...`, are target vectors, all others source vectors. Names in word2vec
    text are unescaped as honem escapes them (`New_x0020_York`).
    """
    place = Path(path)
    if place.is_dir():
        return load(place, with_rules=False).embedding
    readers: dict[str, Callable[[Path], Embedding]] = {
        ".vec": _read_word2vec,
        ".txt": _read_word2vec,
        ".csv": lambda file: _from_table(file, _read_csv(file, ",")),
        ".tsv": lambda file: _from_table(file, _read_csv(file, "\t")),
        ".parquet": lambda file: _from_table(file, _read_parquet(file)),
    }
    if place.suffix not in readers:
        raise ParameterError(f"{place}: vectors are read from {', '.join(readers)} or a folder of honem embed")
    if not place.is_file():
        raise InputError(f"no such file: {place}")
    return readers[place.suffix](place)


def _read_word2vec(path: Path) -> Embedding:
    with path.open(encoding="utf-8", newline="\n") as file:
        try:
            n_nodes, dimension = map(int, file.readline().split())
        except ValueError:
            raise InputError(f"{path}, line 1: word2vec text begins with how many nodes and dimensions") from None
        names, vectors = [], np.empty((n_nodes, dimension))
        for row, line in enumerate(file):
            name, *numbers = line.rstrip("\r\n ").split(" ")
            if row >= n_nodes or len(numbers) != dimension:
                raise InputError(f"{path}, line {row + 2}: not a name and {dimension} numbers, as line 1 says")
            names.append(unescape(name))
            vectors[row] = _numbers(numbers, f"{path}, line {row + 2}")
    if len(names) != n_nodes:
        raise InputError(f"{path}: {len(names)} nodes, not {n_nodes} as line 1 says")
    return _embedding(path, names, vectors, None)


def _numbers(words: Sequence[str], where: str) -> list[float]:
    try:
        return [float(word) for word in words]
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def _read_csv(path: Path, delimiter: str) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv

    try:
        header = path.open(encoding="utf-8").readline().split(delimiter)[0].strip().strip('"')
        options = csv.ConvertOptions(column_types={header: pa.string()}, strings_can_be_null=False)
        return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=delimiter), convert_options=options)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {' '.join(str(error).split())}") from None


def _read_parquet(path: Path) -> pa.Table:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(path).read()
    except pa.ArrowException as error:
        raise InputError(f"{path} cannot be read: {' '.join(str(error).split())}") from None


def _from_table(path: Path, table: pa.Table) -> Embedding:
    node, *columns = table.column_names
    sides = [[name for name in columns if name.startswith("target") == is_target] for is_target in (False, True)]
    if not sides[0]:
        raise InputError(f"{path} has no columns of numbers beside {node!r}")
    source, target = (np.hstack([_column(path, table, name) for name in names]) if names else None for names in sides)
    assert source is not None
    return _embedding(path, table.column(node).to_pylist(), source, target)


def _column(path: Path, table: pa.Table, name: str) -> Vectors:
    """A column of numbers, or of lists of equally many numbers, a row a node."""
    import pyarrow as pa

    values = table.column(name)
    try:
        if pa.types.is_nested(values.type):
            return np.array(values.to_pylist(), dtype=np.float64).reshape(len(table), -1)
        return np.asarray(values.cast(pa.float64()), dtype=np.float64)[:, None]
    except (pa.ArrowException, ValueError) as error:
        raise InputError(f"{path}: column {name!r} is not one of numbers ({error})") from None


def _embedding(path: Path, names: Sequence[Any], source: Vectors, target: Vectors | None) -> Embedding:
    if len(set(names)) != len(names):
        raise InputError(f"{path}: the node {next(n for n in names if names.count(n) > 1)!r} stands there twice")
    if not np.isfinite(source).all() or (target is not None and not np.isfinite(target).all()):
        raise InputError(f"{path} holds numbers that are not finite")
    return Embedding(Vocabulary(tuple(names)), source, target)
