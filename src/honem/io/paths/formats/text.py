"""Text with one sequence per line: chunks of lines are parsed by several threads, in the order of the file."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from honem._internal.option_names import option
from honem._internal.threads import available_cores
from honem.errors import InputError, ParameterError
from honem.io.paths.building import Labelled, Parsed
from honem.io.paths.cleaning import Batch
from honem.io.paths.fields import Fields, split_at_blanks, split_exactly
from honem.io.paths.lines import LineChunk, read_line_chunks
from honem.io.paths.options import TextLayout
from honem.io.paths.questioning import question_bytes, question_lines
from honem.io.paths.registry import DEFAULT_FORMAT, SequenceFormat, register
from honem.io.paths.settings import Settings
from honem.io.paths.sources import Stream
from honem.io.paths.weights import parse_weights

Given = TypeVar("Given")
Made = TypeVar("Made")

# More threads would only wait for the one that numbers the names.
WORKERS = min(4, available_cores())


def read_text(chunks: Iterable[LineChunk], layout: TextLayout, workers: int = WORKERS) -> Iterator[Parsed]:
    """Parse chunks of lines into batches of sequences, with counts of what was left out."""
    return ordered_map(lambda chunk: parse_chunk(chunk, layout), chunks, workers)


def read_text_file(stream: Stream, layout: TextLayout) -> Iterator[Parsed]:
    """Parse one file."""
    chunks = read_line_chunks(stream)
    if isinstance(layout, InferredText):
        question_bytes(stream.raw.head, stream.source.shown)
        chunks = _questioned(chunks, layout)
    return read_text(chunks, layout)


@dataclass(frozen=True)
class InferredText(TextLayout):
    """The layout of a file that is read as text because nothing else was named."""


def _questioned(chunks: Iterator[LineChunk], layout: TextLayout) -> Iterator[LineChunk]:
    """Raise InputError if the first lines do not look like paths whose nodes are separated by spaces."""
    for number, chunk in enumerate(chunks):
        if not number and layout.delimiter is None and not (layout.weighted or layout.id_column or layout.header):
            question_lines(chunk)
        yield chunk


def _layout(settings: Settings) -> TextLayout:
    return settings.layout(InferredText if settings.format is None else TextLayout, "text")


def _resolve(shown: str, settings: Settings) -> str:
    if settings.given.get("entity") is not None:
        raise ParameterError(
            f"{shown}: {option('entity')} is a column of a table; name the format, such as {option('format', 'csv')}"
        )
    return DEFAULT_FORMAT


register(
    SequenceFormat(
        name=DEFAULT_FORMAT,
        extensions=(".txt",),
        description="one sequence per line (any other extension is read as text, too)",
        layouts=(TextLayout,),
        layout=_layout,
        resolve=_resolve,
        read=read_text_file,
    )
)


def ordered_map(work: Callable[[Given], Made], items: Iterable[Given], workers: int) -> Iterator[Made]:
    """Map by several threads, with only a few more items in memory than threads; results keep their order."""
    with ThreadPoolExecutor(workers) as pool:
        pending: deque[Future[Made]] = deque()
        try:
            for item in items:
                pending.append(pool.submit(work, item))
                # Reading goes on while the threads work; when all are busy, wait for the oldest result.
                if len(pending) > workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def parse_chunk(chunk: LineChunk, layout: TextLayout) -> Parsed:
    """Parse one chunk; tokens are indices into the list of names of the chunk."""
    counts: Counter[str] = Counter()
    fields = (
        split_at_blanks(chunk.data)
        if layout.delimiter is None
        else split_exactly(chunk.data, layout.delimiter.encode())
    )
    counts["lines"] = len(fields.per_line)
    fields, unread = _without_unread_lines(fields, chunk, layout, counts)
    if layout.delimiter is not None:
        fields = _without_empty_fields(fields, chunk, layout, counts)
    lines = np.flatnonzero(fields.per_line)
    counts["blank_lines"] = len(fields.per_line) - len(lines) - unread
    names, per_line = fields.to_arrow(), fields.per_line[lines]
    if layout.id_column:
        counts["ids_left_out"] = len(lines)
        names, per_line = _take_out(names, per_line, np.cumsum(per_line) - per_line)
    weights = None
    if layout.weighted:
        weights = _weights(names, per_line, lines, chunk)
        names, per_line = _take_out(names, per_line, np.cumsum(per_line) - 1)
    encoded = names.dictionary_encode()
    labels = encoded.dictionary.to_numpy(zero_copy_only=False).tolist()
    return Labelled(labels, Batch(encoded.indices.to_numpy(), per_line, weights), chunk.place(0)), counts


def _without_unread_lines(
    fields: Fields, chunk: LineChunk, layout: TextLayout, counts: Counter[str]
) -> tuple[Fields, int]:
    """Remove the fields of header and comment lines; also return how many such lines there are."""
    n_header = min(max(layout.header - chunk.first_line + 1, 0), len(fields.per_line))
    if not n_header and layout.comment is None:
        return fields, 0
    unread = np.zeros(len(fields.per_line), bool)
    if layout.comment is not None:
        unread = _begins_with(chunk.data, layout.comment.encode())
    unread[:n_header] = False
    counts["header_lines"], counts["comment_lines"] = n_header, int(np.count_nonzero(unread))
    unread[:n_header] = True
    return fields.keep(np.repeat(~unread, fields.per_line)), n_header + counts["comment_lines"]


def _begins_with(data: bytes, mark: bytes) -> NDArray[np.bool_]:
    """Return which lines begin with the mark."""
    content = np.frombuffer(data, np.uint8)
    starts = np.concatenate(([0], np.flatnonzero(content == ord("\n"))[:-1] + 1))
    begins = np.ones(len(starts), bool)
    for step, byte in enumerate(mark):
        # Past the end this compares with the last line end, which no mark contains.
        begins &= content[np.minimum(starts + step, len(content) - 1)] == byte
    return begins


def _without_empty_fields(fields: Fields, chunk: LineChunk, layout: TextLayout, counts: Counter[str]) -> Fields:
    empty = fields.lengths == 0
    if layout.id_column:
        # An id may be empty, as it is dropped anyway; skipping it would make the first node the id.
        empty[(fields.ends - fields.per_line)[fields.per_line > 0]] = False
    if not empty.any():
        return fields
    if layout.empty == "error":
        raise InputError(
            f"{chunk.place(fields.line_of(int(np.argmax(empty))))}: there is nothing between two delimiters "
            f"{layout.delimiter!r}; correct the line, or leave such fields out with {option('empty', 'skip')}"
        )
    counts["empty_fields_skipped"] = int(np.count_nonzero(empty))
    return fields.keep(~empty)


def _take_out(names: Any, per_line: NDArray[np.int64], at: NDArray[np.int64]) -> tuple[Any, NDArray[np.int64]]:
    """Remove one field of every line."""
    import pyarrow as pa

    kept = np.ones(len(names), bool)
    kept[at] = False
    return names.filter(pa.array(kept)), per_line - 1


def _weights(names: Any, per_line: NDArray[np.int64], lines: NDArray[np.int64], chunk: LineChunk) -> NDArray[np.int64]:
    import pyarrow as pa

    lacking = np.flatnonzero(per_line < 2)
    if len(lacking):
        place = chunk.place(int(lines[lacking[0]]))
        raise InputError(f"{place}: a line with a weight needs a node before it")
    words = names.take(pa.array(np.cumsum(per_line) - 1))
    return parse_weights(words, lambda row: chunk.place(int(lines[row])))
