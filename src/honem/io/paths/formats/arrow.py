"""Tables in Arrow files: IPC files (Feather) and IPC streams."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from honem.errors import InputError
from honem.io.paths.options import EventLayout, JsonLayout
from honem.io.paths.registry import TableFormat, register
from honem.io.paths.settings import table_layout
from honem.io.paths.sources import Stream

MAGIC, STREAM_START = b"ARROW1", 8


def read_arrow(stream: Stream, layout: EventLayout | JsonLayout) -> Any:
    """Read the columns that are needed, batch by batch."""
    import pyarrow as pa

    from honem.io.paths.ipc_sizes import content_sizes
    from honem.io.paths.tables import collect_batches, opened_file, require_column

    with opened_file(stream, "arrow") as file:
        is_file = file.read(len(MAGIC)) == MAGIC
        start = STREAM_START if is_file else 0
        n_batches = _batches_in_footer(file) if is_file else None
        file.seek(start)
        schema = pa.ipc.open_stream(file).schema
        for name in layout.columns:
            require_column(name, schema.names, stream.source.shown)
        file.seek(start)
        for size in accumulate(content_sizes(pa.ipc.MessageReader.open_stream(file))):
            stream.require_size(size)
        file.seek(start)
        wanted = pa.ipc.IpcReadOptions(included_fields=[schema.get_field_index(name) for name in layout.columns])
        table = collect_batches(pa.ipc.open_stream(file, options=wanted), schema, layout.columns, stream)
        if n_batches is not None and len(table.to_batches()) < n_batches:
            raise InputError(f"{stream.source.shown} is damaged: it has fewer record batches than its footer says")
        return table


def _batches_in_footer(file: Any) -> int:
    """Return how many batches an Arrow file should have; it is then read as the stream that it contains.

    The footer may point anywhere, several times to the same place too; the stream is read once from start to end.
    """
    import pyarrow as pa

    return int(pa.ipc.open_file(file).num_record_batches)


register(
    TableFormat(
        name="arrow",
        extensions=(".arrow", ".feather"),
        description="Arrow or Feather table: one row per visit, or one row per sequence with a column of lists",
        layouts=(EventLayout, JsonLayout),
        layout=table_layout,
        read=read_arrow,
    )
)
