"""The score source_a . target_b as a sum over nodes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from honem.embedding.factorizations import ScoreTerms


@dataclass(frozen=True)
class ScoreTerm:
    """The part of a score that one node contributes.

    Attributes
    ----------
    node : hashable
        The node j.
    likeness : float
        How much j resembles one node of the pair: a, or b in a weighted factorization.
    nearness : float
        The entry of the proximity matrix between j and the other node of the pair: (j, b), or (a, j) in a weighted
        factorization.
    part : float
        likeness times nearness.
    """

    node: Hashable
    likeness: float
    nearness: float
    part: float


@dataclass(frozen=True)
class ScoreParts:
    """A score divided among nodes: own.part + the parts of `others` + rest + unexplained == score.

    `own` is the evidence for the pair itself. Each other term says that a resembles j and that j leads to b or, in a
    weighted factorization, that a leads to j and that j resembles b. How likeness and nearness are defined is up to
    the factorization, see `SvdScores` and `WeightedScores` in `honem.embedding.factorizations`.

    Attributes
    ----------
    score : float
        source_a . target_b.
    own : ScoreTerm
        The term of the pair itself.
    others : tuple of ScoreTerm
        The terms of other nodes with the largest absolute values.
    rest : float
        The sum of the terms that are not listed.
    n_rest : int
        The number of terms that are not listed.
    unexplained : float
        The score minus all terms: rounding, and more if the vectors are not the exact factors of the matrix.
    truncated : float
        The entry (a, b) of the proximity matrix as the vectors approximate it.
    """

    score: float
    own: ScoreTerm
    others: tuple[ScoreTerm, ...]
    rest: float
    n_rest: int
    unexplained: float
    truncated: float


def score_parts(terms: ScoreTerms, nodes: Sequence[Hashable], n: int) -> ScoreParts:
    """Sort the terms of a score: the pair's own, the n strongest of other nodes, and the sum of the rest."""
    parts = terms.likeness * terms.nearness
    present = np.flatnonzero(terms.nearness)
    others = present[present != terms.own]
    strongest = others[np.lexsort((others, -np.abs(parts[others])))]

    def term(node: int) -> ScoreTerm:
        return ScoreTerm(nodes[node], float(terms.likeness[node]), float(terms.nearness[node]), float(parts[node]))

    return ScoreParts(
        score=terms.score,
        own=term(terms.own),
        others=tuple(term(node) for node in strongest[:n].tolist()),
        rest=float(parts[strongest[n:]].sum()),
        n_rest=len(strongest[n:]),
        unexplained=terms.score - float(parts.sum()),
        truncated=terms.truncated,
    )
