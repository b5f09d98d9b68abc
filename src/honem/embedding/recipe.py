"""Recipe: the pieces that lead from rules to vectors, and the only place where they are put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, get_args

from honem._internal.progress import Progress
from honem._internal.validation import require_one_of
from honem.corpus import Vocabulary
from honem.embedding.combining import COMBINATIONS, Combination, default_combination
from honem.embedding.embedding import Embedding, VectorScore
from honem.embedding.factorizations import FACTORIZATIONS, Factorization, TruncatedSvd, WeightedFactorization
from honem.embedding.factorize import Factors
from honem.embedding.neighborhood import NeighborhoodMatrix, neighborhood
from honem.embedding.order_weights import (
    LEARNT,
    OrderWeighting,
    OrderWeights,
    Similarity,
    order_weighting,
    stored_order_weights,
)
from honem.embedding.pieces import piece_of, restored_piece, stored_piece
from honem.embedding.transforms import TRANSFORMS, Transform, TransformLike, proximity, transforms_of
from honem.embedding.weighting import WEIGHTINGS, Weighting
from honem.errors import ParameterError
from honem.rules import Rules

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True, eq=False)
class Embedded:
    """The result of a recipe: D^v and S, the proximity matrix that was factorized, and the vectors."""

    neighborhood: NeighborhoodMatrix
    proximity: Matrix
    embedding: Embedding


@dataclass(frozen=True)
class Recipe:
    """How rules become vectors, piece by piece; `PRESETS` holds the named ones.

    Every piece is given by name or as an object, see the modules of `honem.embedding`. Unknown names and values out of
    range raise ParameterError when the recipe is made.

    Parameters
    ----------
    weighting : str or Weighting
        What a rule contributes to D^v.
    order_weights : str, sequence of float, callable or OrderWeighting
        How much each order counts.
    combination : str or Combination
        How the weighted D^v become S.
    transforms : sequence of str, Transform or callable
        Steps from S to the proximity matrix.
    factorization : Factorization
        How the proximity matrix becomes vectors.
    score : {"source.target", "source.source", "cosine", "euclidean"}, default="source.target"
        How the vectors are meant to be compared.
    """

    weighting: str | Weighting
    order_weights: OrderWeights
    combination: str | Combination
    transforms: Sequence[TransformLike]
    factorization: Factorization
    score: VectorScore = "source.target"

    def __post_init__(self) -> None:
        """Look up every piece, so that unknown ones are refused before any work is done."""
        _ = (self.weighting_piece, self.order_weighting, self.combination_piece, self.transform_pieces)
        factorization = piece_of("factorization", self.factorization, FACTORIZATIONS, Factorization)  # type: ignore[type-abstract]
        object.__setattr__(self, "factorization", factorization)
        require_one_of("score", self.score, get_args(VectorScore))

    @classmethod
    def of(cls, preset: str, **pieces: Any) -> Recipe:
        """Return a preset with some pieces replaced; pieces that are None remain those of the preset.

        Order weights other than the preset's bring their own combination, unless one is given: "maximum" with
        "learnt", "mean" with all others. Names other than those of pieces are options of the factorization.

        >>> Recipe.of("paper", order_weights="learnt", tilt=0.1)  # doctest: +NORMALIZE_WHITESPACE
        Recipe(weighting='probability', order_weights='similarity', combination='maximum', transforms=(),
               factorization=TruncatedSvd(spectrum=0.5, tilt=0.1), score='source.target')
        """
        require_one_of("preset", preset, tuple(PRESETS))
        complete = _completed(pieces)
        names = {piece.name for piece in fields(cls)}
        recipe = replace(PRESETS[preset], **{name: complete[name] for name in complete if name in names})
        options = {name: value for name, value in complete.items() if name not in names}
        return replace(recipe, factorization=recipe.factorization.with_options(**options))

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe in a form that JSON can hold.

        Raises
        ------
        ParameterError
            If a piece is a function or object that is not registered under a name: code cannot be stored.
        """
        transforms = [stored_piece("transforms", transform, TRANSFORMS) for transform in self.transforms]
        return {
            "weighting": stored_piece("weighting", self.weighting, WEIGHTINGS),
            "order_weights": stored_order_weights(self.order_weights),
            "combination": stored_piece("combination", self.combination, COMBINATIONS),
            "transforms": transforms,
            "factorization": stored_piece("factorization", self.factorization, FACTORIZATIONS, with_values=True),
            "score": self.score,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Recipe:
        """Return the recipe that `to_dict` described.

        Stores of honem 0.1.0, which had no combination and options of the singular value decomposition instead of a
        factorization, and mappings that name a `preset` and some pieces are read as well.

        Raises
        ------
        ParameterError
            If a piece is missing, or unknown to this version.

        Examples
        --------
        >>> Recipe.from_dict(PRESETS["evidence"].to_dict()) == PRESETS["evidence"]
        True
        """
        names = [piece.name for piece in fields(cls)]
        pieces = restored_pieces(stored)
        unknown = [name for name in pieces if name not in (*names, "preset", "spectrum", "tilt")]
        if unknown:
            raise ParameterError(f"the stored recipe has a piece {unknown[0]!r} that this version does not know")
        if "preset" in pieces:
            return cls.of(**pieces)
        svd = {name: pieces.pop(name) for name in ("spectrum", "tilt") if name in pieces}
        if svd:
            pieces.setdefault("factorization", TruncatedSvd(**svd))
        complete = _completed(pieces)
        missing = [name for name in names if name not in (*complete, "score")]
        if missing:
            raise ParameterError(f"the stored recipe is incomplete: it has no {', '.join(missing)}")
        return cls(**complete)

    @property
    def weighting_piece(self) -> Weighting:
        """The weighting as an object."""
        return piece_of("weighting", self.weighting, WEIGHTINGS, Weighting)  # type: ignore[type-abstract]

    @property
    def order_weighting(self) -> OrderWeighting:
        """The order weights as an object."""
        return order_weighting(self.order_weights)

    @property
    def combination_piece(self) -> Combination:
        """The combination as an object."""
        return piece_of("combination", self.combination, COMBINATIONS, Combination)  # type: ignore[type-abstract]

    @property
    def transform_pieces(self) -> tuple[Transform, ...]:
        """The transforms as objects."""
        return transforms_of(self.transforms)

    def neighborhood(self, rules: Rules) -> NeighborhoodMatrix:
        """Compute D^v and S of rules."""
        return neighborhood(rules, self.order_weights, self.weighting, self.combination)

    def proximity(self, near: NeighborhoodMatrix) -> Matrix:
        """Compute the proximity matrix, S after all transforms."""
        return proximity(near.matrix, self.transforms)

    def embed(
        self,
        rules: Rules,
        n_components: int,
        *,
        solver: str = "auto",
        random_state: int | None = 0,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Embedded:
        """Turn rules into vectors.

        Parameters
        ----------
        rules : RuleTable or other Rules
            The rules, in memory or still on a cluster.
        n_components : int
            Number of dimensions.
        solver : {"auto", "dense", "lanczos", "randomized", "fast"}, default="auto"
            How the singular value decomposition is computed, see `honem.embedding.factorize.factorize`.
        random_state : int or None, default=0
            Seed of the solver; None for different vectors each time.
        n_jobs : int or None, default=None
            Number of threads of the solver; None or -1 for all cores.
        progress : callable or None, default=None
            Called with the name of the task, the work done so far, and the total.

        Returns
        -------
        Embedded
            The neighbourhood matrices, the proximity matrix and the embedding.

        Examples
        --------
        >>> from honem import Corpus, extract_rules
        >>> rules = extract_rules(Corpus.from_sequences([["dorm", "centre", "library"]] * 20), engine="reference")
        >>> PRESETS["paper"].embed(rules, 2).embedding
        Embedding(3 nodes, 2 dimensions)
        """
        near = self.neighborhood(rules)
        matrix = self.proximity(near)
        factors = self.factorization.factorize(
            matrix, n_components, solver=solver, random_state=random_state, n_jobs=n_jobs, progress=progress
        )
        return Embedded(near, matrix, self.embedding_of(rules.vocabulary, factors))

    def embedding_of(self, vocabulary: Vocabulary, factors: Factors) -> Embedding:
        """Return factors as the embedding of nodes, with the score of this recipe."""
        return Embedding(vocabulary, factors.source, factors.target, factors.singular_values, self.score)


def _completed(pieces: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pieces that are not None, with the combination that the order weights imply, and lists as tuples."""
    chosen = {name: _frozen(value) for name, value in pieces.items() if value is not None}
    if "order_weights" in chosen:
        chosen.setdefault("combination", default_combination(chosen["order_weights"]))
        if isinstance(chosen["order_weights"], str) and chosen["order_weights"] == LEARNT:
            chosen["order_weights"] = Similarity.name
    return chosen


def _frozen(value: Any) -> Any:
    """Return lists, as users write them and JSON has them, as tuples."""
    return tuple(value) if isinstance(value, list) else value


def restored_pieces(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored pieces, without the rank share of honem 0.1.0, which did not change what vectors mean."""
    pieces = {name: value for name, value in stored.items() if name != "rank_share"}
    if "factorization" in pieces:
        pieces["factorization"] = restored_piece("factorization", pieces["factorization"], FACTORIZATIONS)
    if isinstance(pieces.get("transforms"), Sequence):
        pieces["transforms"] = tuple(restored_piece("transforms", one, TRANSFORMS) for one in pieces["transforms"])
    if isinstance(pieces.get("spectrum"), list):
        pieces["spectrum"] = tuple(pieces["spectrum"])
    return pieces


FROM_EVIDENCE: dict[str, Any] = {"weighting": "evidence", "order_weights": "similarity", "combination": "maximum"}
PROXIMITY = ("both_ways", "near_itself", "scale_by_degree")

PRESETS = {
    "evidence": Recipe(
        **FROM_EVIDENCE, transforms=PROXIMITY, factorization=TruncatedSvd(spectrum=(1.2, 0.1), tilt=1 / 16)
    ),
    "weighted": Recipe(
        **FROM_EVIDENCE,
        transforms=(*PROXIMITY, "diffusion", "log_scale"),
        factorization=WeightedFactorization(zero_weight=0.1, regularization=1.0),
    ),
    "spatial": Recipe(
        **FROM_EVIDENCE,
        transforms=(*PROXIMITY, "diffusion", "log_scale"),
        factorization=WeightedFactorization(zero_weight=0.01, regularization=0.3),
    ),
    "spectral": Recipe(
        **FROM_EVIDENCE,
        transforms=(*PROXIMITY, "symmetric", "normalize_by_degree"),
        factorization=TruncatedSvd(spectrum=(1.0, 0.0), tilt=0.0),
    ),
    "paper": Recipe(
        weighting="probability",
        order_weights="exponential",
        combination="mean",
        transforms=(),
        factorization=TruncatedSvd(spectrum=0.5, tilt=0.0),
    ),
}
"""How rules become vectors, by name: "evidence" (SVD of counts on a logarithmic scale), "weighted" (zeros count a
tenth), "spatial" (zeros count a hundredth, for sparse networks of large diameter), "spectral" (directions and degrees
removed as in spectral clustering, for labels), "paper" (HONEM as published)."""


def preset_criterion(preset: str) -> str:
    """Return the acceptance criterion that goes with a preset: the paper's own with "paper", else "significance"."""
    return "divergence" if preset == "paper" else "significance"
