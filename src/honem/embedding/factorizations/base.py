"""Factorization: the interface of a way from the proximity matrix to vectors, and from a score back to the matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

from honem._internal.option_names import option
from honem._internal.progress import Progress
from honem.embedding.embedding import Embedding
from honem.embedding.factorize import Factors
from honem.embedding.matrices import Array
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


class ScoreTerms(NamedTuple):
    """A score as a sum over nodes, score = sum of likeness * nearness, with one entry per node.

    `own` is the node whose term is the evidence for the pair itself, and `truncated` the entry of the matrix as the
    vectors approximate it.
    """

    score: float
    likeness: Array
    nearness: Array
    truncated: float
    own: int


class Scores(Protocol):
    """Scores of vectors, and how each of them splits into terms."""

    def terms(self, a: int, b: int) -> ScoreTerms:
        """Split the score of the nodes with ids a and b."""
        ...

    def describe(self, a: str, b: str) -> str:
        """Say what the terms of the score of two nodes, given by name, are."""
        ...


@dataclass(frozen=True)
class Factorization(ABC):
    """How a matrix becomes vectors, and how scores of these vectors are explained by the matrix.

    Subclasses are frozen dataclasses; their fields are the options, which HONEM accepts as parameters of that name.
    """

    name: ClassVar[str]

    @abstractmethod
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
        """Return source and target vectors of the nodes."""

    @abstractmethod
    def scores(self, embedding: Embedding, matrix: Matrix) -> Scores:
        """Return the scores of an embedding that `factorize` made from the matrix."""

    def fold_in(self, embedding: Embedding, matrix: Matrix, rows: Matrix, columns: Matrix) -> tuple[Array, Array]:
        """Return source and target vectors of nodes that were not factorized, given all others.

        `embedding` is what `factorize` made from `matrix`, aligned or not. `rows` and `columns` have one row per new
        node: its entries in the columns and in the rows of the known nodes. The row of a known node gives its own
        source vector again.

        Raises
        ------
        ParameterError
            If the factorization has no such formula.
        """
        raise ParameterError(f"{option('factorization', self.name)} cannot fold in new nodes")

    def quicker(self) -> Factorization:
        """Return a variant that takes less time and is accurate enough to compare factorizations; by default itself."""
        return self

    def derived(self, factors: Factors, other: Factorization, n_components: int) -> Factors | None:
        """Return the factors that another factorization would find, computed from those that this one has found.

        None, the default, means that they cannot be derived.
        """
        return None

    def with_options(self, **options: Any) -> Self:
        """Return a copy with some options replaced; raise ParameterError for an option of another factorization."""
        known = [field.name for field in fields(self)]
        for name in options:
            if name not in known:
                raise ParameterError(
                    f"{option(name)} is not an option of {option('factorization', self.name)}, "
                    f"which has {', '.join(map(option, known))}"
                )
        return replace(self, **options)
