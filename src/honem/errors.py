"""Exceptions and warnings; each message says what is wrong, where, and what to do."""

from __future__ import annotations


class HonemError(Exception):
    """Base class of all errors that honem raises on purpose, with a one-line message."""


class ParameterError(HonemError, ValueError):
    """A parameter has an invalid value."""


class CorpusError(HonemError, ValueError):
    """The sequences cannot be used."""


class InputError(HonemError, OSError):
    """A file cannot be read in its format."""


class OutputError(HonemError, OSError):
    """A result cannot be written to the requested place."""


class UnknownNodeError(HonemError, KeyError):
    """A node does not occur in the corpus or model."""

    def __str__(self) -> str:
        # KeyError prints the repr of its argument, which would put quotes around the message.
        return str(self.args[0])


class MissingDependencyError(HonemError, ImportError):
    """An optional package is missing; the message says what to install."""


class HonemWarning(UserWarning):
    """A result is well defined, but probably not what was intended."""
