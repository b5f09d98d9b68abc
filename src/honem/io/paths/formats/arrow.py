"""Tables in Arrow files: IPC files (Feather) and IPC streams."""

from __future__ import annotations

from typing import Any

from honem.io.paths.options import EventLayout, JsonLayout
from honem.io.paths.registry import TableFormat, register
from honem.io.paths.settings import table_layout
from honem.io.paths.sources import Stream


def read_arrow(stream: Stream, layout: EventLayout | JsonLayout) -> Any:
    """Read the columns that are needed."""
    import pyarrow as pa

    from honem.io.paths.tables import opened_file, select

    with opened_file(stream, "arrow") as file:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        table = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(file).read_all()
        return select(table, layout.columns, stream.source.shown)


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
