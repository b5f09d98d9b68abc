"""The first-order counterpart of an embedding: the same recipe, applied to the rules of order 1 alone."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from honem.embedding import Embedding
from honem.embedding.neighborhood import neighborhood
from honem.embedding.recipe import Recipe
from honem.embedding.transforms import proximity
from honem.errors import HonemWarning
from honem.rules import RuleTable


def first_order_embedding(rules: RuleTable, dimension: int, recipe: Recipe, options: Mapping[str, Any]) -> Embedding:
    """Embed the same nodes by the rules of order 1 alone; solver and random_state are taken from `options`."""
    near = neighborhood(rules.by_order(1), recipe.order_weights, recipe.weighting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonemWarning)  # a rank below the dimension is expected here
        factors = recipe.factorize(
            proximity(near.matrix, recipe.transforms),
            dimension,
            solver=options.get("solver", "auto"),
            random_state=options.get("random_state", 0),
        )
    return Embedding(rules.vocabulary, factors.source, factors.target, factors.singular_values)
