"""Registries: the modules of one package register what they define, so there is no list of them to maintain."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TypeVar

from honem.errors import ParameterError

Key = TypeVar("Key")
Entry = TypeVar("Entry")

LAST = 1000
"""Default position: after all entries that state one, in order of their keys."""


class Registry(Mapping[Key, Entry]):
    """Map keys to entries that register themselves when their modules are imported.

    All modules of `package` are imported at the first lookup, not before, so that a registry can be handed to argparse
    as `choices` without loading anything. Subpackages are not imported.

    Parameters
    ----------
    package : str
        Dotted name of the package whose modules register entries.
    key : callable
        Return the key of an entry.
    position : callable
        Return where an entry is listed; entries with the same position are sorted by key.

    Examples
    --------
    >>> registry = Registry("honem.evaluation.datasets", key=str.lower, position=len)
    >>> registry.register("Porto"), registry.register("Rome")
    ('Porto', 'Rome')
    >>> list(registry), registry["rome"]
    (['rome', 'porto'], 'Rome')
    """

    def __init__(self, package: str, key: Callable[[Entry], Key], position: Callable[[Entry], int]) -> None:
        self._package = package
        self._key = key
        self._position = position
        self._entries: dict[Key, Entry] = {}
        self._is_loaded = False

    def register(self, entry: Entry) -> Entry:
        """Add an entry and return it, so that the method can be used as a decorator.

        Raises
        ------
        ParameterError
            If another entry has the same key.
        """
        key = self._key(entry)
        if key in self._entries:
            raise ParameterError(f"{key!r} is already registered in {self._package}, as {self._entries[key]!r}")
        self._entries[key] = entry
        return entry

    def remove(self, key: Key) -> None:
        """Remove the entry with this key."""
        del self._entries[key]

    def __getitem__(self, key: Key) -> Entry:
        self._load()
        return self._entries[key]

    def __iter__(self) -> Iterator[Key]:
        self._load()
        return iter(sorted(self._entries, key=lambda key: (self._position(self._entries[key]), str(key))))

    def __len__(self) -> int:
        self._load()
        return len(self._entries)

    def _load(self) -> None:
        if not self._is_loaded:
            for module in pkgutil.iter_modules(import_module(self._package).__path__):
                if not module.ispkg:
                    import_module(f"{self._package}.{module.name}")
            self._is_loaded = True
