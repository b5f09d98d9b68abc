"""Small valid files of every input format, to be damaged, with the options to read them."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

EVENT_OPTIONS = ("--entity", "e", "--node", "n", "--time", "t", "--weight", "w")
LIST_OPTIONS = ("--field", "p", "--weight", "w")


@dataclass(frozen=True)
class Sample:
    """A file that can be read: its name, its content and the options it needs."""

    name: str
    content: bytes
    options: tuple[str, ...] = ()

    def command(self, path: Path) -> list[str]:
        """Return the command that reads such a file."""
        return ["rules", str(path), *self.options, "--threads", "1"]


def events(n_rows: int = 60) -> Any:
    """A table with one row per visit."""
    rng = random.Random(1)
    return pa.table(
        {
            "e": pa.array([f"ship {row % 7}" for row in range(n_rows)]),
            "t": pa.array([rng.randrange(1000) for _ in range(n_rows)], pa.int64()),
            "n": pa.array([rng.choice(("Porto", "Rome", "Bari", "Nice", "Åland")) for _ in range(n_rows)]),
            "w": pa.array([1 + row % 7 for row in range(n_rows)], pa.int32()),
        }
    )


def rich_events() -> Any:
    """The same with other types: dictionaries, timestamps, floats and wide strings."""
    table = events()
    columns = {
        "e": table["e"].dictionary_encode(),
        "t": table["t"].cast(pa.timestamp("ms")),
        "n": table["n"].cast(pa.large_string()),
        "w": table["w"].cast(pa.float64()),
    }
    return pa.table(columns)


def lists() -> Any:
    """A table with one row per sequence."""
    paths = [["a", "b", "c"], ["b", "c"], [], ["c", "a", "b", "c"]] * 6
    return pa.table({"p": pa.array(paths, pa.list_(pa.string())), "w": pa.array(range(1, 25), pa.int64())})


def as_file(table: Any, compression: str | None = None) -> bytes:
    """The table as a Feather file."""
    sink = io.BytesIO()
    feather.write_feather(table, sink, compression=compression or "uncompressed", chunksize=20)
    return sink.getvalue()


def as_stream(table: Any) -> bytes:
    """The table as an Arrow IPC stream."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=20)
    return sink.getvalue()


def as_parquet(table: Any, **options: Any) -> bytes:
    """The table as a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=25, **options)
    return sink.getvalue()


CSV = b"e,t,n,w\n" + b"".join(b'x%d,%d,"node, %d",%d\n' % (i % 5, 97 * i % 50, i % 4, i % 5 + 1) for i in range(40))
TIMESTAMPS = b"e,t,n\n" + b"x,2009-01-01T10:00,a\nx,2009-01-01T12:30:01.5,b\nx,2009-01-02,a\n" * 4
POSITIONS = b"e,x,y\n" + b"a,1.5,2.5\na,-170,89.5\na,1e-3,-4\n" * 4
TEXT = b"".join(b"a b%d c \xc3\xa5\n" % (i % 4) for i in range(30))
WEIGHTED = b"x,a,b,3\ny,c,,1\n# c\n" * 9
JSON_LINES = b'{"p": ["a", 1, 2.5, "\\u00e5"], "w": 3}\n' * 12 + b'{"p": ["b", "a"], "w": 1}\n' * 3

EPOCHS = b"e,t,n\n" + b"".join(b"x%d,%d.5,%c\n" % (i % 3, 1_700_000_000 + 9_000 * i, b"abc"[i % 3]) for i in range(30))
DAYS = b"e,t,n\n" + b"x,31/12/2024,a\nx,1.1.2025 10:30,b\ny,02/01/2025 23:59:59.25,a\n" * 4
CLOCKS = b"e,t,n\n" + b"x,Dec 31 2024 11:59 PM +0100,a\nx,Jan 01 2025 01:00 AM -1000,b\n" * 4
NAME = b'<string key="concept:name" value="%b"/>'
EVENT = b"<event>" + NAME + b'<date key="time:timestamp" value="2024-01-0%dT10:00:00+01:00"/></event>'
TRACE = b"<trace>" + NAME + EVENT % (b"A&amp;B", 1) + EVENT % (b"\xc3\xa5", 2) + b"</trace>"
XES = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<log>'
    + b"".join(TRACE % (b"case %d" % i) for i in range(9))
    + b"</log>\n"
)
LOG_COLUMNS = b"case:concept:name,concept:name,time:timestamp\n"
EVENT_LOG = LOG_COLUMNS + b"1,a,2024-01-01T10:00:00\n1,b,2024-01-02\n2,a,2024-01-01\n" * 6
REQUEST = b'10.0.0.%d - - [10/Oct/2024:13:55:%02d -0700] "GET /page%d?q HTTP/1.1" 200 23 "-" "agent \\"x\\""\n'
ACCESS_LOG = b"".join(REQUEST % (i % 3, i % 60, i % 4) for i in range(30))

WEIGHTED_OPTIONS = ("--delimiter", ",", "--weighted", "--id-column", "--comment", "#", "--empty", "skip")
TIMESTAMP_OPTIONS = (*EVENT_OPTIONS[:6], "--max-gap", "6h", "--missing", "skip")
NUMBER_OPTIONS = (*EVENT_OPTIONS[:6], "--time-unit", "s", "--max-gap", "30d")
DAY_OPTIONS = (*EVENT_OPTIONS[:6], "--day-first", "--max-gap", "1d")
CLOCK_OPTIONS = (*EVENT_OPTIONS[:6], "--time-format", "%b %d %Y %I:%M %p %z")
LOG_OPTIONS = ("--format", "access-log", "--missing", "skip", "--max-gap", "30min")
GRID_OPTIONS = ("--entity", "e", "--lon", "x", "--lat", "y", "--grid", "0.5")
PLAIN: dict[str, Any] = {"use_dictionary": False, "compression": "none"}
PAGES: dict[str, Any] = {"compression": "zstd", "data_page_version": "2.0"}

SAMPLES: dict[str, Callable[[], Sample]] = {
    "text": partial(Sample, "p.txt", TEXT),
    "weighted text": partial(Sample, "p.txt", WEIGHTED, WEIGHTED_OPTIONS),
    "n-grams": partial(Sample, "p.ngram", b"a,b,c,3\nc,b,1\n" * 9),
    "gzip": lambda: Sample("p.txt.gz", gzip.compress(TEXT, mtime=0)),
    "CSV": partial(Sample, "p.csv", CSV, EVENT_OPTIONS),
    "CSV of timestamps": partial(Sample, "p.csv", TIMESTAMPS, TIMESTAMP_OPTIONS),
    "CSV of positions": partial(Sample, "p.csv", POSITIONS, GRID_OPTIONS),
    "CSV of epochs": partial(Sample, "p.csv", EPOCHS, NUMBER_OPTIONS),
    "CSV of days": partial(Sample, "p.csv", DAYS, DAY_OPTIONS),
    "CSV of clocks": partial(Sample, "p.csv", CLOCKS, CLOCK_OPTIONS),
    "XES": partial(Sample, "p.xes", XES),
    "XES gzip": lambda: Sample("p.xes.gz", gzip.compress(XES, mtime=0)),
    "event log": partial(Sample, "p.csv", EVENT_LOG, ("--format", "event-log")),
    "access log": partial(Sample, "p.log", ACCESS_LOG, LOG_OPTIONS),
    "strict access log": partial(Sample, "p.log", ACCESS_LOG, LOG_OPTIONS[:2]),
    "JSON lines": partial(Sample, "p.jsonl", JSON_LINES, LIST_OPTIONS),
    "Arrow file": lambda: Sample("p.arrow", as_file(events()), EVENT_OPTIONS),
    "Arrow stream": lambda: Sample("p.arrow", as_stream(rich_events()), EVENT_OPTIONS),
    "Arrow lists": lambda: Sample("p.arrow", as_file(lists()), LIST_OPTIONS),
    "Feather LZ4": lambda: Sample("p.feather", as_file(rich_events(), "lz4"), EVENT_OPTIONS),
    "Feather ZSTD": lambda: Sample("p.feather", as_file(lists(), "zstd"), LIST_OPTIONS),
    "Parquet": lambda: Sample("p.parquet", as_parquet(events()), EVENT_OPTIONS),
    "Parquet plain": lambda: Sample("p.parquet", as_parquet(rich_events(), **PLAIN), EVENT_OPTIONS),
    "Parquet lists": lambda: Sample("p.parquet", as_parquet(lists(), **PAGES), LIST_OPTIONS),
}
"""Files by the name of their kind, made when they are needed."""
