"""Access logs of web servers, in the common and the combined format: visitors and the pages they request.

Lines are parsed by Arrow's regular expressions, whose time is linear in the length of a line.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from honem._internal.option_names import option
from honem.errors import InputError
from honem.io.paths.lines import LineChunk, read_line_chunks
from honem.io.paths.options import EventLayout
from honem.io.paths.registry import TableFormat, register
from honem.io.paths.settings import Settings
from honem.io.paths.sources import Stream

COLUMNS = ("visitor", "host", "user", "time", "page", "target", "method", "status", "referer", "agent")
DEFAULTS = {"entity": "visitor", "time": "time", "node": "page"}
QUOTED = r'(?:[^"\\]|\\.)*'
LINE = (
    # A virtual host with its port may come first. An address of IPv6 has more than one colon, and is none.
    r"^(?:[^\s:]+:\d{1,5} )?(?P<host>\S+) \S+ (?P<user>[^\[]+) "
    r"\[(?P<day>\d{2})/(?P<month>[A-Z][a-z]{2})/(?P<year>\d{4}):(?P<clock>\d{2}:\d{2}:\d{2}) "
    r"(?P<offset>[+-][01]\d[0-5]\d)\] "
    rf'"(?P<request>{QUOTED})" (?P<status>\d{{3}}) \S+(?: "(?P<referer>{QUOTED})" "(?P<agent>{QUOTED})")?'
)
REQUEST = r"^(?P<method>[A-Z]+) (?P<target>(?P<page>[^\s?#]+)\S*)"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def read_access_log(stream: Stream, layout: EventLayout) -> Any:
    """Read the columns that are needed, with one row per request."""
    import pyarrow as pa

    from honem.io.paths.tables import arrow_errors, require_column

    for name in layout.columns:
        require_column(name, list(COLUMNS), stream.source.shown)
    with arrow_errors(stream.source.shown, "an access log"):
        parts = [_parse(chunk, layout) for chunk in read_line_chunks(stream)]
    empty = pa.table({name: pa.array([], pa.string()) for name in layout.columns})
    return pa.concat_tables(parts) if parts else empty


def _parse(chunk: LineChunk, layout: EventLayout) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = pa.array(chunk.data.decode().split("\n")[:-1], pa.string())
    found = pc.extract_regex(lines, LINE)
    times = _times(found)
    if layout.missing == "error":
        _require_all(times, chunk)
    request = pc.extract_regex(pc.struct_field(found, "request"), REQUEST)
    columns = {name: pc.struct_field(found, name) for name in ("host", "user", "status", "referer", "agent")}
    columns |= {name: pc.struct_field(request, name) for name in ("method", "target", "page")}
    columns |= {"time": times, "visitor": pc.binary_join_element_wise(columns["host"], columns["agent"], " ")}
    return pa.table({name: columns[name] for name in layout.columns})


def _require_all(times: Any, chunk: LineChunk) -> None:
    wrong = np.flatnonzero(times.is_null().to_numpy(zero_copy_only=False))
    if len(wrong):
        raise InputError(
            f"{chunk.place(int(wrong[0]))} is not a line of an access log in the common or combined format; "
            f"skip such lines with {option('missing', 'skip')}"
        )


def _times(found: Any) -> Any:
    """Return the times in UTC, by way of ISO timestamps; null where a line is none, or its time does not exist."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from honem.io.paths.written_times import exact_times

    numbers = pa.array([f"{number:02}" for number in range(1, 13)])
    month = numbers.take(pc.index_in(pc.struct_field(found, "month"), pa.array(MONTHS)))
    date = pc.binary_join_element_wise(pc.struct_field(found, "year"), month, pc.struct_field(found, "day"), "-")
    local = pc.binary_join_element_wise(date, pc.struct_field(found, "clock"), "T")
    exists = pc.is_valid(exact_times(local, "%Y-%m-%dT%H:%M:%S"))
    whole = pc.binary_join_element_wise(local, pc.struct_field(found, "offset"), "")
    return pc.if_else(exists, whole, None).cast(pa.timestamp("s", "UTC"))


def _layout(settings: Settings) -> EventLayout:
    return settings.layout(EventLayout, "access logs", **DEFAULTS)


register(
    TableFormat(
        name="access-log",
        extensions=(),
        description="access log of a web server, common or combined: one path per visitor, of the pages requested",
        layouts=(EventLayout,),
        layout=_layout,
        read=read_access_log,
    )
)
