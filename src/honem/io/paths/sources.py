"""Bytes from files, globs and stdin, plain or compressed, within limits."""

from __future__ import annotations

import glob
import hashlib
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from honem._internal.option_names import option
from honem._internal.path_like import PathLike
from honem._internal.progress import Progress
from honem.errors import InputError, ParameterError
from honem.io.paths.options import MIB, Limits

if TYPE_CHECKING:
    from types import TracebackType

COMPRESSION = {".gz": "gzip", ".zst": "zstd"}
# No UTF-8 text starts with these, so the first bytes identify the compression, also where there is no name (stdin).
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
EXPANSION_FREE = 64 * MIB
"""Size of the content up to which a compressed file may be of any size."""


@dataclass(frozen=True)
class InputSource:
    """One file, as the user named it; `-` is stdin."""

    name: str

    @property
    def is_stdin(self) -> bool:
        """Whether the bytes come from stdin."""
        return self.name == "-"

    @property
    def shown(self) -> str:
        """Its name in messages."""
        return "stdin" if self.is_stdin else self.name

    @property
    def extensions(self) -> tuple[str, str]:
        """The extensions for format and compression, in lower case: `(".txt", ".gz")`."""
        stem, last = os.path.splitext(os.path.basename(self.name).lower())
        return (os.path.splitext(stem)[1], last) if last in COMPRESSION else (last, "")

    @property
    def size(self) -> int:
        """Bytes on disk; 0 if unknown."""
        return 0 if self.is_stdin else os.stat(self.name).st_size


def find_sources(given: PathLike | Iterable[PathLike]) -> tuple[InputSource, ...]:
    """Return the files of a path, `-`, a glob or several of these, in that order; those of a glob are sorted.

    Whether the files exist is checked by `require_readable`, so that options can be checked first.
    """
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    sources = tuple(InputSource(name) for one in several for name in _names(one))
    if not sources:
        raise ParameterError("no file to read: the list of paths is empty")
    if sum(source.is_stdin for source in sources) > 1:
        raise ParameterError("stdin ('-') can be read only once")
    return sources


def _names(one: object) -> list[str]:
    if not isinstance(one, (str, os.PathLike)):
        raise ParameterError(
            f"a path must be a string or a Path, not {one!r:.60}; use Corpus.from_sequences for lists of nodes, "
            "from_events for tables"
        )
    name = os.fspath(one)
    if not name:
        raise ParameterError("the path '' names no file")
    # Only strings can be globs: a Path names one file, whatever characters it has; so does a name that exists.
    if not isinstance(one, str) or not glob.has_magic(name) or os.path.lexists(name):
        return [name]
    return sorted(match for match in glob.glob(name, recursive=True) if not os.path.isdir(match)) or [name]


def require_readable(source: InputSource) -> None:
    """Raise InputError unless the source is a file or stdin."""
    if source.is_stdin:
        return
    if os.path.isdir(source.name):
        raise InputError(
            f"{source.name} is a folder; name the files in it, for example '{source.name.rstrip('/')}/*.txt'"
        )
    if not os.path.exists(source.name):
        # A glob that matches files is replaced by their names.
        raise InputError(
            f"no file matches {source.name!r}" if glob.has_magic(source.name) else f"no such file: {source.name}"
        )


class ByteCount:
    """Counts the bytes read from all files, and reports progress."""

    def __init__(self, sources: Iterable[InputSource], progress: Progress | None) -> None:
        sizes = [source.size for source in sources]
        self.done, self.total = 0, sum(sizes) if all(sizes) else 0
        self.progress = progress

    def add(self, amount: int) -> None:
        """Count bytes that were read."""
        self.done += amount
        if self.progress is not None:
            self.progress("reading", self.done, self.total)


class _Raw:
    """The file itself: counts and hashes the bytes that are read, and gives access to the first bytes before that."""

    closed = False

    def __init__(self, file: IO[bytes], tally: ByteCount) -> None:
        self.file, self.tally = file, tally
        self.head = file.read(4)
        self.taken, self.hash = 0, hashlib.sha256()

    def read(self, size: int) -> bytes:
        data, self.head = self.head[:size], self.head[size:]
        data += self.file.read(size - len(data))
        self.taken += len(data)
        self.hash.update(data)
        self.tally.add(len(data))
        return data

    def close(self) -> None:
        self.closed = True


def standard_input() -> IO[bytes]:
    """Return stdin as bytes, or raise InputError if there is none."""
    # Notebooks and services may have no stdin, or one for text only.
    buffer: IO[bytes] | None = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        raise InputError("there is no stdin to read from")
    return buffer


class Stream:
    """The decompressed content of one source, read block by block within the limits."""

    def __init__(self, source: InputSource, limits: Limits, tally: ByteCount) -> None:
        self.source, self.limits, self.tally = source, limits, tally
        self.given = 0

    def __enter__(self) -> Stream:
        try:
            self.file = standard_input() if self.source.is_stdin else open(self.source.name, "rb")
            self.raw = _Raw(self.file, self.tally)
        except OSError as error:
            raise InputError(f"{self.source.shown} cannot be read: {error.strerror or error}") from None
        self.compression = self._compression()
        self.content: Any = self._decompressed() if self.compression else self.raw
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if not self.source.is_stdin:
            self.file.close()

    @property
    def sha256(self) -> str:
        """The hash of the bytes read so far."""
        return self.raw.hash.hexdigest()

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size` of them; empty at the end."""
        try:
            data = bytes(self.content.read(size))
        except OSError as error:
            what = f"its {self.compression} data is damaged or cut short" if self.compression else "it cannot be read"
            raise InputError(f"{self.source.shown}: {what} after {self.given} bytes of content ({error})") from None
        self.given += len(data)
        self.require_size(self.given)
        return data

    def read_all(self) -> bytes:
        """Return the rest of the content, for formats that cannot be streamed."""
        return b"".join(iter(lambda: self.read(8 * MIB), b""))

    def _compression(self) -> str | None:
        found = next((kind for magic, kind in MAGIC.items() if self.raw.head.startswith(magic)), None)
        named = COMPRESSION.get(self.source.extensions[1])
        if named and named != found and self.raw.head:
            what = f"holds {found} data" if found else f"is not {named} data"
            raise InputError(f"{self.source.shown} {what}; rename it accordingly")
        return found

    def _decompressed(self) -> Any:
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(self.raw, mode="r"), self.compression)

    def require_size(self, content: int) -> None:
        """Raise InputError if the content is larger than the limits allow."""
        most, expansion = self.limits.max_bytes, self.limits.max_expansion
        if most is not None and content > most:
            raise InputError(
                f"{self.source.shown} holds more than {option('max_bytes')} = {most} bytes; "
                f"raise {option('max_bytes')} if that is right"
            )
        if content > max(EXPANSION_FREE, expansion * self.raw.taken):
            raise InputError(
                f"{self.source.shown} grows to more than {option('max_expansion')} = {expansion} times its size "
                f"({self.raw.taken} bytes gave {content} so far); raise {option('max_expansion')} if that is right"
            )
