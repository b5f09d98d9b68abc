"""The few errors honem raises; every message names the value, the place and the way out."""

from __future__ import annotations


class HonemError(Exception):
    """Whatever honem refuses to do, with the reason in one line."""


class ParameterError(HonemError, ValueError):
    """An option has a value that has no meaning."""


class CorpusError(HonemError, ValueError):
    """The sequences themselves cannot be used."""


class InputError(HonemError, OSError):
    """A file cannot be read as what it was said to be."""


class OutputError(HonemError, OSError):
    """A result cannot be written where it was asked for."""


class UnknownNodeError(HonemError, KeyError):
    """A node was asked for that does not occur in the corpus."""

    def __str__(self) -> str:
        # KeyError prints the repr of its argument, which would put quotes around our sentence.
        return str(self.args[0])


class MissingDependencyError(HonemError, ImportError):
    """An optional package is needed; the message says what to install."""


class HonemWarning(UserWarning):
    """A result is defined, but probably not what was hoped for."""
