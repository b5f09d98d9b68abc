"""XES, the XML format of event logs (IEEE 1849): a log of traces of events, each with typed attributes.

The parser is incremental and refuses document type declarations, so no entity is ever expanded or fetched.
"""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from honem._internal.option_names import option
from honem.errors import InputError
from honem.io.paths.event_logs import CASE, log_layout
from honem.io.paths.options import MIB, EventLayout
from honem.io.paths.registry import TableFormat, register
from honem.io.paths.sources import Stream

BATCH_EVENTS = 2**16


def read_xes(stream: Stream, layout: EventLayout) -> Any:
    """Read the attributes that are needed, as strings, with one row per event."""
    import pyarrow as pa

    events = _Events(layout.columns, stream.source.shown)
    try:
        _feed(events.parser, stream)
    except expat.ExpatError as error:
        raise InputError(
            f"{stream.source.shown}, line {error.lineno}: not XES ({expat.errors.messages[error.code]})"
        ) from None
    except (LookupError, ValueError) as error:  # from Python's codec of the encoding that the file names
        raise InputError(
            f"{stream.source.shown}: its encoding cannot be read ({error!s:.100}); convert it to UTF-8"
        ) from None
    kind = pa.dictionary(pa.int32(), pa.large_string())
    return pa.Table.from_batches(events.finish(), pa.schema([(name, kind) for name in layout.columns]))


def _feed(parser: expat.XMLParserType, stream: Stream) -> None:
    """Parse the content block by block; one tag may not be longer than a line of text."""
    fed, longest = 0, stream.limits.max_line_bytes
    while block := stream.read(MIB):
        parser.Parse(block, False)
        fed += len(block)
        if fed - max(parser.CurrentByteIndex, 0) > longest + MIB:
            raise InputError(
                f"{stream.source.shown}, line {parser.CurrentLineNumber}: a tag is longer than "
                f"{option('max_line_bytes')} = {longest} bytes; raise {option('max_line_bytes')} if that is right"
            )
    if fed:
        parser.Parse(b"", True)


def _encoded(values: list[str | None]) -> Any:
    """Return a column that holds each text once: an attribute of a trace is that of all its events, however long."""
    import pyarrow as pa

    numbers: dict[str, int] = {}
    indices = [None if value is None else numbers.setdefault(value, len(numbers)) for value in values]
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(numbers, pa.large_string()))


class _Events:
    """Collects the wanted attributes of events and of their traces while a log is parsed."""

    def __init__(self, columns: tuple[str, ...], shown: str) -> None:
        self.columns, self.shown = columns, shown
        self.open: list[str] = []
        self.n_open_traces = 0
        self.seen: set[str] = set()
        self.trace: dict[str, str] = {}
        self.event: dict[str, str] = {}
        self.waiting: list[dict[str, str]] = []
        self.rows: list[list[str | None]] = []
        self.batches: list[Any] = []
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def _refuse_doctype(self, *_: object) -> None:
        raise InputError(
            f"{self.shown}, line {self.parser.CurrentLineNumber}: document type declarations (DOCTYPE) are not read; "
            "XES has none"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2]
        parent = self.open[-1] if self.open else None
        if parent is None and kind != "log":
            raise InputError(f"{self.shown}: not XES: the outermost element is <{kind:.60}>, not <log>")
        # Attributes may have attributes of their own; only those of an event or a trace itself are read.
        if parent in ("event", "trace") and "key" in attributes:
            self._keep(parent, attributes["key"], attributes.get("value"))
        self.open.append(kind)
        self.n_open_traces += kind == "trace"

    def _keep(self, parent: str, key: str, value: str | None) -> None:
        name = key if parent == "event" else CASE + key
        self.seen.add(name)
        if name in self.columns and value is not None:
            (self.event if parent == "event" else self.trace)[name] = value

    def _end(self, _: str) -> None:
        kind = self.open.pop()
        self.n_open_traces -= kind == "trace"
        if kind == "event":
            self.waiting.append(self.event)
            self.event = {}
        # Attributes of a trace may also follow its events.
        if kind == "trace" or (kind == "event" and not self.n_open_traces):
            self.rows += [[{**self.trace, **event}.get(name) for name in self.columns] for event in self.waiting]
            self.waiting, self.trace = [], {}
            if len(self.rows) >= BATCH_EVENTS:
                self._close_batch()

    def _close_batch(self) -> None:
        import pyarrow as pa

        values = [_encoded([row[number] for row in self.rows]) for number in range(len(self.columns))]
        self.batches.append(pa.RecordBatch.from_arrays(values, names=list(self.columns)))
        self.rows = []

    def finish(self) -> list[Any]:
        """Return the events as batches; raise InputError if no event has one of the wanted attributes."""
        self._close_batch()
        for name in self.columns:
            if name not in self.seen and any(batch.num_rows for batch in self.batches):
                known = ", ".join(f"{one!r:.60}" for one in sorted(self.seen)[:30])
                raise InputError(f"{self.shown} has no attribute {name!r}; its attributes are {known}")
        return self.batches


register(
    TableFormat(
        name="xes",
        extensions=(".xes",),
        description="XES event log: one path per case, of its activities",
        layouts=(EventLayout,),
        layout=log_layout,
        read=read_xes,
    )
)
