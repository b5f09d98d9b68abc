"""Text files, line by line in batches, and which format a file's ending stands for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import BinaryIO, TypeVar

from honem.errors import OutputError, ParameterError
from honem.io.atomic import PathLike, atomic_file

LINES_AT_ONCE = 1 << 14
STDOUT = "-"

Writer = TypeVar("Writer")


def format_of(path: PathLike, formats: Mapping[str, Writer]) -> Writer:
    """What stands for the ending of a path, whether large or small letters; an unknown ending lists the known ones."""
    name = os.fspath(path)
    ending = os.path.splitext(name)[1].lower()
    if ending not in formats:
        raise ParameterError(
            f"{name}: the ending says the format, and {ending or 'no ending'!r} is none of {', '.join(formats)}"
        )
    return formats[ending]


@contextmanager
def output(path: PathLike) -> Iterator[BinaryIO]:
    """A file that appears when it is whole, or for `-` stdout."""
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
            f"{os.fspath(path)} cannot be written: a name holds {error.object[error.start]!r}, half a surrogate pair, "
            "which UTF-8 has no place for; rename the node"
        ) from None


def write_lines(path: PathLike, lines: Iterable[str]) -> None:
    """Write lines, each with its own end, to a file of their own."""
    with output(path) as file:
        send_lines(file, lines)


def send_lines(file: BinaryIO, lines: Iterable[str]) -> None:
    """Write lines, never holding more than a batch of them."""
    rest = iter(lines)
    while batch := "".join(islice(rest, LINES_AT_ONCE)):
        file.write(batch.encode())
