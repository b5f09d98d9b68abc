"""The recipe of a store, which may have been written by another version, or by anybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from honem.embedding.recipe import Recipe
from honem.errors import ParameterError


def stored_recipe(stored: Mapping[str, Any]) -> Recipe:
    """Return the recipe that a manifest describes.

    Raises
    ------
    ParameterError
        If a piece is missing, unknown to this version, or not a value that the piece can have.
    """
    try:
        return Recipe.from_dict(stored)
    except ParameterError:
        raise
    except (TypeError, ValueError, AttributeError, KeyError, OverflowError) as error:
        raise ParameterError(f"the stored recipe cannot be read: {error}") from None
