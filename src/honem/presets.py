"""Presets: names for combinations of the pieces that lead from rules to vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

from honem.checks import require_one_of
from honem.errors import ParameterError
from honem.factorize import Spectrum, spectrum_powers
from honem.neighborhood import OrderWeights, Weighting
from honem.proximity import Transform, named_transforms

ALWAYS_USED = 16  # dimensions, whatever the share: examples small enough to be read stay whole


@dataclass(frozen=True)
class Recipe:
    """How rules become vectors, piece by piece.

    `weighting` says what a rule brings to D^v, `order_weights` how much each order counts in S, `transforms` what is
    done to S before it is factorised, `spectrum` the powers p and q of `source = U sigma^p` and `target = V sigma^q`
    (or one number for both), and `rank_share` how many dimensions are used at most, as a share of the nodes.
    """

    weighting: Weighting
    order_weights: OrderWeights
    transforms: Sequence[str | Transform]
    spectrum: Spectrum
    rank_share: float

    def __post_init__(self) -> None:
        """A piece that is not known is refused before any work is done."""
        require_one_of("weighting", self.weighting, get_args(Weighting))
        named_transforms(self.transforms)
        spectrum_powers(self.spectrum)
        if not 0 < self.rank_share <= 1:
            raise ParameterError(f"rank_share must be more than 0 and at most 1, not {self.rank_share!r}")

    def max_rank(self, n_nodes: int) -> int:
        """How many dimensions are used for so many nodes."""
        return max(ALWAYS_USED, int(self.rank_share * n_nodes))


PRESETS = {
    "evidence": Recipe("evidence", "learnt", ("both_ways", "near_itself", "scale_by_degree"), (1.0, 0.4), 0.5),
    "paper": Recipe("probability", "exponential", (), 0.5, 1.0),
}


def recipe_of(parameters: Mapping[str, Any]) -> Recipe:
    """The preset that parameters name, with the pieces they choose otherwise.

    Without a preset it is the paper's: stores from before there were presets say nothing of them.

    >>> recipe_of({"preset": "paper", "order_weights": "constant", "spectrum": None})
    Recipe(weighting='probability', order_weights='constant', transforms=(), spectrum=0.5, rank_share=1.0)
    """
    preset = parameters.get("preset", "paper")
    require_one_of("preset", preset, tuple(PRESETS))
    pieces = {piece.name: parameters.get(piece.name) for piece in fields(Recipe)}
    return replace(PRESETS[preset], **{name: value for name, value in pieces.items() if value is not None})
