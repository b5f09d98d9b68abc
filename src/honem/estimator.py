"""HONEM: from sequences to vectors, as the paper's abstract reads and as scikit-learn wants it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from honem._internal.progress import TerminalProgress
from honem._internal.validation import require_whole
from honem.corpus import Corpus
from honem.embedding import Embedding, Score
from honem.embedding.factorize import Spectrum
from honem.embedding.neighborhood import NeighborhoodMatrix, OrderWeights, Weighting, neighborhood
from honem.embedding.recipe import Recipe, recipe_of
from honem.embedding.transforms import Transform, proximity
from honem.errors import CorpusError, ParameterError
from honem.explain import Comparison, NodeExplanation, PairExplanation, compare, explain_node, explain_pair
from honem.prediction import NextStep, Prediction
from honem.rules import ExtractionParams, LowerOrders, RuleTable, Support
from honem.rules.engines import make_engine

if TYPE_CHECKING:
    from honem.embedding.transforms import Matrix


class HONEM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embeds the nodes of a higher-order network (Saebi, Ciampaglia, Kaplan, Chawla 2020).

    Samples are nodes: `fit` takes sequences of nodes, or a Corpus, and `transform` takes nodes and gives their source
    vectors. Learnt are `rules_`, `neighborhood_` (D^v and S), `proximity_` (what is factorised) and `embedding_`.

    Parameters
    ----------
    n_components : columns of the vectors, d.
    min_support, support, tau, max_order, lower_orders : which contexts are rules, see ExtractionParams.
    preset : how rules become vectors: "evidence", the best we know, or "paper", to the letter.
    weighting, order_weights, transforms, spectrum, tilt, rank_share : single pieces of it, where they should differ
        from the preset: what a rule brings, how much each order counts, what is done to S before it is factorised, the
        powers of the singular values, by which power of row and column sums errors are weighed, and how many dimensions
        are used at most for so many nodes; see honem.embedding.recipe.Recipe.
    engine : "local", "spark" for corpora on a cluster, or "reference" for small ones and tests.
    solver : how S is factorised, see factorize.
    random_state : seed of the solver's starting vector.
    n_jobs : threads of the local engine and of the solver; all cores unless said.
    verbose : show progress, on a terminal only, on stderr.

    >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
    >>> model = HONEM(n_components=3).fit(trips)
    >>> [neighbor.node for neighbor in model.embedding_.neighbors("dorm", 2, space="source.target")]
    ['downtown', 'library']
    """

    rules_: RuleTable
    neighborhood_: NeighborhoodMatrix
    proximity_: Matrix
    embedding_: Embedding
    _next_step: NextStep | None = None  # made when first asked

    def __init__(
        self,
        n_components: int = 128,
        *,
        min_support: int = 1,
        support: Support = "context",
        tau: float = 1.0,
        max_order: int | None = None,
        lower_orders: LowerOrders = "all",
        preset: str = "evidence",
        weighting: Weighting | None = None,
        order_weights: OrderWeights | None = None,
        transforms: Sequence[str | Transform] | None = None,
        spectrum: Spectrum | None = None,
        tilt: float | None = None,
        rank_share: float | None = None,
        engine: str = "local",
        solver: str = "auto",
        random_state: int | None = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.min_support = min_support
        self.support = support
        self.tau = tau
        self.max_order = max_order
        self.lower_orders = lower_orders
        self.preset = preset
        self.weighting = weighting
        self.order_weights = order_weights
        self.transforms = transforms
        self.spectrum = spectrum
        self.tilt = tilt
        self.rank_share = rank_share
        self.engine = engine
        self.solver = solver
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, sequences: Corpus | Iterable[Iterable[Hashable]] | Any, y: Any = None, *, sample_weight: Any = None
    ) -> Self:
        """Learn rules, neighbourhood matrix and vectors; `sample_weight` are the weights of the sequences.

        With `engine="spark"` the sequences may also be a SparkCorpus, or a Spark DataFrame with one column of arrays.
        """
        params, recipe = self.plan()
        corpus = as_corpus(sequences, sample_weight, self.engine)
        with TerminalProgress() as bar:
            progress = bar if self.verbose else None
            self._next_step = None
            self.rules_ = make_engine(self.engine, self.n_jobs, progress).extract_rules(corpus, params)
            self.neighborhood_ = neighborhood(self.rules_, recipe.order_weights, recipe.weighting)
            self.proximity_ = proximity(self.neighborhood_.matrix, recipe.transforms)
            factors = recipe.factorize(
                self.proximity_,
                self.n_components,
                solver=self.solver,
                random_state=self.random_state,
                n_jobs=self.n_jobs,
            )
        self.embedding_ = Embedding(self.rules_.vocabulary, factors.source, factors.target, factors.singular_values)
        return self

    def plan(self) -> tuple[ExtractionParams, Recipe]:
        """Which rules will be found and what becomes of them; refuses what nobody can mean."""
        require_whole("n_components", self.n_components, least=1)
        params = ExtractionParams(
            min_support=self.min_support,
            support=self.support,
            tau=self.tau,
            max_order=self.max_order,
            lower_orders=self.lower_orders,
        )
        return params, self.recipe()

    def recipe(self) -> Recipe:
        """The preset with the pieces that were chosen otherwise."""
        return recipe_of(self.get_params())

    def transform(self, nodes: Iterable[Hashable]) -> NDArray[np.float64]:
        """The source vectors of nodes, a row each."""
        check_is_fitted(self, "embedding_")
        if isinstance(nodes, (str, bytes)):
            raise ParameterError(f"transform takes many nodes; for one write transform([{nodes!r}])")
        return self.embedding_.vectors(nodes)

    def fit_transform(
        self, sequences: Corpus | Iterable[Iterable[Hashable]], y: Any = None, *, sample_weight: Any = None
    ) -> NDArray[np.float64]:
        """The source vectors of all nodes of the sequences, in order of first appearance."""
        return self.fit(sequences, y, sample_weight=sample_weight).embedding_.source

    def predict_next(self, history: Iterable[Hashable], k: int = 10) -> Prediction:
        """The k likeliest next nodes after a history, oldest first, and the context that said so.

        >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
        >>> HONEM(n_components=3).fit(trips).predict_next(["home", "downtown"], k=1).nodes[0].node
        'office'
        """
        check_is_fitted(self, "rules_")
        if self._next_step is None:
            self._next_step = NextStep.of(self.rules_)
        return self._next_step.predict(history, k)

    @overload
    def explain(self, a: Hashable) -> NodeExplanation: ...
    @overload
    def explain(self, a: Hashable, b: Hashable, *, corpus: Corpus | None = None) -> PairExplanation: ...
    def explain(
        self, a: Hashable, b: Hashable = None, *, corpus: Corpus | None = None
    ) -> NodeExplanation | PairExplanation:
        """What the rules know of a node; of two, their score taken apart, with paths of a corpus if it is given."""
        check_is_fitted(self, "embedding_")
        if b is None:
            return explain_node(self.rules_, a)
        return explain_pair(self.rules_, self.embedding_, self.recipe(), a, b, corpus=corpus)

    def compare(self, other: HONEM | Embedding, k: int = 10, space: Score = "cosine") -> Comparison:
        """The neighbours that nodes have won in this model, and lost, against another model or embedding."""
        check_is_fitted(self, "embedding_")
        return compare(self.embedding_, other.embedding_ if isinstance(other, HONEM) else other, k, space)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.dimension

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        tags.input_tags.two_d_array = False
        return tags


def as_corpus(sequences: Any, weights: Any = None, engine: str = "local") -> Any:
    """The corpus given, or one made of the sequences; what is on Spark stays there."""
    # Told by their names: neither may be imported for those who use neither.
    is_on_spark = type(sequences).__module__.startswith(("pyspark.", "honem.rules.engines.distributed."))
    if is_on_spark and engine != "spark":
        raise CorpusError(f"a {type(sequences).__name__} of Spark needs engine='spark', not {engine!r}")
    if not is_on_spark and not isinstance(sequences, Corpus):
        return Corpus.from_sequences(sequences, weights)
    if weights is not None:
        kind = type(sequences).__name__
        raise CorpusError(f"a {kind} carries its own weights; sample_weight goes with plain sequences")
    return sequences
