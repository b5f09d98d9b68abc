"""Split lines into fields, vectorised: the bounds of all fields are found for millions of bytes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of

NEWLINE, RETURN, SPACE, TAB = 10, 13, 32, 9


@dataclass(frozen=True, eq=False)
class Fields:
    """The fields of some lines: their bytes in one array without separators, and the length of each.

    `per_line` is the number of fields of each line, 0 for a blank one.
    """

    packed: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    per_line: NDArray[np.int64]

    @property
    def ends(self) -> NDArray[np.int64]:
        """Index after the last field of each line."""
        return np.cumsum(self.per_line)

    def line_of(self, field: int) -> int:
        """Return the line that a field is on."""
        return int(np.searchsorted(self.ends, field, side="right"))

    def to_arrow(self) -> Any:
        """Return the fields as an Arrow array of strings."""
        import pyarrow as pa

        offsets = offsets_of(self.lengths)
        # Arrow is fastest with 32-bit offsets; only a chunk with an enormous line needs more.
        wide = len(self.packed) > np.iinfo(np.int32).max
        kind, width = (pa.large_string(), np.int64) if wide else (pa.string(), np.int32)
        buffers = [None, pa.py_buffer(offsets.astype(width)), pa.py_buffer(self.packed)]
        return pa.Array.from_buffers(kind, len(self.lengths), buffers)

    def keep(self, kept: NDArray[np.bool_]) -> Fields:
        """Remove the fields that are not kept; no line is removed."""
        running = offsets_of(kept)
        per_line = running[self.ends] - running[self.ends - self.per_line]
        return Fields(self.packed[np.repeat(kept, self.lengths)], self.lengths[kept], per_line)


def split_at_blanks(data: bytes) -> Fields:
    r"""Split at runs of ASCII spaces and tabs; other spaces are part of names.

    >>> fields = split_at_blanks(b"a  bc\n\n d\t\r\n")
    >>> fields.to_arrow().to_pylist(), fields.per_line.tolist()
    (['a', 'bc', 'd'], [2, 0, 1])
    """
    content = np.frombuffer(data, np.uint8)
    separates = (content == SPACE) | (content == TAB) | (content == NEWLINE)
    _mark_returns(data, content, separates)
    ends = np.flatnonzero(separates)
    lengths = np.diff(ends, prepend=-1) - 1
    # There is a field after a separator only if the next byte is not a separator.
    filled = lengths > 0
    at_newline = np.cumsum(filled)[content[ends] == NEWLINE]
    return Fields(content[~separates], lengths[filled], np.diff(at_newline, prepend=0))


def split_exactly(data: bytes, delimiter: bytes) -> Fields:
    r"""Split at each occurrence of the delimiter, as `str.split` does; a field may be empty.

    >>> fields = split_exactly(b"a, b,,c\n\n", b",")
    >>> fields.to_arrow().to_pylist(), fields.per_line.tolist()
    (['a', ' b', '', 'c'], [4, 0])
    """
    content = np.frombuffer(data, np.uint8)
    separates = content == NEWLINE
    newlines = np.flatnonzero(separates)
    at = find_all(data, content, delimiter)
    for step in range(len(delimiter)):
        separates[at + step] = True
    _mark_returns(data, content, separates)
    ends = np.sort(np.concatenate((at, newlines)), kind="stable")
    is_newline = content[ends] == NEWLINE
    # A carriage return before a line end belongs to it, so the field before it ends one byte earlier.
    returned = is_newline & (content[ends - 1] == RETURN) & (ends > 0)
    width = np.where(is_newline, 1, len(delimiter))
    starts = np.concatenate(([0], (ends + width)[:-1]))
    lengths = ends - returned - starts
    line_begins = np.concatenate(([True], is_newline[:-1]))
    kept = ~(line_begins & is_newline & (lengths == 0))
    at_newline = np.cumsum(kept)[is_newline]
    return Fields(content[~separates], lengths[kept], np.diff(at_newline, prepend=0))


def find_all(data: bytes, content: NDArray[np.uint8], pattern: bytes) -> NDArray[np.int64]:
    """Return where a pattern occurs, from left to right without overlap, as `bytes.split` finds it."""
    last = len(content) - len(pattern) + 1
    if last <= 0:
        return np.zeros(0, np.int64)
    matches = content[:last] == pattern[0]
    for step in range(1, len(pattern)):
        matches &= content[step : step + last] == pattern[step]
    at = np.flatnonzero(matches)
    if len(at) < 2 or int(np.diff(at).min()) >= len(pattern):
        return at
    chosen, free = [], 0
    for place in at.tolist():
        if place >= free:
            chosen.append(place)
            free = place + len(pattern)
    return np.array(chosen, np.int64)


def _mark_returns(data: bytes, content: NDArray[np.uint8], separates: NDArray[np.bool_]) -> None:
    if b"\r" in data:
        separates[:-1] |= (content[:-1] == RETURN) & (content[1:] == NEWLINE)
