"""Read vectors made by other tools as an Embedding: word2vec text, CSV, TSV, Parquet, or a folder of `honem embed`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from honem._internal.path_like import PathLike
from honem.corpus import Vocabulary
from honem.embedding import Embedding, Vectors
from honem.errors import InputError, ParameterError
from honem.io.delimited import text_lines
from honem.io.formats.names import unescape
from honem.io.paths.sources import InputSource
from honem.io.store import load
from honem.io.tables import NodeTable, first_repeat

WORD2VEC, TABLES = (".vec", ".txt"), (".csv", ".tsv", ".parquet")


def read_vectors(path: PathLike) -> Embedding:
    """Read vectors from a file or from a folder of `honem embed`.

    Parameters
    ----------
    path : str or path-like
        The format is inferred from the extension: `.vec` and `.txt` are word2vec text, `.csv`, `.tsv` and `.parquet`
        are tables. Text files may be compressed (`.gz`, `.zst`). The first column of a table is the node; the others
        are numbers or, in Parquet, lists of numbers. Columns whose names start with `target` are target vectors, all
        others source vectors. In word2vec text, names are unescaped as honem escapes them (`New_x0020_York`).

    Returns
    -------
    Embedding

    Raises
    ------
    ParameterError
        If the extension is unknown.
    InputError
        If the file does not exist, is not in its format, has a node twice or has numbers that are not finite.
    """
    place = Path(path)
    if place.is_dir():
        return load(place, with_rules=False).embedding
    source = InputSource(str(place))
    ending = source.extensions[0]
    if ending not in (*WORD2VEC, *TABLES):
        raise ParameterError(
            f"{place}: vectors are read from {', '.join((*WORD2VEC, *TABLES))} or a folder of honem embed"
        )
    return _read_word2vec(source) if ending in WORD2VEC else _from_table(NodeTable.read(place))


def _read_word2vec(source: InputSource) -> Embedding:
    shown, lines = source.shown, text_lines(source)
    try:
        n_nodes, dimension = map(int, next(lines, "").split())
        vectors = np.empty((n_nodes, dimension))
    except ValueError:
        raise InputError(
            f"{shown}, line 1: word2vec text starts with the number of nodes and the number of dimensions"
        ) from None
    names = []
    for row, line in enumerate(lines):
        name, *numbers = line.rstrip("\r\n ").split(" ")
        if row >= n_nodes or len(numbers) != dimension:
            raise InputError(f"{shown}, line {row + 2}: expected a name and {dimension} numbers, as line 1 says")
        names.append(unescape(name))
        vectors[row] = _numbers(numbers, f"{shown}, line {row + 2}")
    if len(names) != n_nodes:
        raise InputError(f"{shown}: {len(names)} nodes, not {n_nodes} as line 1 says")
    if repeat := first_repeat(names):
        raise InputError(f"{shown}, line {repeat[1] + 2}: the node {names[repeat[1]]!r:.60} occurs twice")
    return _embedding(shown, names, vectors, None)


def _numbers(words: Sequence[str], where: str) -> list[float]:
    try:
        return [float(word) for word in words]
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def _from_table(table: NodeTable) -> Embedding:
    sides = [[name for name in table.facts if name.startswith("target") == is_target] for is_target in (False, True)]
    if not sides[0]:
        raise InputError(f"{table.shown} has only target vectors; name some columns of source vectors otherwise")
    source, target = (np.hstack([_matrix(table, name) for name in names]) if names else None for names in sides)
    assert source is not None
    return _embedding(table.shown, table.nodes, source, target)


def _matrix(table: NodeTable, name: str) -> Vectors:
    """Return a column of numbers, or of lists of equally many numbers, as a matrix with one row per node."""
    values = table.column(name)
    if not pa.types.is_nested(values.type):
        return table.numbers(name)[:, None]
    try:
        return np.array(values.to_pylist(), dtype=np.float64).reshape(len(values), -1)
    except ValueError as error:
        raise InputError(
            f"{table.shown}: column {name!r} does not hold lists of equally many numbers ({error})"
        ) from None


def _embedding(shown: str, nodes: Sequence[Hashable], source: Vectors, target: Vectors | None) -> Embedding:
    if not np.isfinite(source).all() or (target is not None and not np.isfinite(target).all()):
        raise InputError(f"{shown} contains numbers that are missing or not finite")
    return Embedding(Vocabulary(tuple(nodes)), source, target)
