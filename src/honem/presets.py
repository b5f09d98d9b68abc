"""Presets: names for combinations of the pieces that lead from rules to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from honem.neighborhood import OrderWeights, Weighting
from honem.proximity import Transform


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


PRESETS = {
    "evidence": Recipe("evidence", "steep", ("damp", "both_ways", "near_itself", "scale_by_degree"), 0.7),
    "paper": Recipe("probability", "exponential", (), 0.5),
}
