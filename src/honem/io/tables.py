"""The reader of small tables: labels and coordinates of nodes, vectors from other tools, results of an evaluation.

A table is a CSV or TSV file (UTF-8, with or without a byte order mark; plain, gzip or zstd) or a Parquet file. The
rules are the same for all of them: the first row is the header, every row has as many fields as the header, blank rows
are skipped, and an empty field is a missing value. Everything else is an `InputError` that names the file and the line.
"""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from honem._internal.path_like import PathLike
from honem.corpus import Vocabulary
from honem.errors import InputError, ParameterError
from honem.io.delimited import read_delimited
from honem.io.paths.sources import InputSource

MISSING_NUMBERS = frozenset(("", "na", "n/a", "nan", "null", "none"))
LONGITUDE, LATITUDE = ("lon", "lng", "longitude"), ("lat", "latitude")


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length.

    Attributes
    ----------
    shown : str
        Name of the table in error messages.
    columns : pyarrow.Table
        The columns. Those of a CSV or TSV file are text.
    lines : array of int or None
        The line of the file on which each row starts; None if the table is not a text file.
    """

    shown: str
    columns: pa.Table
    lines: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if repeat := first_repeat(self.names):
            name = self.names[repeat[0]]
            raise InputError(f"{self.shown}: more than one column is called {name!r:.60}; column names must be unique")

    @classmethod
    def read(cls, path: PathLike) -> Self:
        """Read a CSV, TSV or Parquet file.

        Parameters
        ----------
        path : str or path-like
            `.parquet` files are read as Parquet, all others as text. Columns are separated by commas in `.csv` files
            and by tabs in `.tsv` files, each also with `.gz` or `.zst` appended. In files with any other extension
            they are separated by tabs if the first line contains one, and by commas otherwise.

        Raises
        ------
        InputError
            If the file cannot be read, is empty or is not a table.
        """
        source = InputSource(os.fspath(path))
        if source.extensions[0] == ".parquet":
            return cls(source.shown, read_parquet(source.name))
        return cls(source.shown, *read_delimited(source))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns.column_names)

    def place(self, row: int) -> str:
        """Name a row, counted from 0, for an error message."""
        return f"{self.shown}, row {row + 1}" if self.lines is None else f"{self.shown}, line {self.lines[row]}"

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column by its name; an unknown name raises ParameterError."""
        if name not in self.names:
            raise ParameterError(f"{self.shown} has no column {name!r}; its columns are {', '.join(self.names)}")
        return self.columns.column(name)

    def texts(self, name: str) -> list[str]:
        """Return a column as text, with "" for missing values."""
        return ["" if value is None else str(value) for value in self.column(name).to_pylist()]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a column as numbers, with NaN for missing values.

        In text, an empty field and the words NA, N/A, NaN, null and none, in any case, are missing values. Any other
        text that is not a number raises InputError.
        """
        try:
            # Takes numbers of any type, and text in which every value is a number.
            return np.asarray(self.column(name).cast(pa.float64(), safe=False), dtype=np.float64)
        except pa.ArrowException:
            return np.array(self._parsed(name), dtype=np.float64)

    def _parsed(self, name: str) -> list[float]:
        texts = self.texts(name)
        numbers = [math.nan if text.lower() in MISSING_NUMBERS else parse_number(text) for text in texts]
        if None in numbers:
            row = numbers.index(None)
            raise InputError(f"{self.place(row)}: {texts[row]!r:.60} in column {name!r} is not a number")
        return [number for number in numbers if number is not None]


@dataclass(frozen=True, eq=False)
class NodeTable(Table):
    """A table with one row per node: the node in the first column, facts about it in the others.

    Nodes are compared by their text: the row of `"7"` in a CSV file describes the node `7` of a vocabulary.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.names) < 2:
            # The one name may be a whole header that was not split.
            hint = f": {self.names[0]!r:.60}; separate columns by commas (.csv) or tabs (.tsv)" if self.names else ""
            raise InputError(f"{self.shown} needs two or more columns, the node first, but has {len(self.names)}{hint}")
        if not self.columns.num_rows:
            raise InputError(f"{self.shown} has no rows")
        self._require_distinct_nodes()

    @classmethod
    def of(cls, columns: Mapping[str, Mapping[Any, Any]], shown: str = "the table of labels") -> Self:
        """Make a table of a mapping of columns, each a mapping of nodes to values.

        >>> table = NodeTable.of({"name": {7: "Falkenberg"}, "lon": {7: 12.49, 8: 0.0}})
        >>> table.labels("name"), table.numbers("lon").tolist()
        ({'7': 'Falkenberg'}, [12.49, 0.0])
        """
        nodes = list(dict.fromkeys(node for values in columns.values() for node in values))
        texts = [map(str, nodes), *(_texts_of(values, nodes) for values in columns.values())]
        arrays = [pa.array(column, pa.large_string()) for column in texts]
        return cls(shown, pa.table(arrays, names=["", *columns]))

    def _require_distinct_nodes(self) -> None:
        if self.columns.column(0).null_count:
            row = self.columns.column(0).to_pylist().index(None)
            raise InputError(f"{self.place(row)}: there is no node in the first column, {self.names[0]!r}")
        if len(self._rows) < self.columns.num_rows and (repeat := first_repeat(self.texts(self.names[0]))):
            first, second = repeat
            raise InputError(
                f"{self.place(second)}: the node {self.nodes[second]!r:.60} occurs twice, first in {self.place(first)}"
            )

    @property
    def facts(self) -> tuple[str, ...]:
        """The names of all columns but the first."""
        return self.names[1:]

    @cached_property
    def nodes(self) -> tuple[Hashable, ...]:
        """The nodes: text from a text file, text or numbers from Parquet."""
        return tuple(self.columns.column(0).to_pylist())

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {node: row for row, node in enumerate(self.texts(self.names[0]))}

    def labels(self, name: str) -> dict[Hashable, str]:
        """Return a column as a mapping of nodes, as text, to values; nodes without a value are left out."""
        self._require_fact(name)
        return {node: value for node, value in zip(self._rows, self.texts(name), strict=True) if value}

    def rows_of(self, vocabulary: Vocabulary) -> NDArray[np.int64]:
        """Return the row of each node of a vocabulary, -1 for nodes that are not in the table.

        Raises
        ------
        ParameterError
            If no node of the vocabulary is in the table.
        """
        rows = np.array([self._rows.get(str(label), -1) for label in vocabulary], np.int64)
        if len(rows) and (rows < 0).all():
            raise ParameterError(
                f"{self.shown} describes none of the {len(rows)} nodes: it has nodes such as "
                f"{next(iter(self._rows))!r:.60}, the data has {vocabulary[0]!r:.60}"
            )
        return rows

    def texts_for(self, vocabulary: Vocabulary, name: str) -> list[str]:
        """Return the values of a column for the nodes of a vocabulary as text, with "" for missing values."""
        self._require_fact(name)
        texts = [*self.texts(name), ""]
        return [texts[row] for row in self.rows_of(vocabulary).tolist()]

    def numbers_for(self, vocabulary: Vocabulary, name: str) -> NDArray[np.float64]:
        """Return the values of a column for the nodes of a vocabulary as numbers, with NaN for missing values."""
        self._require_fact(name)
        return np.append(self.numbers(name), math.nan)[self.rows_of(vocabulary)]

    def coordinates(self, vocabulary: Vocabulary) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return longitudes and latitudes for the nodes of a vocabulary, with NaN for missing values.

        Longitudes are in the column lon, lng or longitude, latitudes in lat or latitude, in any case.

        Raises
        ------
        ParameterError
            If one of the columns is not there.
        """
        longitudes, latitudes = (self.numbers_for(vocabulary, self._first_of(names)) for names in (LONGITUDE, LATITUDE))
        return longitudes, latitudes

    def _first_of(self, wanted: tuple[str, ...]) -> str:
        by_lower_case = {name.lower(): name for name in self.facts}
        found = next((by_lower_case[name] for name in wanted if name in by_lower_case), None)
        if found is None:
            raise ParameterError(f"{self.shown} has no column {' or '.join(wanted)}; it has {', '.join(self.facts)}")
        return found

    def _require_fact(self, name: str) -> None:
        if name not in self.facts:
            raise ParameterError(f"{self.shown} has no column {name!r}; it has {', '.join(self.facts)}")


def first_repeat(values: Iterable[Hashable]) -> tuple[int, int] | None:
    """Return the positions of the first value that occurs again and of its second occurrence, or None.

    >>> first_repeat("abcb"), first_repeat("abc")
    ((1, 3), None)
    """
    seen: dict[Hashable, int] = {}
    for position, value in enumerate(values):
        if seen.setdefault(value, position) != position:
            return seen[value], position
    return None


def parse_number(text: str) -> float | None:
    """Return the number that a text is, or None.

    >>> parse_number("1e3"), parse_number("one")
    (1000.0, None)
    """
    try:
        return float(text)
    except ValueError:
        return None


def _texts_of(values: Mapping[Any, Any], nodes: Iterable[Hashable]) -> list[str]:
    return ["" if (value := values.get(node)) is None else str(value) for node in nodes]


def read_parquet(path: PathLike) -> pa.Table:
    """Read a whole Parquet file; a file that cannot be read raises InputError."""
    import pyarrow.parquet as pq

    try:
        # ParquetFile takes no columns from a folder name that looks like `key=value`. As bytes, because a name need not
        # be UTF-8.
        with pa.OSFile(os.fsencode(path)) as file:
            return pq.ParquetFile(file).read()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{os.fspath(path)} cannot be read as Parquet: {' '.join(str(error).split())}") from None
