"""A Parquet file for Embedding Atlas: nodes with positions, labels, vectors and nearest neighbors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honem.embedding.projection import flat
from honem.errors import ParameterError
from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.text import output
from honem.io.labels import label_table

if TYPE_CHECKING:
    import pyarrow as pa

    from honem._internal.path_like import PathLike
    from honem.embedding import Embedding
    from honem.io.node_labels import NodeLabels

NEIGHBORS = 10


def atlas_table(embedding: Embedding, labels: NodeLabels | None = None) -> pa.Table:
    """Return an Arrow table with one row per node.

    Parameters
    ----------
    embedding : Embedding
        The vectors.
    labels : NodeLabels, optional
        Facts about the same nodes; each column of them is a column of the table.

    Returns
    -------
    pyarrow.Table
        The node; `x` and `y`, its place on the map of `honem explore`; `neighbors`, the rows of its ten nearest nodes,
        counted from 0, and their cosine distances; `vector`; and the columns of the labels, of which those that would
        have the name of another column are called `label_NAME`.

    Raises
    ------
    ParameterError
        If the labels are about other nodes.

    Examples
    --------
    >>> from honem import HONEM
    >>> embedding = HONEM(n_components=1, preset="paper").fit([["home", "downtown", "office"]] * 20).embedding_
    >>> atlas_table(embedding).column_names
    ['node', 'x', 'y', 'neighbors', 'vector']
    """
    import pyarrow as pa

    if labels is not None and labels.vocabulary.labels != embedding.nodes:
        raise ParameterError("labels must be about the nodes of the embedding")
    table = label_table(embedding.nodes)
    for axis, numbers in zip("xy", flat(embedding.source).T, strict=True):
        table = table.append_column(axis, pa.array(np.ascontiguousarray(numbers)))
    table = table.append_column("neighbors", _neighbors(embedding))
    vectors = pa.array(np.ascontiguousarray(embedding.source).reshape(-1))
    table = table.append_column("vector", pa.FixedSizeListArray.from_arrays(vectors, embedding.dimension))
    for name, texts in ({} if labels is None else labels.columns).items():
        column = f"label_{name}" if name in table.column_names else name
        table = table.append_column(column, pa.array([text or None for text in texts], pa.large_string()))
    return table


def _neighbors(embedding: Embedding) -> pa.StructArray:
    import pyarrow as pa

    ids, cosines = embedding.nearest(n=NEIGHBORS, space="cosine")
    offsets = pa.array(np.arange(len(ids) + 1, dtype=np.int32) * ids.shape[1])
    lists = [pa.ListArray.from_arrays(offsets, pa.array(part.ravel())) for part in (ids, 1 - cosines)]
    return pa.StructArray.from_arrays(lists, ["ids", "distances"])


def vectors_to_atlas(embedding: Embedding, path: PathLike, *, labels: NodeLabels | None = None) -> None:
    """Write the table of `atlas_table`."""
    import pyarrow.parquet as pq

    with output(path) as file:
        pq.write_table(atlas_table(embedding, labels), file, compression="zstd")


register(
    OutputFormat(
        "embedding-atlas",
        "vectors",
        ".atlas",
        "Embedding Atlas (Parquet)",
        vectors_to_atlas,
        options=("labels",),
        to_stdout=False,
    )
)
