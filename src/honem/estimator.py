"""HONEM: the estimator, from sequences of nodes to vectors, with the interface of scikit-learn."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from honem._internal.memory import memory_for
from honem._internal.path_like import PathLike
from honem._internal.progress import TerminalProgress
from honem._internal.validation import require_one_of, require_seed, require_switch, require_whole
from honem.corpus import MAX_NODES, Corpus
from honem.embedding import Embedding, Score
from honem.embedding.combining import Combination
from honem.embedding.factorize import SOLVERS
from honem.embedding.neighborhood import NeighborhoodMatrix
from honem.embedding.order_weights import OrderWeights
from honem.embedding.recipe import Recipe, preset_criterion
from honem.embedding.spectrum import Spectrum
from honem.embedding.transforms import TransformLike
from honem.embedding.weighting import Weighting
from honem.errors import CorpusError, InputError, ParameterError
from honem.explain import Comparison, NodeExplanation, PairExplainer, PairExplanation, compare, explain_node
from honem.io import store
from honem.prediction import NextStep, Prediction
from honem.rules import ExtractionParams, LowerOrders, RuleTable, Support
from honem.rules.criteria import Counting, Criterion
from honem.rules.engines import FoundRules, fetch_table, make_engine, require_engine

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix


class HONEM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embed the nodes of a higher-order network (Saebi, Ciampaglia, Kaplan, Chawla 2020).

    Samples are nodes: `fit` takes sequences of nodes, or a Corpus, and `transform` takes nodes and returns their source
    vectors. Parameters that describe how rules become vectors (`weighting` to `rank_share`) are None by default, which
    means the value of the preset.

    Parameters
    ----------
    n_components : int, default=128
        Number of dimensions of the vectors.
    min_support : int, default=1
        Smallest support of a rule of order 2 or more.
    support : {"context", "transition"}, default="context"
        What `min_support` applies to: the context as a whole, or each of its transitions, as in pyHON; the latter only
        with ``criterion="divergence"``.
    tau : float or None, default=None
        With ``criterion="divergence"``: factor of the threshold that the divergence of a context must exceed; smaller
        values accept more rules. None means 1.
    max_order : int or None, default=None
        Length of the longest contexts; None for no limit.
    lower_orders : {"all", "significant", "hon"}, default="all"
        Which shorter contexts are kept besides the accepted ones: all their contiguous sub-contexts ("all"), only their
        prefixes ("significant"), or those that the original HON keeps ("hon"; only with ``criterion="divergence"``).
    criterion : str, Criterion or None, default=None
        What makes a context accepted: "significance" bounds the share of rules that are due to chance, "divergence" is
        the criterion of the paper; or another registered name, or a criterion object. None means "divergence" with
        ``preset="paper"`` and "significance" with all other presets.
    alpha : float or None, default=None
        With ``criterion="significance"``: the false discovery rate, that is the expected share of accepted contexts
        that are due to chance. None means 0.05.
    count : {"occurrences", "sequences"}, default="occurrences"
        What counts as one observation when the evidence for a rule is computed: every occurrence of its context, or
        only the first one in each sequence.
    preset : {"evidence", "paper"}, default="evidence"
        How rules become vectors: "evidence" has the best measured results, "paper" is the published method.
    weighting : {"probability", "count", "evidence"}, Weighting or None, default=None
        What a rule contributes to the matrix D^v of its order: its probability (averaged), its count (summed), or
        log10(1 + 9 n) of the summed counts n.
    order_weights : str, sequence of float, callable, OrderWeighting or None, default=None
        How much each order counts: "exponential" (exp(-k), k being the order minus 1), "constant", "increasing"
        (k + 1), "similarity" (the cosine similarity of D^v to D^1, at least exp(-1.5 k)), "learnt" (short for
        "similarity" with `combination="maximum"`), one number per order, or a function of k.
    combination : {"mean", "maximum"}, Combination or None, default=None
        How the weighted D^v become S. None means "maximum" with `order_weights="learnt"`, "mean" with any other
        `order_weights`, and the preset's combination if `order_weights` is None too.
    transforms : sequence of str, Transform or callable, or None, default=None
        Steps from S to the proximity matrix, which is factorized: "both_ways", "near_itself", "scale_by_degree", or
        functions from matrix to matrix; () for none.
    spectrum : float, pair of floats or None, default=None
        Powers of the singular values in source and target vectors, between 0 and 2.
    tilt : float or None, default=None
        Power of row and column sums by which errors of the factorization are weighted, between -0.5 and 0.5. Above 0
        the dimensions are spent on distinguishing sources, below 0 on targets.
    rank_share : float or None, default=None
        Largest number of dimensions that are used, as a share of the number of nodes; at least 16 always are. Further
        dimensions are 0.
    engine : {"local", "reference", "spark"}, default="local"
        What extracts the rules: all cores of this machine, a slow reference implementation, or a Spark cluster.
    solver : {"auto", "dense", "lanczos", "randomized"}, default="auto"
        How the singular value decomposition is computed: exactly, with memory N^2 ("dense"), exactly and sparse
        ("lanczos"), or approximately ("randomized"). "auto" chooses between the first two by size.
    random_state : int or None, default=0
        Seed of the solver; None for different vectors each time.
    n_jobs : int or None, default=None
        Number of threads of the local engine and the solver; None or -1 for all cores.
    verbose : bool, default=False
        Whether to show progress on stderr, if it is a terminal.

    Attributes
    ----------
    rules_ : RuleTable
        The extracted rules.
    recipe_ : Recipe
        How they became vectors, with all pieces resolved.
    neighborhood_ : NeighborhoodMatrix
        D^v and S.
    proximity_ : csr_array
        The matrix that was factorized.
    embedding_ : Embedding
        The vectors.

    Examples
    --------
    >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
    >>> model = HONEM(n_components=3).fit(trips)
    >>> [neighbor.node for neighbor in model.embedding_.neighbors("dorm", 2, space="source.target")]
    ['downtown', 'library']
    """

    _rules: FoundRules  # what `rules_` returns; a distributed engine keeps them on its cluster until then
    recipe_: Recipe
    embedding_: Embedding
    _next_step: NextStep | None = None  # computed on first use
    _explainer: PairExplainer | None = None

    def __init__(
        self,
        n_components: int = 128,
        *,
        min_support: int = 1,
        support: Support = "context",
        tau: float | None = None,
        max_order: int | None = None,
        lower_orders: LowerOrders = "all",
        criterion: str | Criterion | None = None,
        alpha: float | None = None,
        count: Counting = "occurrences",
        preset: str = "evidence",
        weighting: str | Weighting | None = None,
        order_weights: OrderWeights | None = None,
        combination: str | Combination | None = None,
        transforms: Sequence[TransformLike] | None = None,
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
        self.criterion = criterion
        self.alpha = alpha
        self.count = count
        self.preset = preset
        self.weighting = weighting
        self.order_weights = order_weights
        self.combination = combination
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
        """Extract rules and learn vectors.

        Parameters
        ----------
        sequences : Corpus or iterable of iterables of nodes
            The paths. With `engine="spark"` also a SparkCorpus, or a Spark DataFrame with one column of arrays.
        y : None, default=None
            Not used; present for scikit-learn.
        sample_weight : sequence of int or None, default=None
            How often each sequence counts; only with plain sequences.

        Returns
        -------
        HONEM
            The fitted model itself.

        Raises
        ------
        ParameterError
            If a parameter is out of range; this is checked before anything else, see `plan`.
        CorpusError
            If there is nothing to learn from.
        """
        params, recipe = self.plan()
        corpus = as_corpus(sequences, sample_weight, self.engine)
        with TerminalProgress() as bar:
            progress = bar if self.verbose else None
            rules = make_engine(self.engine, self.n_jobs, progress).find_rules(corpus, params)
            with memory_for(f"computing vectors of {self.n_components} dimensions"):
                embedded = recipe.embed(
                    rules, self.n_components, solver=self.solver, random_state=self.random_state, n_jobs=self.n_jobs
                )
        self._next_step = self._explainer = None
        self._rules, self.recipe_, self.embedding_ = rules, recipe, embedded.embedding
        self.neighborhood_, self.proximity_ = embedded.neighborhood, embedded.proximity
        return self

    @property
    def rules_(self) -> RuleTable:
        """The rules found by `fit`; a distributed engine fetches them on first access, and then releases them."""
        self._rules = fetch_table(self._rules)
        return self._rules

    @rules_.setter
    def rules_(self, rules: FoundRules) -> None:
        self._rules = rules

    def __getstate__(self) -> Any:
        """Return what is pickled; rules that are on a cluster are fetched first."""
        if hasattr(self, "_rules"):
            self._rules = fetch_table(self._rules)
        return super().__getstate__()

    def plan(self) -> tuple[ExtractionParams, Recipe]:
        """Check all parameters and return what `fit` will do with them.

        Returns
        -------
        params : ExtractionParams
            Which contexts become rules.
        recipe : Recipe
            How rules become vectors.

        Raises
        ------
        ParameterError
            If a parameter is out of range.
        """
        require_whole("n_components", self.n_components, least=1, most=MAX_NODES)
        require_engine(self.engine, self.n_jobs)
        require_one_of("solver", self.solver, SOLVERS)
        require_seed("random_state", self.random_state)
        require_switch("verbose", self.verbose)
        params = ExtractionParams(
            min_support=self.min_support,
            support=self.support,
            tau=self.tau,
            max_order=self.max_order,
            lower_orders=self.lower_orders,
            criterion=preset_criterion(self.preset) if self.criterion is None else self.criterion,
            alpha=self.alpha,
            count=self.count,
        )
        return params, self.recipe()

    def recipe(self) -> Recipe:
        """Return the preset with the pieces that the parameters replace; `recipe_` is the one of the last fit."""
        return Recipe.of(
            self.preset,
            weighting=self.weighting,
            order_weights=self.order_weights,
            combination=self.combination,
            transforms=self.transforms,
            spectrum=self.spectrum,
            tilt=self.tilt,
            rank_share=self.rank_share,
        )

    # Set by `fit`; computed on first use after `load`, since a store holds neither.
    @cached_property
    def neighborhood_(self) -> NeighborhoodMatrix:
        """D^v and S."""
        check_is_fitted(self, "embedding_")
        return self.recipe_.neighborhood(self.rules_)

    @cached_property
    def proximity_(self) -> Matrix:
        """The matrix that was factorized."""
        return self.recipe_.proximity(self.neighborhood_)

    def save(self, path: PathLike, *, force: bool = False) -> None:
        """Save the fitted model: parameters, recipe, rules, vectors and nodes.

        The folder is a store as `honem embed` writes it, so that all commands can read it.

        Parameters
        ----------
        path : path-like
            The folder to write.
        force : bool, default=False
            Whether to replace a store that is already there.

        Raises
        ------
        ParameterError
            If a piece of the recipe is a function or object defined outside honem: code cannot be stored, and a model
            without it could not be explained.
        OutputError
            If the folder cannot be written, or exists and is not to be replaced.

        Examples
        --------
        >>> import tempfile
        >>> model = HONEM(n_components=2).fit([["home", "downtown", "office"]] * 20)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model")
        ...     HONEM.load(f"{folder}/model")
        HONEM(n_components=2)
        """
        check_is_fitted(self, "embedding_")
        store.save(
            path,
            self.embedding_,
            self.rules_,
            recipe=self.recipe_.to_dict(),
            parameters=self._stored_parameters(),
            force=force,
        )

    def _stored_parameters(self) -> dict[str, Any]:
        """Return the parameters in a form that JSON can hold: registered pieces by name, tuples as lists."""
        given, pieces = self.get_params(deep=False), self.recipe().to_dict()
        if isinstance(self.criterion, Criterion):
            given |= self.plan()[0].to_dict()
        is_plain = {name: value is None or isinstance(value, (str, int, float)) for name, value in given.items()}
        return {name: value if is_plain[name] else pieces.get(name, value) for name, value in given.items()}

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Load a model that `save` or `honem embed` wrote.

        Parameters
        ----------
        path : path-like
            The folder of the model.

        Returns
        -------
        HONEM
            A fitted model that transforms, predicts, explains and compares as the saved one did.

        Raises
        ------
        InputError
            If the folder is not a store, is damaged, or holds vectors without their rules or recipe.
        """
        stored = store.load(path)
        if stored.rules is None or stored.recipe is None:
            missing = "rules" if stored.rules is None else "recipe"
            raise InputError(f"{path} holds vectors without their {missing}, not a model; read it with honem.load")
        found = {**vars(stored.rules.params), "n_components": stored.embedding.dimension}
        model = cls(**cls._known_parameters(path, found | stored.manifest.get("parameters", {})))
        model.recipe_ = Recipe.from_dict(stored.recipe)
        model.rules_, model.embedding_ = stored.rules, stored.embedding
        return model

    @classmethod
    def _known_parameters(cls, path: PathLike, parameters: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(parameters.keys() - set(cls._get_param_names()))
        if unknown:
            raise InputError(f"{path} was saved with the parameter {unknown[0]!r}, which this version does not know")
        return parameters

    def transform(self, nodes: Iterable[Hashable]) -> NDArray[np.float64]:
        """Return the source vectors of nodes.

        Parameters
        ----------
        nodes : iterable of nodes
            Nodes of the sequences that the model was fitted to.

        Returns
        -------
        ndarray of shape (n_nodes, n_components)
            One row per node.

        Raises
        ------
        UnknownNodeError
            If a node was in none of the sequences.
        ParameterError
            If `nodes` is a single string.
        """
        check_is_fitted(self, "embedding_")
        if isinstance(nodes, (str, bytes)):
            raise ParameterError(f"transform takes many nodes; for one write transform([{nodes!r}])")
        return self.embedding_.vectors(nodes)

    def fit_transform(
        self, sequences: Corpus | Iterable[Iterable[Hashable]], y: Any = None, *, sample_weight: Any = None
    ) -> NDArray[np.float64]:
        """Fit the model and return the source vectors of all nodes, in order of first appearance.

        Parameters
        ----------
        sequences : Corpus or iterable of iterables of nodes
            The paths.
        y : None, default=None
            Not used; present for scikit-learn.
        sample_weight : sequence of int or None, default=None
            How often each sequence counts; only with plain sequences.

        Returns
        -------
        ndarray of shape (n_nodes, n_components)
            One row per node.
        """
        return self.fit(sequences, y, sample_weight=sample_weight).embedding_.source

    def predict_next(self, history: Iterable[Hashable], k: int = 10) -> Prediction:
        """Predict the next node after a history.

        Parameters
        ----------
        history : iterable of nodes
            The last nodes that were visited, oldest first.
        k : int, default=10
            Number of nodes to return.

        Returns
        -------
        Prediction
            The k most likely next nodes, and the context they are predicted from.

        Examples
        --------
        >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
        >>> HONEM(n_components=3).fit(trips).predict_next(["home", "downtown"], k=1).nodes[0].node
        'office'
        """
        check_is_fitted(self, "embedding_")
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
        """Explain a node by its rules, or the score of a pair of nodes by rules, transforms and vectors.

        Parameters
        ----------
        a : node
            The node to explain.
        b : node or None, default=None
            If given, explain why b is near to a.
        corpus : Corpus or None, default=None
            Where to look for paths from a to b, besides the rules.

        Returns
        -------
        NodeExplanation or PairExplanation
            Print it for a description in words; `to_dict()` for its numbers.

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        """
        check_is_fitted(self, "embedding_")
        if b is None:
            return explain_node(self.rules_, a)
        if self._explainer is None:
            self._explainer = PairExplainer(self.rules_, self.embedding_, self.recipe_)
        return self._explainer.explain(a, b, corpus=corpus)

    def compare(self, other: HONEM | Embedding, k: int = 10, space: Score = "cosine") -> Comparison:
        """Compare the nearest neighbours of all nodes with those in another model or embedding.

        Parameters
        ----------
        other : HONEM or Embedding
            What to compare with; only nodes that both have are compared.
        k : int, default=10
            Number of neighbours of each node.
        space : {"cosine", "source.target", "source.source", "euclidean"}, default="cosine"
            The score that makes neighbours.

        Returns
        -------
        Comparison
            The neighbours that each node gained and lost in this model, most changed nodes first.
        """
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
    """Return the corpus given, or one made from sequences; data on Spark stay there."""
    # Recognized by module names, so that neither pyspark nor the engine is imported by those who use neither.
    is_on_spark = type(sequences).__module__.startswith(("pyspark.", "honem.rules.engines.distributed."))
    if is_on_spark and engine != "spark":
        raise CorpusError(f"a {type(sequences).__name__} of Spark needs engine='spark', not {engine!r}")
    if not is_on_spark and not isinstance(sequences, Corpus):
        return Corpus.from_sequences(sequences, weights)
    if weights is not None:
        kind = type(sequences).__name__
        raise CorpusError(f"a {kind} carries its own weights; sample_weight goes with plain sequences")
    return sequences
