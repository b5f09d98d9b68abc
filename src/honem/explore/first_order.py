"""The first-order counterpart of an embedding: the same recipe, applied to the rules of order 1 only."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from honem.embedding import Embedding
from honem.embedding.recipe import Recipe
from honem.errors import HonemWarning
from honem.rules import RuleTable


def first_order_embedding(rules: RuleTable, dimension: int, recipe: Recipe, options: Mapping[str, Any]) -> Embedding:
    """Return what HONEM would learn without higher orders, with the solver and seed of `options`, where given."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonemWarning)  # a rank below the dimension is expected here
        return recipe.embed(
            rules.by_order(1),
            dimension,
            solver=options.get("solver", "auto"),
            random_state=options.get("random_state", 0),
        ).embedding
