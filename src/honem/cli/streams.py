"""The standard streams, also where they are closed, full, or cannot represent every character."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Literal, TextIO

from honem._internal.progress import without_progress
from honem.cli.colour import painted
from honem.errors import OutputError

STDERR = 2
_is_quiet = False


def require_streams() -> None:
    """Make sure that stderr can be written to; raise OutputError if stdout is closed, for results would be lost.

    A program can be started with closed streams (`>&-`, `2>&-`). Their numbers are taken first, because the next file
    that is opened would get one of them, and then also what libraries print.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        pass
    os.close(number)
    if sys.stderr is None:
        sys.stderr = open(STDERR, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
    if sys.stdout is None:
        raise OutputError("stdout is closed; redirect it to a file, or to /dev/null")


@contextmanager
def quietly(is_quiet: bool) -> Iterator[None]:
    """Leave out messages, log lines and progress bars while the context is active; warnings and errors are shown."""
    global _is_quiet
    before, _is_quiet = _is_quiet, is_quiet
    try:
        with without_progress() if is_quiet else nullcontext():
            yield
    finally:
        _is_quiet = before


def is_quiet() -> bool:
    """Return whether messages are left out."""
    return _is_quiet


def say(message: object) -> None:
    """Print a message for people to stderr, unless they asked for none."""
    if not _is_quiet:
        _print_to_stderr(message)


def complain(kind: Literal["error", "warning"], message: object) -> None:
    """Print a warning or an error to stderr."""
    sign = painted(f"{kind}:", "red" if kind == "error" else "yellow", sys.stderr)
    _print_to_stderr(f"honem: {sign} {message}")


def _print_to_stderr(message: object) -> None:
    """Print to stderr; where nothing can be written to it, the message is lost, not the work."""
    try:
        print(message, file=sys.stderr, flush=True)
    except OSError:
        release(sys.stderr)


def show(result: object) -> None:
    """Print a result for people to stdout; raise OutputError if it has a character that stdout cannot represent."""
    try:
        print(result)
    except UnicodeEncodeError as error:
        raise OutputError(
            f"stdout cannot represent {error.object[error.start]!a} in its encoding, {error.encoding}; "
            "set PYTHONIOENCODING=utf-8:backslashreplace, or use --json"
        ) from None


def can_show(text: str) -> bool:
    """Return whether stdout can represent all characters of a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def release(stream: TextIO) -> None:
    """Discard what a stream could not write; otherwise Python would complain once more when it closes the stream."""
    try:
        stream.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
