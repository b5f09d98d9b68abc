"""Whole lines in large chunks with their line numbers, so that every error can name its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from honem._internal.option_names import option
from honem.errors import InputError
from honem.io.paths.options import MIB
from honem.io.paths.sources import Stream

CHUNK_BYTES = 4 * MIB
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class LineChunk:
    """Some whole lines of valid UTF-8, the last one with its line end."""

    data: bytes
    first_line: int
    shown: str

    def place(self, line: int) -> str:
        """Return how a message names a line of the chunk."""
        return f"{self.shown}, line {self.first_line + line}"


def read_line_chunks(stream: Stream, chunk_bytes: int = CHUNK_BYTES) -> Iterator[LineChunk]:
    """Yield the content in chunks of whole lines of about this size; drop a BOM, add a missing last line end."""
    most = stream.limits.max_line_bytes
    for first_line, data in _cut_at_line_ends(stream, chunk_bytes):
        # A byte order mark only at the start of a file; anywhere else it is a character.
        content = data.removeprefix(BOM) if first_line == 1 else data
        if content:
            chunk = LineChunk(content, first_line, stream.source.shown)
            if len(content) > most:
                _require_short_lines(chunk, most)
            _require_utf8(chunk)
            yield chunk


def _cut_at_line_ends(stream: Stream, chunk_bytes: int) -> Iterator[tuple[int, bytes]]:
    # One line may span many blocks; they are joined once, when its end is found.
    pieces: list[bytes] = []
    line, waiting = 1, 0
    while block := stream.read(chunk_bytes):
        cut = block.rfind(b"\n") + 1
        if cut:
            whole = b"".join((*pieces, memoryview(block)[:cut])) if pieces or cut < len(block) else block
            yield line, whole
            line += whole.count(b"\n")
            pieces, waiting = [], 0
        if cut < len(block):
            pieces.append(block[cut:])
            waiting += len(block) - cut
        if waiting > stream.limits.max_line_bytes + len(BOM):
            raise InputError(_too_long(f"{stream.source.shown}, line {line}", stream.limits.max_line_bytes))
    last = b"".join(pieces)
    if last and (line > 1 or last != BOM):
        yield line, last + b"\n"


def _too_long(place: str, most: int) -> str:
    return (
        f"{place} is longer than {option('max_line_bytes')} = {most} bytes; is there one sequence per line? "
        f"Raise {option('max_line_bytes')} if that is right"
    )


def _require_short_lines(chunk: LineChunk, most: int) -> None:
    ends = np.flatnonzero(np.frombuffer(chunk.data, np.uint8) == ord("\n"))
    long = np.flatnonzero(np.diff(ends, prepend=-1) - 1 > most)
    if len(long):
        raise InputError(_too_long(chunk.place(int(long[0])), most))


def _require_utf8(chunk: LineChunk) -> None:
    try:
        chunk.data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = chunk.data[: error.start]
        byte = error.start - (before.rfind(b"\n") + 1) + 1
        hint = "; it looks like UTF-16, save it as UTF-8" if chunk.data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        place = chunk.place(before.count(b"\n"))
        raise InputError(
            f"{place}, byte {byte} of the line: "
            f"0x{chunk.data[error.start]:02x} is not valid UTF-8 ({error.reason}){hint or '; save the file as UTF-8'}"
        ) from None
