"""Presets: names for combinations of the pieces that lead from rules to vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, get_args

from honem._internal.validation import require_one_of
from honem.embedding.factorize import Factors, Spectrum, factorize, require_tilt, spectrum_powers
from honem.embedding.neighborhood import OrderWeights, Weighting
from honem.embedding.transforms import Transform, named_transforms
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.transforms import Matrix

ALWAYS_USED = 16  # dimensions, whatever the share: examples small enough to be read stay whole


@dataclass(frozen=True)
class Recipe:
    """How rules become vectors, piece by piece.

    `weighting` says what a rule brings to D^v, `order_weights` how much each order counts in S, `transforms` what is
    done to S before it is factorised, `spectrum` the powers of the singular values in `source` and `target` (or
    one number for both), `tilt` by which power of row and column sums its errors are weighed, and `rank_share` how many
    dimensions are used at most, as a share of the nodes.
    """

    weighting: Weighting
    order_weights: OrderWeights
    transforms: Sequence[str | Transform]
    spectrum: Spectrum
    tilt: float
    rank_share: float

    def __post_init__(self) -> None:
        """A piece that is not known is refused before any work is done."""
        require_one_of("weighting", self.weighting, get_args(Weighting))
        named_transforms(self.transforms)
        spectrum_powers(self.spectrum)
        require_tilt(self.tilt)
        if not 0 < self.rank_share <= 1:
            raise ParameterError(f"rank_share must be more than 0 and at most 1, not {self.rank_share!r}")

    def max_rank(self, n_nodes: int) -> int:
        """How many dimensions are used for so many nodes."""
        return max(ALWAYS_USED, int(self.rank_share * n_nodes))

    def factorize(self, matrix: Matrix, n_components: int, **solver: Any) -> Factors:
        """Vectors of the matrix after all transforms; `solver` are the options of the solver."""
        max_rank = self.max_rank(matrix.shape[0])
        return factorize(matrix, n_components, spectrum=self.spectrum, tilt=self.tilt, max_rank=max_rank, **solver)


PRESETS = {
    "evidence": Recipe("evidence", "learnt", ("both_ways", "near_itself", "scale_by_degree"), (1.2, 0.1), 1 / 16, 0.5),
    "paper": Recipe("probability", "exponential", (), 0.5, 0.0, 1.0),
}


def recipe_of(parameters: Mapping[str, Any]) -> Recipe:
    """The preset that parameters name, with the pieces they choose otherwise.

    Without a preset it is the paper's: stores from before there were presets say nothing of them.

    >>> recipe_of({"preset": "paper", "order_weights": "constant", "spectrum": None})
    Recipe(weighting='probability', order_weights='constant', transforms=(), spectrum=0.5, tilt=0.0, rank_share=1.0)
    """
    preset = parameters.get("preset", "paper")
    require_one_of("preset", preset, tuple(PRESETS))
    pieces = {piece.name: parameters.get(piece.name) for piece in fields(Recipe)}
    return replace(PRESETS[preset], **{name: value for name, value in pieces.items() if value is not None})
