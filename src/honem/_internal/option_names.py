"""How messages name an option: as a keyword argument in Python, as a flag on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_UNSET = object()

# One setting for the process, not a context variable: files are parsed by worker threads, and their errors must use
# the same words.
_flags: Mapping[str, str] = {}


def option(name: str, value: object = _UNSET) -> str:
    """Return the name of an option, with its value if given, in the words of the interface in use.

    >>> option("min_support"), option("missing", "skip")
    ('min_support', "missing='skip'")
    >>> with command_line_words({"min_support": "--min-support", "missing": "--missing"}):
    ...     option("min_support"), option("missing", "skip")
    ('--min-support', '--missing skip')
    """
    if name in _flags:
        return _flags[name] if value is _UNSET or value is True else f"{_flags[name]} {shlex.quote(str(value))}"
    return name if value is _UNSET else f"{name}={value!r}"


@contextmanager
def command_line_words(flags: Mapping[str, str]) -> Iterator[None]:
    """Name these options by their flags while the context is active."""
    global _flags
    before, _flags = _flags, flags
    try:
        yield
    finally:
        _flags = before
