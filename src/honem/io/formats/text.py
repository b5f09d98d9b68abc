"""Text files and stdout, written in batches of lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from honem._internal.path_like import PathLike
from honem.errors import OutputError
from honem.io.atomic import atomic_file

LINES_AT_ONCE = 1 << 14
STDOUT = "-"


@contextmanager
def output(path: PathLike) -> Iterator[BinaryIO]:
    """Open a binary file that is written atomically, or stdout for `-`."""
    try:
        if os.fspath(path) == STDOUT:
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        else:
            with atomic_file(path) as file:
                yield file
    except UnicodeEncodeError as error:
        raise OutputError(
            f"{os.fspath(path)} cannot be written: a name contains {error.object[error.start]!r}, half of a surrogate "
            "pair, which cannot be encoded in UTF-8; rename the node"
        ) from None


def write_lines(path: PathLike, lines: Iterable[str]) -> None:
    """Write lines, each with its line end, to a file."""
    with output(path) as file:
        send_lines(file, lines)


def send_lines(file: BinaryIO, lines: Iterable[str]) -> None:
    """Write lines to an open file, holding no more than one batch of them in memory."""
    rest = iter(lines)
    while batch := "".join(islice(rest, LINES_AT_ONCE)):
        file.write(batch.encode())


def companion(path: PathLike, extension: str) -> Path:
    """Return the path of a second file that belongs to a first: `x.npy` and `x.nodes.json`."""
    return Path(os.path.splitext(os.fspath(path))[0] + extension)
