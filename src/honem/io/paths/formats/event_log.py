"""Event logs as CSV, with the column names of XES and pm4py."""

from __future__ import annotations

from functools import partial

from honem.io.paths.event_logs import log_layout
from honem.io.paths.formats.delimited import read_delimited, require_delimiter
from honem.io.paths.options import EventLayout
from honem.io.paths.registry import TableFormat, register
from honem.io.paths.settings import Settings


def _layout(settings: Settings) -> EventLayout:
    require_delimiter(settings)
    return log_layout(settings)


register(
    TableFormat(
        name="event-log",
        extensions=(),
        description="CSV event log with the columns `case:concept:name`, `concept:name`, `time:timestamp`",
        layouts=(EventLayout,),
        layout=_layout,
        read=partial(read_delimited, default_delimiter=","),
    )
)
