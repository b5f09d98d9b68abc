"""Packages that honem can do without: imported where they are used, and their absence names the extra to install."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from honem.errors import MissingDependencyError


def require_package(package: str, extra: str, what: str) -> Any:
    """Import a package, or raise MissingDependencyError that says what needs it and how to install it."""
    try:
        return import_module(package)
    except ImportError:
        raise MissingDependencyError(f"{what} needs {package}: pip install 'honem[{extra}]'") from None
