"""The score source_a . target_b as a sum over nodes: how much a counts as each, times how near that one is to b."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honem.embedding import Embedding
from honem.embedding.factorize import Spectrum, spectrum_powers
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.transforms import Matrix

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreTerm:
    """One node's part of the score: how much a counts as it, how near it is to b, and their product."""

    node: Hashable
    likeness: float
    nearness: float
    part: float


@dataclass(frozen=True)
class ScoreParts:
    """A score taken apart: own.part + the parts of `others` + rest + unexplained == score.

    With M the matrix that was factorised, R the weights that the tilt gives its rows, source = R^-1 U sigma^p and
    target_b = V_b sigma^q times the weight of column b, where U sigma V^T are the triplets of the tilted matrix,

        source_a . target_b = sum over nodes j of W[a, j] M[j, b],
        W = R^-1 U sigma^(p + q - 1) U^T R = source sigma^(q - p - 1) source^T R^2.

    W[a, j], the likeness, says how much a counts as j; with p + q = 1, W projects on what d dimensions can tell apart.
    The term of a itself is its own evidence, the others say: a resembles j, and j leads to b. `rest` sums the terms
    that are not listed, and `unexplained` is what no term explains: rounding, and more where the vectors are not the
    exact factors of this matrix. `truncated` is what d dimensions leave of M[a, b]: the score there with p + q = 1.
    """

    score: float
    own: ScoreTerm
    others: tuple[ScoreTerm, ...]
    rest: float
    n_rest: int
    unexplained: float
    truncated: float


def score_parts(
    embedding: Embedding, matrix: Matrix, spectrum: Spectrum, row_weights: Array, a: int, b: int, n: int
) -> ScoreParts:
    """The score of nodes a and b, with the n strongest terms of other nodes."""
    source, target, singular_values = factors_of(embedding)
    nearness: Array = matrix[:, [b]].toarray().ravel()
    p, q = spectrum_powers(spectrum)
    likeness: Array = source @ (source[a] * singular_values ** (q - p - 1)) * row_weights**2
    parts = likeness * nearness
    score = float(source[a] @ target[b])
    terms = np.flatnonzero(nearness)
    others = terms[terms != a]
    strongest = others[np.lexsort((others, -np.abs(parts[others])))]

    def term(node: int) -> ScoreTerm:
        return ScoreTerm(embedding.nodes[node], float(likeness[node]), float(nearness[node]), float(parts[node]))

    return ScoreParts(
        score=score,
        own=term(a),
        others=tuple(term(node) for node in strongest[:n].tolist()),
        rest=float(parts[strongest[n:]].sum()),
        n_rest=len(strongest[n:]),
        unexplained=score - float(parts.sum()),
        truncated=float((source[a] * target[b]) @ singular_values ** (1 - p - q)),
    )


def factors_of(embedding: Embedding) -> tuple[Array, Array, Array]:
    """Source and target vectors and singular values, without the columns of singular value 0."""
    if embedding.target is None or embedding.singular_values is None:
        raise ParameterError(
            "a score can be taken apart only where the vectors are the factors of a matrix, and this embedding has no "
            f"{'target vectors' if embedding.target is None else 'singular values'}; take one that HONEM made"
        )
    rank = int(np.count_nonzero(embedding.singular_values))
    return embedding.source[:, :rank], embedding.target[:, :rank], embedding.singular_values[:rank]
