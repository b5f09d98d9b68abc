"""Presets: names for combinations of the pieces that lead from rules to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

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
