"""Files of the page that were built from web/."""

from __future__ import annotations

from importlib.resources import files

from honem.errors import InputError


def static(name: str) -> str:
    """Return the content of a file that was built from web/."""
    try:
        return (files("honem.explore") / "static" / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{name} is missing; build it: cd web && npm ci && npm run build") from None
