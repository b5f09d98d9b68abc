"""Truncated singular value decomposition of the proximity matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from honem._internal.progress import Progress
from honem.embedding.embedding import Embedding
from honem.embedding.factorizations.base import Factorization, ScoreTerms
from honem.embedding.factorize import Factors, choose_solver, factorize
from honem.embedding.matrices import Array
from honem.embedding.spectrum import Spectrum, SpectrumPowers
from honem.embedding.tilt import Tilt
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


@dataclass(frozen=True)
class TruncatedSvd(Factorization):
    """Truncated singular value decomposition, see `honem.embedding.factorize.factorize`.

    Parameters
    ----------
    spectrum : float or pair of floats, default=0.5
        Powers of the singular values in `source` and `target`, between 0 and 2.
    tilt : float, default=0.0
        Power of row and column sums by which errors are weighted, between -0.5 and 0.5.
    """

    name: ClassVar[str] = "svd"

    spectrum: Spectrum = 0.5
    tilt: float = 0.0

    def __post_init__(self) -> None:
        """Raise ParameterError for values out of range."""
        SpectrumPowers.of(self.spectrum)
        if isinstance(self.spectrum, list):
            object.__setattr__(self, "spectrum", tuple(self.spectrum))
        Tilt(self.tilt)

    def factorize(
        self,
        matrix: Matrix,
        n_components: int,
        *,
        solver: str = "auto",
        random_state: int | None = 0,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Factors:
        """Factorize a matrix; the parameters are those of `honem.embedding.factorize.factorize`."""
        return factorize(
            matrix,
            n_components,
            spectrum=self.spectrum,
            tilt=self.tilt,
            solver=solver,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
        )

    def quicker(self) -> SvdDraft:
        """Return the same by an approximate solver where the exact one would take long."""
        return SvdDraft(self.spectrum, self.tilt)

    def derived(self, factors: Factors, other: Factorization, n_components: int) -> Factors | None:
        """Return the first columns with other powers of the singular values, if the tilt is the same."""
        if not isinstance(other, TruncatedSvd) or other.tilt != self.tilt or n_components > factors.source.shape[1]:
            return None
        before, after = SpectrumPowers.of(self.spectrum), SpectrumPowers.of(other.spectrum)
        values = factors.singular_values[:n_components]
        return Factors(
            factors.source[:, :n_components] * values ** (after.source - before.source),
            factors.target[:, :n_components] * values ** (after.target - before.target),
            values,
            len(values),
            factors.solver,
        )

    def fold_in(self, embedding: Embedding, matrix: Matrix, rows: Matrix, columns: Matrix) -> tuple[Array, Array]:
        """Project rows on the right singular vectors and columns on the left ones, of the tilted matrix.

        Source vectors are R^-1 U sigma^p with U = R M C^-1 V sigma^-1, where R and C are the weights of the tilt; so
        the weight of a row, which is not known for a new node, cancels. The same holds for target vectors, C V sigma^q.
        """
        powers, tilted = SpectrumPowers.of(self.spectrum), Tilt(self.tilt).weights(matrix)
        source, target, values = self.scores(embedding, matrix).factors()
        power = powers.source - powers.target
        new_sources: Array = np.asarray(rows @ (target / tilted.columns[:, None] ** 2)) * values ** (power - 1)
        new_targets: Array = np.asarray(columns @ (source * tilted.rows[:, None] ** 2)) * values ** (-power - 1)
        if embedding.rotation is None:
            return new_sources, new_targets
        rotation = embedding.rotation[: len(values)]
        return new_sources @ rotation, new_targets @ rotation

    def scores(self, embedding: Embedding, matrix: Matrix) -> SvdScores:
        """Return the scores of an embedding of the matrix.

        Raises
        ------
        ParameterError
            If the embedding has no target vectors or no singular values.
        """
        missing = [name for name in ("target", "singular_values") if getattr(embedding, name) is None]
        if missing:
            raise ParameterError(
                "only scores of vectors that HONEM factorized can be explained, and this embedding has no "
                f"{'target vectors' if missing[0] == 'target' else 'singular values'}"
            )
        row_weights = Tilt(self.tilt).weights(matrix).rows
        return SvdScores(embedding, matrix, SpectrumPowers.of(self.spectrum), row_weights)


@dataclass(frozen=True)
class SvdDraft(TruncatedSvd):
    """A truncated SVD that is accurate enough to compare recipes: "fast" instead of "lanczos"."""

    def factorize(
        self,
        matrix: Matrix,
        n_components: int,
        *,
        solver: str = "auto",
        random_state: int | None = 0,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Factors:
        """Factorize a matrix; the parameters are those of `honem.embedding.factorize.factorize`."""
        chosen = choose_solver(matrix.shape[0], n_components) if solver == "auto" else solver
        return super().factorize(
            matrix,
            n_components,
            solver="fast" if chosen == "lanczos" else chosen,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
        )


@dataclass(frozen=True, eq=False)
class SvdScores:
    """Scores source_a . target_b of the vectors of a truncated SVD, as sums over nodes.

    With M the matrix that was factorized, R the diagonal matrix of the weights that the tilt gives to its rows,
    source = R^-1 U sigma^p and target_b = V_b sigma^q times the weight of column b, where U sigma V^T is the
    decomposition of the tilted matrix,

        source_a . target_b = sum over nodes j of W[a, j] M[j, b],
        W = R^-1 U sigma^(p + q - 1) U^T R = source sigma^(q - p - 1) source^T R^2.
    """

    embedding: Embedding
    matrix: Matrix
    powers: SpectrumPowers
    row_weights: Array

    def terms(self, a: int, b: int) -> ScoreTerms:
        """Split the score of the nodes with ids a and b: W[a, j] is the likeness of node j, M[j, b] its nearness."""
        source, target, singular_values = self.factors()
        weighted = source[a] * self.powers.likeness_weights(singular_values)
        return ScoreTerms(
            score=float(source[a] @ target[b]),
            likeness=source @ weighted * self.row_weights**2,
            nearness=self.matrix[:, [b]].toarray().ravel(),
            truncated=float((source[a] * target[b]) @ self.powers.truncation_weights(singular_values)),
            own=a,
        )

    def describe(self, a: str, b: str) -> str:
        """Say what likeness and nearness are."""
        return f"how much {a} counts as each, times how near that one is to {b}"

    def factors(self) -> tuple[Array, Array, Array]:
        """Return source, target and singular values, not aligned, without the columns whose singular value is 0."""
        whole = self.embedding.unrotated()
        source, target, singular_values = whole.source, whole.target, whole.singular_values
        assert target is not None
        assert singular_values is not None
        rank = int((singular_values != 0).sum())  # stores of honem 0.1.0 have columns of zeros
        return source[:, :rank], target[:, :rank], singular_values[:rank]
