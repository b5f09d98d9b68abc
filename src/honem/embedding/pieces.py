"""Pieces of a recipe: chosen by name from a registry, or given as an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from honem._internal.validation import require_one_of
from honem.errors import ParameterError

Piece = TypeVar("Piece")


def piece_of(parameter: str, value: object, registry: Mapping[str, Piece], kind: type[Piece]) -> Piece:
    """Return the piece that a parameter value means: the value itself if it is one, else the registered one."""
    if isinstance(value, kind):
        return value
    require_one_of(parameter, value, tuple(registry))
    return registry[str(value)]


def registered_name(parameter: str, value: object, registry: Mapping[str, object]) -> str:
    """Return the name under which a piece can be stored and found again.

    Raises
    ------
    ParameterError
        If the piece is not in the registry: code cannot be stored.
    """
    for name, piece in registry.items():
        if value == name or (not isinstance(value, str) and piece == value):
            return name
    raise ParameterError(
        f"{parameter} holds {value!r}, which is defined outside honem and cannot be stored; save the vectors and rules "
        "without their recipe, honem.save(path, model.embedding_, model.rules_), or pickle the model"
    )
