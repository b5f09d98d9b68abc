"""Tables in Parquet files."""

from __future__ import annotations

from typing import Any

from honem.io.paths.options import EventLayout, JsonLayout
from honem.io.paths.registry import TableFormat, register
from honem.io.paths.settings import table_layout
from honem.io.paths.sources import Stream


def read_parquet(stream: Stream, layout: EventLayout | JsonLayout) -> Any:
    """Read the columns that are needed."""
    from honem.io.paths.tables import opened_file, require_column

    with opened_file(stream, "parquet") as file:
        import pyarrow.parquet as pq

        opened = pq.ParquetFile(file)
        for name in layout.columns:
            require_column(name, opened.schema_arrow.names, stream.source.shown)
        stream.require_size(sum(opened.metadata.row_group(i).total_byte_size for i in range(opened.num_row_groups)))
        return opened.read(columns=list(layout.columns))


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
