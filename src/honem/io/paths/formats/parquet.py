"""Tables in Parquet files."""

from __future__ import annotations

from typing import Any

from honem.io.paths.options import MIB, EventLayout, JsonLayout
from honem.io.paths.registry import TableFormat, register
from honem.io.paths.settings import table_layout
from honem.io.paths.sources import Stream

BATCH_ROWS, BATCH_LISTS = 2**16, 2**8
BATCH_BYTES = 64 * MIB


def read_parquet(stream: Stream, layout: EventLayout | JsonLayout) -> Any:
    """Read the columns that are needed, batch by batch."""
    from honem.io.paths.tables import collect_batches, opened_file, require_column

    with opened_file(stream, "parquet") as file:
        import pyarrow.parquet as pq

        metadata = pq.read_metadata(file)
        for name in layout.columns:
            require_column(name, metadata.schema.to_arrow_schema().names, stream.source.shown)
        # Nothing of single columns: damaged metadata of a column kills the process when it is read from Python.
        stream.require_size(sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups)))
        leaves = [metadata.schema.column(number) for number in range(metadata.num_columns)]
        wanted = [leaf for leaf in leaves if leaf.path.split(".")[0] in layout.columns]
        # Strings stay encoded: a long one that is repeated in every row would fill the memory.
        texts = [leaf.path for leaf in wanted if leaf.physical_type == "BYTE_ARRAY"]
        opened = pq.ParquetFile(file, metadata=metadata, read_dictionary=texts)
        batches = opened.iter_batches(_rows_at_once(wanted), columns=list(layout.columns))
        return collect_batches(batches, opened.schema_arrow, layout.columns, stream)


def _rows_at_once(leaves: list[Any]) -> int:
    """Return how many rows of these columns to read at once: fewer if a row can be large."""
    most = BATCH_LISTS if any(leaf.max_repetition_level for leaf in leaves) else BATCH_ROWS
    longest: int = max(leaf.length for leaf in leaves)  # of values of fixed length; 0 or less for others
    return max(1, min(most, BATCH_BYTES // max(longest, 1)))


register(
    TableFormat(
        name="parquet",
        extensions=(".parquet",),
        description="Parquet table: one row per visit, or one row per sequence with a column of lists",
        layouts=(EventLayout, JsonLayout),
        layout=table_layout,
        read=read_parquet,
    )
)
