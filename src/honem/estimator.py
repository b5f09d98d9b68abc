"""HONEM: from sequences to vectors, as the paper's abstract reads and as scikit-learn wants it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from honem.checks import require_whole
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.engines import make_engine
from honem.errors import CorpusError, ParameterError
from honem.factorize import factorize
from honem.neighborhood import NeighborhoodMatrix, OrderWeights, neighborhood
from honem.prediction import NextStep, Prediction
from honem.progress import TerminalProgress
from honem.rules import ExtractionParams, LowerOrders, RuleTable, Support


class HONEM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embeds the nodes of a higher-order network (Saebi, Ciampaglia, Kaplan, Chawla 2020).

    Samples are nodes: `fit` takes sequences of nodes, or a Corpus, and `transform` takes nodes and gives their source
    vectors. Learnt are `rules_`, `neighborhood_` and `embedding_`.

    Parameters
    ----------
    n_components : columns of the vectors, d.
    min_support, support, tau, max_order, lower_orders : which contexts are rules, see ExtractionParams.
    order_weights : how much each order counts: "exponential" (the paper), "constant", "increasing", or one's own.
    engine : "local", or "reference" for small corpora and tests.
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
        order_weights: OrderWeights = "exponential",
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
        self.order_weights = order_weights
        self.engine = engine
        self.solver = solver
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, sequences: Corpus | Iterable[Iterable[Hashable]], y: Any = None, *, sample_weight: Any = None
    ) -> Self:
        """Learn rules, neighbourhood matrix and vectors; `sample_weight` are the weights of the sequences."""
        require_whole("n_components", self.n_components, least=1)
        params = ExtractionParams(
            min_support=self.min_support,
            support=self.support,
            tau=self.tau,
            max_order=self.max_order,
            lower_orders=self.lower_orders,
        )
        corpus = as_corpus(sequences, sample_weight)
        with TerminalProgress() as bar:
            progress = bar if self.verbose else None
            self._next_step = None
            self.rules_ = make_engine(self.engine, self.n_jobs, progress).extract_rules(corpus, params)
            self.neighborhood_ = neighborhood(self.rules_, self.order_weights)
            factors = factorize(
                self.neighborhood_.matrix,
                self.n_components,
                solver=self.solver,
                random_state=self.random_state,
                n_jobs=self.n_jobs,
            )
        self.embedding_ = Embedding(corpus.vocabulary, factors.source, factors.target, factors.singular_values)
        return self

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

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.dimension

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        tags.input_tags.two_d_array = False
        return tags


def as_corpus(sequences: Corpus | Iterable[Iterable[Hashable]], weights: Any = None) -> Corpus:
    """The corpus given, or one made of the sequences."""
    if not isinstance(sequences, Corpus):
        return Corpus.from_sequences(sequences, weights)
    if weights is not None:
        raise CorpusError("a Corpus carries its own weights; sample_weight goes with plain sequences")
    return sequences
