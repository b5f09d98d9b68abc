"""Tables in Parquet files."""

from __future__ import annotations

from typing import Any

from honem.io.paths.options import EventLayout, JsonLayout
from honem.io.paths.registry import TableFormat, register
from honem.io.paths.settings import table_layout
from honem.io.paths.sources import Stream

BATCH_ROWS = 2**16
LEAST_BYTES = {"BOOLEAN": 1, "INT64": 8, "DOUBLE": 8, "INT96": 8}
"""Bytes of a decoded value, by physical type; 4 for others, which is the index of a string."""


def read_parquet(stream: Stream, layout: EventLayout | JsonLayout) -> Any:
    """Read the columns that are needed, batch by batch."""
    from honem.io.paths.tables import collect_batches, opened_file, require_column

    with opened_file(stream, "parquet") as file:
        import pyarrow.parquet as pq

        metadata = pq.read_metadata(file)
        for name in layout.columns:
            require_column(name, metadata.schema.to_arrow_schema().names, stream.source.shown)
        leaves = [metadata.schema.column(number) for number in range(metadata.num_columns)]
        wanted = [number for number, leaf in enumerate(leaves) if leaf.path.split(".")[0] in layout.columns]
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        stream.require_size(sum(max(_least_size(group.column(number)), 0) for group in groups for number in wanted))
        # Strings stay encoded: a long one that is repeated in every row would fill the memory.
        texts = [leaves[number].path for number in wanted if leaves[number].physical_type == "BYTE_ARRAY"]
        opened = pq.ParquetFile(file, metadata=metadata, read_dictionary=texts)
        batches = opened.iter_batches(BATCH_ROWS, columns=list(layout.columns))
        return collect_batches(batches, layout.columns, stream)


def _least_size(chunk: Any) -> int:
    """Return the least decoded size of a column chunk that its metadata allows; a single list may be all of it."""
    return int(max(chunk.total_uncompressed_size, chunk.num_values * LEAST_BYTES.get(chunk.physical_type, 4)))


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
