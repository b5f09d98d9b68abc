"""Modules from `toys` plugged into a registry, as a new module of the package would be."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from honem.evaluation.registry import Registry


@contextmanager
def plugged_in(module: str, registry: Registry[Any, Any]) -> Iterator[None]:
    """Import a toy, which registers itself, and take it out again."""
    before = set(registry)
    name = f"tests.evaluation.toys.{module}"
    import_module(name)
    try:
        yield
    finally:
        for key in set(registry) - before:
            registry.remove(key)
        del sys.modules[name]
