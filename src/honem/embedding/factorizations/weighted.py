"""Weighted factorization: entries that are 0 count less than those that are not, by alternating least squares.

With L the matrix, source vectors u and target vectors v minimize

    sum over nonzero entries of (L_ij - u_i . v_j)^2
    + w0 * sum over zeros of (u_i . v_j)^2 + r (sum |u_i|^2 + sum |v_j|^2).

Given all v, each u_i solves a linear system of its own, A_i u_i = sum over j of L_ij v_j with

    A_i = w0 V^T V + (1 - w0) * sum over the nonzero entries j of row i of v_j v_j^T + r,

and the same holds for each v_j given all u.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from honem._internal.option_names import option
from honem._internal.progress import Progress
from honem._internal.validation import is_number, require_between, require_number, require_whole
from honem.embedding.embedding import Embedding
from honem.embedding.factorizations.base import Factorization, ScoreTerms
from honem.embedding.factorize import Factors, canonical_matrix, column_signs, warn_of_fewer_dimensions
from honem.embedding.matrices import Array
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


NEGLIGIBLE = 1e-5
"""Columns whose strength is below this share of the strongest are left out."""


@dataclass(frozen=True)
class WeightedFactorization(Factorization):
    """Least squares in which zeros count less than other entries, see the module.

    A truncated SVD weights all entries equally, and nearly all of them are 0. On sparse networks of large diameter,
    such as roads, it therefore spends its dimensions on zeros, and a smaller weight of zeros is far better.

    Parameters
    ----------
    zero_weight : float, default=0.1
        Weight of an entry that is 0, above 0 and at most 1; other entries have the weight 1.
    regularization : float, default=1.0
        Weight r of the squared lengths of the vectors, above 0. Larger values use fewer dimensions effectively.
    length_power : float, default=0.0
        Target vectors are divided by this power of their length, at least 0 and below 1. Above 0, nodes with long
        vectors, which many nodes lead to, get lower scores.
    n_rounds : int, default=10
        Number of times that source and target vectors are solved for in turn.
    """

    name: ClassVar[str] = "weighted"
    is_exact: ClassVar[bool] = True
    """Whether source vectors solve their systems exactly, so that scores can be explained."""

    zero_weight: float = 0.1
    regularization: float = 1.0
    length_power: float = 0.0
    n_rounds: int = 10

    def __post_init__(self) -> None:
        """Raise ParameterError for values out of range."""
        if not (is_number(self.zero_weight) and 0 < self.zero_weight <= 1):
            raise ParameterError(f"{option('zero_weight')} must be above 0 and at most 1, not {self.zero_weight!r}")
        require_between("regularization", self.regularization, 0)
        require_number("length_power", self.length_power, at_least=0)
        if self.length_power >= 1:
            raise ParameterError(f"{option('length_power')} must be below 1, not {self.length_power!r}")
        require_whole("n_rounds", self.n_rounds, least=1)

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
        """Factorize a matrix by alternating least squares, started from random vectors.

        The same matrix and seed give the same bits for any number of threads. `solver` has no effect: it chooses among
        algorithms for the singular value decomposition.
        """
        from threadpoolctl import threadpool_limits

        from honem.embedding.factorizations.als import LeastSquares  # loads Numba

        system = LeastSquares(canonical_matrix(matrix), self.zero_weight, self.regularization, n_jobs)
        rng = np.random.default_rng(random_state)
        # BLAS adds in an order that depends on its number of threads, so it gets one; rows have threads of their own.
        with threadpool_limits(1):
            vectors = system.alternate(min(n_components, matrix.shape[0]), self.n_rounds, rng, progress)
            source, target, strengths = rotated_to_axes(*vectors)
            if self.is_exact:
                system.solve_exactly(source, target)
        signs = column_signs(source)
        factors = Factors(source * signs, target * signs, strengths, len(strengths), self.name)
        if factors.rank < n_components:
            warn_of_fewer_dimensions(factors.rank, n_components)
        return self._shortened(factors, self.length_power)

    def _shortened(self, factors: Factors, power: float) -> Factors:
        """Divide target vectors by a power of their lengths."""
        return replace(factors, target=scaled_by_length(factors.target, -power))

    def quicker(self) -> WeightedDraft:
        """Return the same with half as many rounds, and without the exact solution at the end."""
        rounds = (self.n_rounds + 1) // 2
        return WeightedDraft(self.zero_weight, self.regularization, self.length_power, rounds)

    def derived(self, factors: Factors, other: Factorization, n_components: int) -> Factors | None:
        """Return the factors with another `length_power`, if all else is the same and this one has none."""
        if self.length_power or n_components < factors.source.shape[1]:
            return None
        if not isinstance(other, WeightedFactorization) or replace(other, length_power=0.0) != self:
            return None
        return self._shortened(factors, other.length_power)

    def fold_in(self, embedding: Embedding, matrix: Matrix, rows: Matrix, columns: Matrix) -> tuple[Array, Array]:
        """Solve the least squares problem of each new row, given all target vectors, and of each new column."""
        from honem.embedding.factorizations.als import LeastSquares  # loads Numba

        fixed = self.scores(embedding, matrix).solved, embedding.source
        found = tuple(np.zeros((rows.shape[0], embedding.dimension)) for _ in fixed)
        for entries, known, unknown in zip((rows, columns), fixed, found, strict=True):
            LeastSquares(entries, self.zero_weight, self.regularization).solve_exactly(unknown, known)
        return found[0], scaled_by_length(found[1], -self.length_power)

    def scores(self, embedding: Embedding, matrix: Matrix) -> WeightedScores:
        """Return the scores of an embedding of the matrix.

        Raises
        ------
        ParameterError
            If the embedding has no target vectors.
        """
        if embedding.target is None:
            raise ParameterError(
                "only scores of vectors that HONEM factorized can be explained, and this embedding has no target "
                "vectors"
            )
        return WeightedScores(embedding, canonical_matrix(matrix), self)


@dataclass(frozen=True)
class WeightedDraft(WeightedFactorization):
    """A weighted factorization that is accurate enough to compare its scores with those of others."""

    is_exact: ClassVar[bool] = False


@dataclass(frozen=True, eq=False)
class WeightedScores:
    """Scores source_a . target_b of a weighted factorization, as sums over the nonzero entries of row a.

    Since A_a source_a = sum over k of L_ak v_k,

        source_a . target_b = sum over k of W[k, b] L[a, k],   W[k, b] = v_k^T A_a^-1 target_b.
    """

    embedding: Embedding
    matrix: Matrix
    factorization: WeightedFactorization

    @cached_property
    def solved(self) -> Array:
        """The target vectors as least squares found them, before they were divided by a power of their length."""
        assert self.embedding.target is not None
        power = self.factorization.length_power
        return scaled_by_length(self.embedding.target, power / (1 - power))

    @cached_property
    def gram(self) -> Array:
        """V^T V."""
        return self.solved.T @ self.solved

    def terms(self, a: int, b: int) -> ScoreTerms:
        """Split the score of the nodes with ids a and b: W[k, b] is the likeness of node k, L[a, k] its nearness."""
        source, target = self.embedding.source[a], self.embedding.target
        assert target is not None
        entries = slice(self.matrix.indptr[a], self.matrix.indptr[a + 1])
        near = self.solved[self.matrix.indices[entries]]
        likeness, nearness = np.zeros(len(self.embedding)), np.zeros(len(self.embedding))
        likeness[self.matrix.indices[entries]] = near @ np.linalg.solve(self._system(near), target[b])
        nearness[self.matrix.indices[entries]] = self.matrix.data[entries]
        return ScoreTerms(float(source @ target[b]), likeness, nearness, float(source @ self.solved[b]), own=b)

    def _system(self, near: Array) -> Array:
        """Return A_a, given the target vectors of the nonzero entries of row a."""
        zero_weight, regularization = self.factorization.zero_weight, self.factorization.regularization
        system: Array = zero_weight * self.gram + (1 - zero_weight) * (near.T @ near)
        system[np.diag_indices_from(system)] += regularization
        return system

    def describe(self, a: str, b: str) -> str:
        """Say what likeness and nearness are."""
        return f"how much {b} resembles each node, times how near {a} is to that one"


def rotated_to_axes(source: Array, target: Array) -> tuple[Array, Array, Array]:
    """Rotate both sides to their common principal axes and return them with the strengths of the columns.

    A rotation changes neither dot products nor cosines. Where least squares has converged, the strengths, which are the
    mean squared lengths of the columns of both sides, are the singular values of the product of the sides. Columns that
    regularization has reduced to nothing are left out.
    """
    strengths, axes = np.linalg.eigh((source.T @ source + target.T @ target) / 2)
    kept = np.flatnonzero(strengths > NEGLIGIBLE * strengths.max(initial=0.0))[::-1]
    return source @ axes[:, kept], target @ axes[:, kept], strengths[kept]


def scaled_by_length(vectors: Array, power: float) -> Array:
    """Return vectors multiplied by a power of their lengths; vectors of zeros stay."""
    if not power:
        return vectors
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors * np.where(lengths > 0, lengths, 1.0) ** power
