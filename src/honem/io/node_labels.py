"""NodeLabels: names, categories and coordinates of the nodes of a model, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from honem._internal.option_names import option
from honem._internal.optional_packages import require_package
from honem._internal.path_like import PathLike
from honem.corpus import Vocabulary
from honem.errors import InputError, ParameterError
from honem.io.paths.frames import is_table_like
from honem.io.tables import LATITUDE, LONGITUDE, NodeTable, parse_number
from honem.node_names import NodeNames

if TYPE_CHECKING:
    import pandas as pd

NAME = "name"
LabelSource: TypeAlias = "PathLike | NodeTable | NodeLabels | Mapping[str, Any] | Any"
"""A table file, a data frame or Arrow table, a mapping {column: {node: value}}, or labels of another model."""


@dataclass(frozen=True, eq=False)
class NodeLabels:
    """Facts about the nodes of a model: names, categories, coordinates.

    Attributes
    ----------
    vocabulary : Vocabulary
        The nodes.
    columns : mapping of str to tuple of str
        One text per node for each column, "" for missing values.
    name_column : str or None
        The column with the names under which nodes are shown; None if they have none.

    Raises
    ------
    ParameterError
        If a column does not have one text per node, there is no column of names, or longitudes and latitudes are not
        numbers of degrees.

    Examples
    --------
    >>> labels = NodeLabels.of({"port": {7: "Falkenberg"}, "lon": {7: 12.49}, "lat": {7: 56.9}}, Vocabulary((7, 8)))
    >>> labels["port"], labels.coordinates.tolist()
    (('Falkenberg', ''), [[12.49, 56.9], [nan, nan]])
    """

    vocabulary: Vocabulary
    columns: Mapping[str, tuple[str, ...]]
    name_column: str | None = None

    def __post_init__(self) -> None:
        for name, texts in self.columns.items():
            if len(texts) != len(self.vocabulary) or not all(isinstance(text, str) for text in texts):
                raise ParameterError(f"the labels {name!r} are not one text for each of {len(self.vocabulary)} nodes")
        if self.name_column is not None and self.name_column not in self.columns:
            raise ParameterError(f"the labels have no column {self.name_column!r} with names")
        _ = self.coordinates

    @classmethod
    def of(cls, source: LabelSource, vocabulary: Vocabulary, names: str | None = None) -> NodeLabels:
        """Return what a source says about the nodes of a vocabulary.

        Parameters
        ----------
        source : path-like, data frame, Arrow table, mapping or NodeLabels
            A CSV, TSV or Parquet file or a table in memory with the node in the first column, or a mapping
            {column: {node: value}}. Nodes are compared by their text.
        vocabulary : Vocabulary
            The nodes, at least one of which must be in the table.
        names : str or None, default=None
            The column with the names to show; None means the column `name`, in any case, if there is one.

        Returns
        -------
        NodeLabels

        Raises
        ------
        InputError
            If the file cannot be read, or a coordinate is not a number.
        ParameterError
            If the table lacks a column or describes none of the nodes.
        """
        if isinstance(source, NodeLabels):
            found = source.for_nodes(vocabulary)
            return found if names is None else replace(found, name_column=names)
        table = node_table(source)
        if names is None:
            names = next((column for column in table.facts if column.lower() == NAME), None)
        columns = {column: tuple(table.texts_for(vocabulary, column)) for column in table.facts}
        if names is not None and names not in columns:
            raise ParameterError(f"{table.shown} has no column {names!r}; it has {', '.join(columns)}")
        if _coordinate_columns(columns) is not None:
            _require_degrees(table)
        return cls(vocabulary, columns, names)

    @classmethod
    def of_coordinates(cls, vocabulary: Vocabulary) -> NodeLabels | None:
        """Return the coordinates that a vocabulary has itself.

        Parameters
        ----------
        vocabulary : Vocabulary
            The nodes.

        Returns
        -------
        NodeLabels or None
            None if it has none.
        """
        if vocabulary.coordinates is None:
            return None
        lon, lat = (tuple(map(_degrees_text, degrees)) for degrees in vocabulary.coordinates.T.tolist())
        return cls(vocabulary, {"lon": lon, "lat": lat})

    def __getitem__(self, column: str) -> tuple[str, ...]:
        """Return one text per node."""
        if column not in self.columns:
            raise ParameterError(f"the labels have no column {column!r}; they have {', '.join(self.columns)}")
        return self.columns[column]

    @property
    def names(self) -> tuple[str, ...] | None:
        """The name of each node, "" for nodes without one; None if there is no column of names."""
        return None if self.name_column is None else self.columns[self.name_column]

    @property
    def node_names(self) -> NodeNames | None:
        """What to show for each node; None if nodes are shown by their labels."""
        return None if self.names is None else NodeNames(self.vocabulary, self.names)

    @property
    def coordinate_columns(self) -> tuple[str, str] | None:
        """The names of the columns of longitudes and latitudes, if both are there."""
        return _coordinate_columns(self.columns)

    @cached_property
    def coordinates(self) -> NDArray[np.float64] | None:
        """Longitude and latitude of each node, NaN for unknown ones; None if there are no such columns."""
        found = self.coordinate_columns
        if found is None:
            return None
        degrees = np.column_stack([[_as_degrees(text) for text in self.columns[column]] for column in found])
        is_wrong = (np.abs(degrees) > (360, 90)) | np.isinf(degrees)
        if is_wrong.any():
            row = int(is_wrong.any(axis=1).argmax())
            raise ParameterError(
                f"the node {self.vocabulary[row]!r:.60} has the coordinates {degrees[row].tolist()}, which are not "
                "longitude and latitude in degrees; are they swapped?"
            )
        return degrees

    def for_nodes(self, vocabulary: Vocabulary) -> NodeLabels:
        """Return the labels for other nodes; those that are not known here have none.

        Parameters
        ----------
        vocabulary : Vocabulary
            The nodes. Their own coordinates are used where these labels have none.

        Returns
        -------
        NodeLabels
        """
        rows = [self.vocabulary.ids.get(node, -1) for node in vocabulary]
        columns = {name: tuple(text[row] for row in rows) for name, text in self._with_missing()}
        return NodeLabels(vocabulary, columns, self.name_column).completed()

    def _with_missing(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(name, (*texts, "")) for name, texts in self.columns.items()]

    def completed(self) -> NodeLabels:
        """Return the labels with the coordinates of the vocabulary, where they have none themselves."""
        own = NodeLabels.of_coordinates(self.vocabulary)
        if own is None:
            return self
        found = self.coordinate_columns
        if found is None:
            return replace(self, columns={**self.columns, **own.columns})
        known = zip(*(self.columns[column] for column in found), strict=True)
        both = [
            mine if all(mine) else other
            for mine, other in zip(known, zip(*own.columns.values(), strict=True), strict=True)
        ]
        return replace(self, columns={**self.columns, **dict(zip(found, zip(*both, strict=True), strict=True))})

    def to_arrow(self) -> pa.Table:
        """Return the labels as an Arrow table: the node, as text, and one column of texts for each label.

        Returns
        -------
        pyarrow.Table
        """
        nodes = pa.array(map(str, self.vocabulary), pa.large_string())
        texts = [pa.array(column, pa.large_string()) for column in self.columns.values()]
        return pa.table([nodes, *texts], names=["node", *self.columns])

    def to_pandas(self) -> pd.DataFrame:
        """Return the labels as a DataFrame of texts, indexed by node.

        Returns
        -------
        pandas.DataFrame

        Raises
        ------
        MissingDependencyError
            If pandas is not installed.
        """
        pandas = require_package("pandas", "pandas", "to_pandas")
        frame: pd.DataFrame = pandas.DataFrame(
            dict(self.columns), index=pandas.Index(list(self.vocabulary), name="node", dtype=object)
        )
        return frame

    @property
    def summary(self) -> str:
        """What is known, in a few words."""
        known = [] if self.names is None else [f"{sum(map(bool, self.names)):,} names ({self.name_column})"]
        if self.coordinates is not None:
            known.append(f"{np.isfinite(self.coordinates).all(axis=1).sum():,} coordinates")
        others = set(self.columns) - {self.name_column, *(self.coordinate_columns or ())}
        known += [f"columns {', '.join(name for name in self.columns if name in others)}"] if others else []
        return f"{len(self):,} nodes: {'; '.join(known)}"

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __repr__(self) -> str:
        shown = f", names in {self.name_column!r}" if self.name_column is not None else ""
        return f"NodeLabels({len(self)} nodes, columns {', '.join(self.columns)}{shown})"


def labels_for(source: LabelSource | None, names: str | None, vocabulary: Vocabulary) -> NodeLabels | None:
    """Return what a source and the vocabulary itself say about nodes; None if that is nothing."""
    if source is None:
        if names is not None:
            raise ParameterError(f"{option('names', names)} is a column of labels; give {option('labels')}, too")
        return NodeLabels.of_coordinates(vocabulary)
    return NodeLabels.of(source, vocabulary, names).completed()


def node_table(source: Any) -> NodeTable:
    """Return a source of labels as a table with one row per node."""
    if isinstance(source, NodeTable):
        return source
    if isinstance(source, Mapping) and all(isinstance(values, Mapping) for values in source.values()):
        return NodeTable.of(source)
    if is_table_like(source):
        # A frame of pandas has nodes in its index if that has a name or is not just a numbering of the rows.
        index = getattr(source, "index", None) if hasattr(source, "reset_index") else None
        has_nodes_in_index = index is not None and (index.name is not None or type(index).__name__ != "RangeIndex")
        try:
            return NodeTable("the table of labels", pa.table(source.reset_index() if has_nodes_in_index else source))
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise InputError(f"the table of labels cannot be read: {' '.join(str(error).split())}") from None
    return NodeTable.read(source)


def _coordinate_columns(columns: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the names of the columns of longitudes and latitudes, if both are there."""
    by_lower_case = {name.lower(): name for name in columns}
    lon, lat = (next((by_lower_case[name] for name in names if name in by_lower_case), None) for names in _BOTH)
    return None if lon is None or lat is None else (lon, lat)


_BOTH = (LONGITUDE, LATITUDE)


def _require_degrees(table: NodeTable) -> None:
    """Raise InputError, naming the row, if a longitude or latitude is not a number."""
    for column in _coordinate_columns(dict.fromkeys(table.facts)) or ():
        table.numbers(column)


def _as_degrees(text: str) -> float:
    number = parse_number(text)
    return float("nan") if number is None else number


def _degrees_text(degrees: float) -> str:
    return "" if degrees != degrees else repr(degrees)
