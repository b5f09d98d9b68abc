"""The family of recipes that tuning chooses from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from honem.embedding.recipe import Recipe

FEWEST_DIMENSIONS = 8
STRONGER_SPECTRUM = (1.85, 0.15)
"""Powers that sum to 2: weak dimensions, which hold mostly noise where data are few, count even less."""

OBSERVED_DIRECTION = ("near_itself", "scale_by_degree", "diffusion", "log_scale")
"""Without "both_ways": pairs that were observed in one direction only get no score in the other."""
OBSERVED_PAIRS = ("near_itself", "scale_by_degree", "log_scale")
"""Without "diffusion" as well: only observed pairs get a score."""


@dataclass(frozen=True)
class Member:
    """A recipe and a number of dimensions, under a name that says how it differs from its preset.

    Attributes
    ----------
    name : str
        What reports call it.
    recipe : Recipe
        How rules become vectors.
    n_components : int
        Number of dimensions.
    """

    name: str
    recipe: Recipe
    n_components: int


def family(n_components: int, tune_for: str = "links", pieces: Mapping[str, Any] | None = None) -> tuple[Member, ...]:
    """Return the members that tuning tries, simplest first.

    For labels, which are not known, there is only the preset "spectral". For links they are the presets "evidence",
    "weighted" and "spatial" and variants that cost nothing beyond them: fewer dimensions or a stronger spectrum of
    the same singular value decomposition, target vectors divided by the square root of their length, and scores by
    cosine. For reconstruction, where pairs that were not observed must not get a score, there are members without
    the transforms that give them one.

    Parameters
    ----------
    n_components : int
        Largest number of dimensions.
    tune_for : {"links", "reconstruction", "labels"}, default="links"
        What vectors are chosen for.
    pieces : Mapping or None, default=None
        Pieces of the recipe that all members have, by name.

    Returns
    -------
    tuple of Member

    Raises
    ------
    ParameterError
        If a piece is not known.

    Examples
    --------
    >>> [member.name for member in family(16)]  # doctest: +NORMALIZE_WHITESPACE
    ['evidence', 'evidence, 8 dimensions', 'evidence, stronger spectrum', 'weighted', 'spatial',
     'spatial, shorter targets', 'spatial, cosine']
    >>> [member.name for member in family(16, "reconstruction")]  # doctest: +NORMALIZE_WHITESPACE
    ['evidence', 'weighted', 'spatial', 'evidence, observed pairs', 'weighted, observed pairs',
     'spatial, observed direction']
    """
    common = dict(pieces or {})

    def member(name: str, preset: str, dimension: int = n_components, **changes: Any) -> Member:
        return Member(name, Recipe.of(preset, **common, **changes), dimension)

    weighted, spatial = (member(name, name) for name in ("weighted", "spatial"))
    if tune_for == "reconstruction":
        return (
            member("evidence", "evidence"),
            weighted,
            spatial,
            member("evidence, observed pairs", "evidence", transforms=(), spectrum=0.5, tilt=0.0),
            member("weighted, observed pairs", "weighted", transforms=OBSERVED_PAIRS, regularization=0.3),
            member("spatial, observed direction", "spatial", transforms=OBSERVED_DIRECTION),
        )
    if tune_for == "labels":
        return (member("spectral", "spectral"),)
    fewer = [n_components // divisor for divisor in (2, 4, 8) if n_components // divisor >= FEWEST_DIMENSIONS]
    return (
        member("evidence", "evidence"),
        *(member(f"evidence, {number} dimensions", "evidence", number) for number in fewer),
        member("evidence, stronger spectrum", "evidence", spectrum=STRONGER_SPECTRUM),
        weighted,
        spatial,
        member("spatial, shorter targets", "spatial", length_power=0.5),
        member("spatial, cosine", "spatial", score="cosine"),
    )
