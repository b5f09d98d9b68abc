"""Text, one sequence a line: chunks of lines to batches, by several threads, in the order of the file."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from honem._internal.threads import available_cores
from honem.corpus import MAX_COUNT
from honem.errors import InputError
from honem.io.paths.building import Labelled
from honem.io.paths.cleaning import Batch
from honem.io.paths.fields import Fields, split_at_blanks, split_exactly
from honem.io.paths.lines import LineChunk
from honem.io.paths.options import TextLayout

Parsed: TypeAlias = "tuple[Labelled, Counter[str]]"
"""Some sequences, and what was left out around them."""
Given = TypeVar("Given")
Made = TypeVar("Made")

# More than this would only wait for the one thread that numbers the names.
WORKERS = min(4, available_cores())


def read_text(chunks: Iterable[LineChunk], layout: TextLayout, workers: int = WORKERS) -> Iterator[Parsed]:
    """The sequences of chunks of lines, and what was left out of them."""
    return ordered_map(lambda chunk: parse_chunk(chunk, layout), chunks, workers)


def ordered_map(work: Callable[[Given], Made], items: Iterable[Given], workers: int) -> Iterator[Made]:
    """`map` by several threads, with only a few more items in memory than threads; results keep their order."""
    with ThreadPoolExecutor(workers) as pool:
        pending: deque[Future[Made]] = deque()
        try:
            for item in items:
                pending.append(pool.submit(work, item))
                # Reading goes on while the threads work; the oldest result is waited for when all are busy.
                if len(pending) > workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def parse_chunk(chunk: LineChunk, layout: TextLayout) -> Parsed:
    """The sequences of one chunk; their tokens are places in the list of its names."""
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
    """Without the fields of header and comment lines; and how many such lines there are."""
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
    """Which lines begin with the mark."""
    content = np.frombuffer(data, np.uint8)
    starts = np.concatenate(([0], np.flatnonzero(content == ord("\n"))[:-1] + 1))
    begins = np.ones(len(starts), bool)
    for step, byte in enumerate(mark):
        # Beyond the end stands the last line end, which is in no mark.
        begins &= content[np.minimum(starts + step, len(content) - 1)] == byte
    return begins


def _without_empty_fields(fields: Fields, chunk: LineChunk, layout: TextLayout, counts: Counter[str]) -> Fields:
    empty = fields.lengths == 0
    if layout.id_column:
        # An id may be empty, as it is left out anyway; skipping it would make the first node the id.
        empty[(fields.ends - fields.per_line)[fields.per_line > 0]] = False
    if not empty.any():
        return fields
    if layout.empty == "error":
        raise InputError(
            f"{chunk.place(fields.line_of(int(np.argmax(empty))))}: there is nothing between two delimiters "
            f"{layout.delimiter!r}; correct the line, or set empty='skip' to leave such fields out"
        )
    counts["empty_fields_skipped"] = int(np.count_nonzero(empty))
    return fields.keep(~empty)


def _take_out(names: Any, per_line: NDArray[np.int64], at: NDArray[np.int64]) -> tuple[Any, NDArray[np.int64]]:
    """Without one field of every line."""
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


def parse_weights(words: Any, place: Callable[[int], str]) -> NDArray[np.int64]:
    """Positive whole numbers from strings (`12` or `12.0`); `place` names the place of a string that is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pc.match_substring_regex(words, r"^0*[1-9][0-9]{0,18}(\.0*)?$")
    if not pc.all(whole, min_count=0).as_py():
        row = pc.index(whole, pa.scalar(False)).as_py()
        raise InputError(
            f"{place(row)}: the weight {words[row].as_py()!r:.60} is not a positive whole number of at most {MAX_COUNT}"
        )
    digits = pc.replace_substring_regex(words, r"\.0*$", "")
    try:
        weights: NDArray[np.int64] = digits.cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        row = next(row for row, word in enumerate(digits.to_pylist()) if int(word) > MAX_COUNT)
        raise InputError(
            f"{place(row)}: the weight {words[row]} is more than 64-bit counts can hold ({MAX_COUNT})"
        ) from None
    return weights
