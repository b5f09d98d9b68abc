"""Methods that tasks judge: what they return when they are fitted, and the registry of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeVar, cast

from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.errors import ParameterError
from honem.evaluation.registry import LAST, Registry

if TYPE_CHECKING:
    from honem.prediction import StepScores

MethodKind = Literal["vectors", "scores", "predictions"]
"""What a fitted method is: an `Embedding`, a `PairScorer` without vectors, or a `Predictor` of the next node."""

KINDS: dict[MethodKind, str] = {
    "vectors": "vectors",
    "scores": "scores of pairs",
    "predictions": "predictions of the next node",
}


class Predictor(Protocol):
    """A model that gives every node of a vocabulary a probability to come next."""

    def score(self, corpus: Corpus) -> StepScores:
        """Return log2 P(next | history) and the rank of the next node for every step of a corpus."""
        ...


Fitted: TypeAlias = Any
"""An Embedding, a PairScorer or a Predictor, as the kind of the method says; tasks say which kinds they judge."""


class Method(Protocol):
    """Anything with a name that can be fitted to a corpus; the same corpus, dimension and seed give the same result.

    A method whose result does not depend on the dimension may say so with an attribute `uses_dimension = False`.
    """

    @property
    def name(self) -> str:
        """Name of the method in tables."""

    def fit(self, corpus: Corpus, dimension: int, seed: int) -> Fitted:
        """Fit the method to a corpus."""


@dataclass(frozen=True)
class NamedMethod:
    """A function as a Method.

    Parameters
    ----------
    name : str
        Name of the method in tables.
    function : callable
        Called with the corpus, the dimension and the seed.

    Examples
    --------
    >>> import numpy as np
    >>> def zeros(corpus, dimension, seed):
    ...     return Embedding(corpus.vocabulary, np.zeros((corpus.n_nodes, dimension)))
    >>> NamedMethod("zeros", zeros).fit(Corpus.from_sequences([["a", "b"]]), 3, seed=0)
    Embedding(2 nodes, 3 dimensions)
    """

    name: str
    function: Callable[[Corpus, int, int], Fitted]

    def fit(self, corpus: Corpus, dimension: int, seed: int) -> Fitted:
        """Return what the function returns."""
        return self.function(corpus, dimension, seed)


@dataclass(frozen=True)
class GivenVectors:
    """Vectors that were made elsewhere, as a Method: fitting returns them as they are."""

    name: str
    embedding: Embedding

    def fit(self, corpus: Corpus, dimension: int, seed: int) -> Embedding:
        """Return the vectors."""
        return self.embedding


class RegisteredMethod(ABC):
    """Base class of the methods that can be selected by name, as in `honem evaluate --methods`.

    Subclasses are frozen dataclasses whose fields are the options, decorated with `register_method`. The fields
    `n_components` and `random_state`, where there are any, get the dimension and the seed of a comparison.
    """

    name: ClassVar[str]
    """Name on the command line."""
    kind: ClassVar[MethodKind]
    """What `fit` returns."""
    position: ClassVar[int] = LAST
    """Where the method is listed in tables and figures."""
    is_ours: ClassVar[bool] = False
    """Whether the method is a form of HONEM, which is compared with all others."""
    describes_nodes: ClassVar[bool] = True
    """Whether vectors say something about a node beyond how high it ranks."""

    @abstractmethod
    def fit(self, corpus: Corpus) -> Fitted:
        """Fit the method to a corpus: its sequences, or a network made from them."""

    @classmethod
    def option_names(cls) -> tuple[str, ...]:
        """Return the names of all options."""
        return tuple(field.name for field in fields(cast(Any, cls)))

    @classmethod
    def create(cls, options: Mapping[str, Any], *, dimension: int = 128, seed: int = 0) -> Self:
        """Return the method with these options, and the dimension and seed if it has such options.

        Raises
        ------
        ParameterError
            If an option is unknown or its value has no meaning.
        """
        known = cls.option_names()
        for name in options:
            if name not in known:
                raise ParameterError(f"{cls.name} has no option {name!r}; it has {', '.join(known) or 'none'}")
        given = {"n_components": dimension, "random_state": seed}
        return cls(**{name: value for name, value in given.items() if name in known} | dict(options))

    def settings(self) -> dict[str, Any]:
        """Return the values of all options that can change the result, defaults included."""
        return {name: getattr(self, name) for name in self.option_names()}

    def parts(self) -> tuple[RegisteredMethod, ...]:
        """Return this method and all other methods whose code it runs."""
        return (self,)


METHODS: Registry[tuple[MethodKind, str], type[RegisteredMethod]] = Registry(
    "honem.evaluation.baselines", key=lambda method: (method.kind, method.name), position=lambda method: method.position
)
"""All methods, by kind and name: one name may have a form for each kind."""

Registered = TypeVar("Registered", bound=type[RegisteredMethod])


def register_method(method: Registered) -> Registered:
    """Add a method class to METHODS; use it as a decorator."""
    METHODS.register(method)
    return method


def method_names(kinds: Sequence[MethodKind] = tuple(KINDS)) -> tuple[str, ...]:
    """Return the names of all methods of these kinds (default: all kinds) in the order of the registry.

    >>> method_names(["predictions"])
    ('honem', 'first-order', 'rules', 'fixed-order', 'kneser-ney', 'modified-kneser-ney', 'ppm-c')
    """
    return tuple(dict.fromkeys(name for kind, name in METHODS if kind in kinds))


def find_method(name: str, kinds: Sequence[MethodKind]) -> type[RegisteredMethod]:
    """Return the method of this name that is of one of these kinds.

    Raises
    ------
    ParameterError
        If there is none; the message lists the methods that there are.
    """
    for kind in kinds:
        if (kind, name) in METHODS:
            return METHODS[kind, name]
    wanted = " or ".join(KINDS[kind] for kind in kinds)
    problem = f"{name} does not return {wanted}" if name in method_names() else f"there is no method {name!r}"
    raise ParameterError(f"{problem}; the methods that return {wanted} are {', '.join(method_names(kinds))}")
