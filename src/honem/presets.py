"""Presets: names for combinations of the pieces that lead from rules to vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

from honem.checks import require_one_of
from honem.factorize import require_spectrum
from honem.neighborhood import OrderWeights, Weighting
from honem.proximity import Transform, named_transforms


@dataclass(frozen=True)
class Recipe:
    """How rules become vectors, piece by piece.

    `weighting` says what a rule brings to D^v, `order_weights` how much each order counts in S, `transforms` what is
    done to S before it is factorised, and `spectrum` the power p of `source = U sigma^p`, `target = V sigma^p`.
    """

    weighting: Weighting
    order_weights: OrderWeights
    transforms: Sequence[str | Transform]
    spectrum: float

    def __post_init__(self) -> None:
        """A piece that is not known is refused before any work is done."""
        require_one_of("weighting", self.weighting, get_args(Weighting))
        named_transforms(self.transforms)
        require_spectrum(self.spectrum)


PRESETS = {
    "evidence": Recipe("evidence", "learnt", ("both_ways", "near_itself", "scale_by_degree"), 0.7),
    "paper": Recipe("probability", "exponential", (), 0.5),
}


def recipe_of(parameters: Mapping[str, Any]) -> Recipe:
    """The preset that parameters name, with the pieces they choose otherwise.

    Without a preset it is the paper's: stores from before there were presets say nothing of them.

    >>> recipe_of({"preset": "paper", "order_weights": "constant", "spectrum": None})
    Recipe(weighting='probability', order_weights='constant', transforms=(), spectrum=0.5)
    """
    preset = parameters.get("preset", "paper")
    require_one_of("preset", preset, tuple(PRESETS))
    pieces = {piece.name: parameters.get(piece.name) for piece in fields(Recipe)}
    return replace(PRESETS[preset], **{name: value for name, value in pieces.items() if value is not None})
