"""Vectors, rules and profiles as Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.rule_rows import parts
from honem.io.formats.text import output
from honem.io.labels import label_table

if TYPE_CHECKING:
    import pyarrow as pa

    from honem._internal.path_like import PathLike
    from honem.embedding import Embedding
    from honem.profile import NodeProfile
    from honem.rules import RuleTable


def vector_table(embedding: Embedding) -> pa.Table:
    """Return an Arrow table with one row per node: the node, and one list of numbers for each of its vectors."""
    import pyarrow as pa

    table = label_table(embedding.nodes)
    for name, vectors in (("source", embedding.source), ("target", embedding.target)):
        if vectors is not None:
            values = pa.array(np.ascontiguousarray(vectors).reshape(-1))
            table = table.append_column(name, pa.FixedSizeListArray.from_arrays(values, embedding.dimension))
    return table


def vectors_to_parquet(embedding: Embedding, path: PathLike) -> None:
    """Write the table of `vector_table`."""
    import pyarrow.parquet as pq

    with output(path) as file:
        pq.write_table(vector_table(embedding), file, compression="zstd", row_group_size=1 << 16)


def rules_to_parquet(rules: RuleTable, path: PathLike) -> None:
    """Write the table of `RuleTable.to_arrow`, a part of the rules at a time."""
    import pyarrow.parquet as pq

    with output(path) as file:
        rest = parts(rules)
        first = next(rest).to_arrow()
        with pq.ParquetWriter(file, first.schema, compression="zstd") as writer:
            writer.write_table(first)
            for part in rest:
                writer.write_table(part.to_arrow())


def profile_to_parquet(profile: NodeProfile, path: PathLike) -> None:
    """Write the table of `NodeProfile.to_arrow`."""
    import pyarrow.parquet as pq

    with output(path) as file:
        pq.write_table(profile.to_arrow(), file, compression="zstd")


register(
    OutputFormat("parquet", "vectors", ".parquet", "pandas, polars, DuckDB, Spark", vectors_to_parquet, to_stdout=False)
)
register(
    OutputFormat("parquet", "rules", ".parquet", "pandas, polars, DuckDB, Spark", rules_to_parquet, to_stdout=False)
)
register(
    OutputFormat("parquet", "profile", ".parquet", "pandas, polars, DuckDB, Spark", profile_to_parquet, to_stdout=False)
)
