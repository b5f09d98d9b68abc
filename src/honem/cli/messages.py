"""Show the log messages of the package on stderr while a command runs."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from honem.cli.streams import is_quiet


@contextmanager
def messages_on_stderr() -> Iterator[None]:
    """Write what the package logs at level INFO or above to stderr, one line per message, prefixed with `honem: `."""
    logger, handler = logging.getLogger("honem"), logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("honem: %(message)s"))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.WARNING if is_quiet() else logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)
