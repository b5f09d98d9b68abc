"""Pieces of a recipe: chosen by name from a registry, or given as an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from honem._internal.validation import require_one_of
from honem.errors import ParameterError

Piece = TypeVar("Piece")


def piece_of(parameter: str, value: object, registry: Mapping[str, Piece], kind: type[Piece]) -> Piece:
    """Return the piece that a parameter value means: the value itself if it is one, else the registered one."""
    if isinstance(value, kind):
        return value
    require_one_of(parameter, value, tuple(registry))
    return registry[str(value)]


def stored_piece(
    parameter: str, value: object, registry: Mapping[str, Any], *, with_values: bool = False
) -> str | dict[str, Any]:
    """Return a form of a piece that JSON can hold, and from which `restored_piece` finds it again.

    It is the name of a registered piece, or, for a piece that is of the same class but has other values, its name and
    its values; with `with_values`, always name and values.

    Raises
    ------
    ParameterError
        If the piece is of a class that is not registered: code cannot be stored.
    """
    for name, piece in registry.items() if not with_values else ():
        if value == name or (not isinstance(value, str) and piece == value):
            return name
    for name, piece in registry.items():
        if type(piece) is type(value) and is_dataclass(value):
            return {"name": name, **{field.name: getattr(value, field.name) for field in fields(value)}}
    raise ParameterError(
        f"{parameter} holds {value!r}, which is defined outside honem and cannot be stored; save the vectors and rules "
        "without their recipe, honem.save(path, model.embedding_, model.rules_), or pickle the model"
    )


def restored_piece(parameter: str, stored: Any, registry: Mapping[str, Any]) -> Any:
    """Return the piece that `stored_piece` described; names are returned as they are.

    Raises
    ------
    ParameterError
        If this version does not know the piece or one of its values.
    """
    if not isinstance(stored, Mapping):
        return stored
    require_one_of(parameter, stored.get("name"), tuple(registry))
    piece = registry[stored["name"]]
    values = {name: _as_tuple(value) for name, value in stored.items() if name != "name"}
    unknown = sorted(values.keys() - {field.name for field in fields(piece)})
    if unknown:
        raise ParameterError(f"the stored {parameter} {stored['name']!r} has a value {unknown[0]!r} that is not known")
    return replace(piece, **values)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
