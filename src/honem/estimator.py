"""HONEM: the estimator, from sequences of nodes to vectors, with the interface of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack, get_args, overload

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from honem._internal.memory import memory_for
from honem._internal.option_names import option
from honem._internal.path_like import PathLike
from honem._internal.progress import Progress, TerminalProgress
from honem._internal.validation import require_one_of, require_seed, require_switch, require_whole
from honem.corpus import MAX_NODES, Corpus, VisitCounts
from honem.decay import decayed
from honem.drift import Drift, changed_rules
from honem.embedding import Embedding, VectorScore
from honem.embedding.alignment import Movement, align_vectors
from honem.embedding.combining import Combination
from honem.embedding.factorizations import Factorization
from honem.embedding.factorize import SOLVERS
from honem.embedding.folding import fold_in
from honem.embedding.neighborhood import NeighborhoodMatrix
from honem.embedding.order_weights import OrderWeights
from honem.embedding.recipe import PRESETS, Embedded, Recipe, preset_criterion, restored_pieces
from honem.embedding.spectrum import Spectrum
from honem.embedding.transforms import TransformLike
from honem.embedding.weighting import Weighting
from honem.errors import CorpusError, HonemWarning, InputError, ParameterError
from honem.explain import Comparison, NodeExplanation, PairExplainer, PairExplanation, compare, explain_node
from honem.forgetting import since, within_window, without_nodes
from honem.io import store
from honem.io.node_labels import LabelSource, NodeLabels, labels_for, node_table
from honem.io.paths.durations import parse_duration
from honem.io.paths.frames import clean_corpus, from_events, is_table_like
from honem.io.paths.options import ReadOptions
from honem.io.recipes import stored_recipe
from honem.node_names import NamedNode, NodeFinder, NodeNames
from honem.prediction import NextStep, Prediction, Predictions, RuleNextStep, StepVectors
from honem.prediction.histories import is_many_histories
from honem.prediction.next_step import MAX_ORDER, require_blend
from honem.profile import Features, NodeProfile, node_profile
from honem.rules import ExtractionParams, LowerOrders, RuleTable, Support
from honem.rules.criteria import Counting, Criterion
from honem.rules.engines import FoundRules, fetch_table, make_engine, require_engine
from honem.tuning import Member, TuneFor, Tuning, family, tune

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix
    from honem.embedding.projection import Projection
    from honem.explore import InlinePage


AUTO = "auto"
"""The preset that stands for trying several."""

CHOSEN_BY_TUNING = (
    "transforms",
    "factorization",
    "spectrum",
    "tilt",
    "zero_weight",
    "regularization",
    "length_power",
    "score",
)
PIECES = ("weighting", "order_weights", "combination", *CHOSEN_BY_TUNING)
"""Parameters that are pieces of the recipe or options of its factorization."""


class HONEM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embed the nodes of a higher-order network (Saebi, Ciampaglia, Kaplan, Chawla 2020).

    Samples are nodes: `fit` takes sequences of nodes, or a Corpus, and `transform` takes nodes and returns their source
    vectors, or what `features` says. Parameters that describe how rules become vectors (`weighting` to `score`) are
    None by default, which means the value of the preset.

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
    preset : {"auto", "evidence", "weighted", "spatial", "spectral", "paper"} or None, default=None
        How rules become vectors. "auto" tries several recipes on inner splits of the data, takes the best and reports
        what it tried (`tuning_`); a network with fewer than 100 edges gets "evidence". "evidence" is a singular value
        decomposition of counts on a logarithmic scale; "weighted" and "spatial" are factorizations in which pairs that
        were never observed count a tenth or a hundredth, the latter for sparse networks of large diameter;
        "spectral" removes directions and degrees, as in spectral clustering, for labels such as country or topic;
        "paper" is the published method. None means "auto", or "evidence" if one of the parameters from `transforms` to
        `score` is given, or with ``engine="spark"``.
    tune_for : {"links", "reconstruction", "labels"}, default="links"
        With ``preset="auto"``: what the vectors are chosen for, predicting edges that were not observed, representing
        those that were, or features for classifiers.
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
        Steps from S to the proximity matrix, which is factorized: "both_ways", "near_itself", "scale_by_degree",
        "diffusion", "log_scale", or functions from matrix to matrix; () for none.
    factorization : {"svd", "weighted"}, Factorization or None, default=None
        How the proximity matrix becomes vectors: by a truncated singular value decomposition, or by least squares in
        which zeros count less.
    spectrum : float, pair of floats or None, default=None
        With ``factorization="svd"``: powers of the singular values in source and target vectors, between 0 and 2.
    tilt : float or None, default=None
        With ``factorization="svd"``: power of row and column sums by which errors are weighted, between -0.5 and 0.5.
        Above 0 the dimensions are spent on distinguishing sources, below 0 on targets.
    zero_weight : float or None, default=None
        With ``factorization="weighted"``: weight of an entry that is 0, above 0 and at most 1.
    regularization : float or None, default=None
        With ``factorization="weighted"``: weight of the squared lengths of the vectors, above 0.
    length_power : float or None, default=None
        With ``factorization="weighted"``: target vectors are divided by this power of their length, from 0 to below 1.
    score : {"source.target", "source.source", "cosine", "euclidean"} or None, default=None
        How the vectors are meant to be compared: the default of `neighbors` and `score` of the embedding.
    engine : {"local", "reference", "spark"}, default="local"
        What extracts the rules: all cores of this machine, a slow reference implementation, or a Spark cluster.
    solver : {"auto", "dense", "lanczos", "randomized", "fast"}, default="auto"
        How the singular value decomposition is computed: exactly, with memory N^2 ("dense"), exactly and sparse
        ("lanczos"), or approximately ("randomized", and less accurately "fast"). "auto" chooses between the first two
        by size.
    random_state : int or None, default=0
        Seed of the solver; None for different vectors each time.
    n_jobs : int or None, default=None
        Number of threads of the local engine and the solver; None or -1 for all cores.
    features : {"vectors", "profile", "both"}, default="vectors"
        What `transform` and `fit_transform` return: source vectors, which say near which nodes a node is, the features
        of its profile, which say what role it has, or both side by side. Fitting does not depend on it.
    half_life : str, float or None, default=None
        If given, older paths count less: of paths that began this long before the latest one, half are left, of those
        twice as old a quarter. "30d", "12h", or a number in the unit of the times. Which ones are left is drawn at
        random, with `random_state`, so that evidence is neither lost nor made up; see docs/living.md. Needs times.
    window : str, float or None, default=None
        If given, paths that began more than this before the latest one are dropped: "90d", "12h", or a number in the
        unit of the times. Needs times.
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
        The vectors. They have fewer dimensions than `n_components` if the matrix has a lower rank, or if fewer were
        better in tuning.
    tuning_ : Tuning or None
        With ``preset="auto"``: what was tried, and why it was chosen.
    next_step_ : NextStep or RuleNextStep
        The model of the next step, which is fitted when it is first used.
    labels_ : NodeLabels or None
        Names, categories and coordinates of the nodes, if they are known.

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
    tuning_: Tuning | None = None
    labels_: NodeLabels | None = None
    _visited: VisitCounts | None = None  # of data on Spark; otherwise counted when the profile is computed
    _profile: NodeProfile | None = None  # computed on first use, as are the next-step model and the explainer
    _corpus: Corpus | None = None  # what the next-step model is fitted to, until then
    _paths: Corpus | None = None  # what the model was fitted to
    _undecayed: Corpus | None = None  # with `half_life`: the paths before decay; `update` adds to these
    _continuation: Any = None  # what the engine knows of these paths; the arrays of it after `load`
    _digest: str | None = None  # of the store that the model was loaded from
    _next_step: NextStep | RuleNextStep | None = None
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
        preset: str | None = None,
        tune_for: TuneFor = "links",
        weighting: str | Weighting | None = None,
        order_weights: OrderWeights | None = None,
        combination: str | Combination | None = None,
        transforms: Sequence[TransformLike] | None = None,
        factorization: str | Factorization | None = None,
        spectrum: Spectrum | None = None,
        tilt: float | None = None,
        zero_weight: float | None = None,
        regularization: float | None = None,
        length_power: float | None = None,
        score: VectorScore | None = None,
        engine: str = "local",
        solver: str = "auto",
        random_state: int | None = 0,
        n_jobs: int | None = None,
        features: Features = "vectors",
        half_life: str | float | None = None,
        window: str | float | None = None,
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
        self.tune_for = tune_for
        self.weighting = weighting
        self.order_weights = order_weights
        self.combination = combination
        self.transforms = transforms
        self.factorization = factorization
        self.spectrum = spectrum
        self.tilt = tilt
        self.zero_weight = zero_weight
        self.regularization = regularization
        self.length_power = length_power
        self.score = score
        self.engine = engine
        self.solver = solver
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.features = features
        self.half_life = half_life
        self.window = window
        self.verbose = verbose

    def fit(
        self,
        sequences: Corpus | Iterable[Iterable[Hashable]] | Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        labels: LabelSource | None = None,
        names: str | None = None,
        **options: Unpack[ReadOptions],
    ) -> Self:
        """Extract rules and learn vectors.

        Parameters
        ----------
        sequences : Corpus, iterable of iterables of nodes, or table
            The paths. A table is a pandas, polars or Arrow table, or a dict of columns, with one row per visit. With
            `engine="spark"` also a SparkCorpus, or a Spark DataFrame with one column of arrays.
        y : None, default=None
            Not used; present for scikit-learn.
        sample_weight : sequence of int or None, default=None
            How often each sequence counts; only with plain sequences.
        labels : path-like, data frame, mapping or None, default=None
            Names, categories and coordinates of nodes, see `set_labels`. The centres of grid cells need none.
        names : str or None, default=None
            The column of `labels` with the names to show; None means the column `name`, if there is one.
        **options
            For a table: its columns, ``entity="user", time="visited", node="page"``, and any other option of
            `from_events`, with the same meanings and defaults. `min_entities` is also possible with sequences.

        Returns
        -------
        HONEM
            The fitted model itself.

        Raises
        ------
        ParameterError
            If a parameter is out of range; this is checked before anything else, see `plan`.
        InputError
            If the labels cannot be read, or a column of a table is missing or has wrong values.
        CorpusError
            If there is nothing to learn from.

        Examples
        --------
        >>> visits = {"user": [1, 1, 1, 2, 2], "day": [3, 1, 2, 1, 2], "page": ["buy", "home", "shop", "home", "help"]}
        >>> HONEM(2).fit(visits, entity="user", time="day", node="page").embedding_.nodes
        ('home', 'shop', 'buy', 'help')
        """
        params, members = self.plan()
        table = labels if labels is None or isinstance(labels, NodeLabels) else node_table(labels)
        paths = self._recent(as_corpus(sequences, sample_weight, self.engine, options))
        corpus = self._decayed(paths)
        # What is wrong with labels is found before the work; only the nodes of a Spark DataFrame are not known yet.
        found = labels_for(table, names, corpus.vocabulary) if hasattr(corpus, "vocabulary") else None
        with TerminalProgress() as bar:
            progress = bar if self.verbose else None
            self._learn(corpus, params, lambda: self.choose_member(corpus, params, members, progress), progress)
        self._undecayed = None if self.half_life is None else paths
        self.labels_ = found or labels_for(table, names, self.embedding_.vocabulary)
        return self

    def _recent(self, paths: Any) -> Any:
        """Return the paths that the model keeps: those within the window."""
        return paths if self.window is None else within_window(self._in_memory(paths), self.window)

    def _decayed(self, paths: Any) -> Any:
        """Return the paths that the model learns from, given those that it keeps."""
        if self.half_life is None:
            return paths
        return decayed(self._in_memory(paths), self.half_life, self.random_state or 0)

    def _in_memory(self, paths: Any) -> Corpus:
        """Return paths whose times may be known, or raise CorpusError."""
        if not isinstance(paths, Corpus):
            raise CorpusError(f"{option('half_life')} and {option('window')} need paths in the memory of one machine")
        return paths

    def _learn(
        self,
        corpus: Any,
        params: ExtractionParams,
        choose: Callable[[], tuple[Member, Tuning | None]],
        progress: Progress | None,
        known: Any = None,
    ) -> None:
        """Extract rules and learn vectors; the model changes after all work is done.

        `known` is what the engine knows of the first sequences of the corpus.
        """
        rules, continuation = make_engine(self.engine, self.n_jobs, progress).extend_rules(corpus, params, known)
        visited = None if isinstance(rules, RuleTable) else rules.visit_counts()
        with memory_for(f"computing vectors of {self.n_components} dimensions"):
            member, tuning = choose()
            embedded = member.recipe.embed(
                rules,
                member.n_components,
                solver=self.solver,
                random_state=self.random_state,
                n_jobs=self.n_jobs,
                progress=progress,
            )
        self._visited, self._profile = visited, None
        self._next_step = self._explainer = None
        self._corpus = self._paths = corpus if isinstance(corpus, Corpus) else None
        self._continuation = continuation if self.half_life is None else None
        self._rules, self.recipe_, self.embedding_ = rules, member.recipe, embedded.embedding
        self.neighborhood_, self.proximity_, self.tuning_ = embedded.neighborhood, embedded.proximity, tuning

    def choose_member(
        self, corpus: Corpus, params: ExtractionParams, members: tuple[Member, ...], progress: Progress | None = None
    ) -> tuple[Member, Tuning | None]:
        """Return the member that `fit` uses, and what tuning reports about it if there are several.

        Parameters
        ----------
        corpus : Corpus
            The paths.
        params, members : ExtractionParams, tuple of Member
            What `plan` returned.
        progress : callable or None, default=None
            Called with the name of the task, the trials done so far, and all trials.

        Returns
        -------
        member : Member
        tuning : Tuning or None
        """
        if self._preset != AUTO:
            return members[0], None
        choice = tune(
            corpus,
            params,
            members,
            make_engine(self.engine, self.n_jobs).find_rules,
            tune_for=self.tune_for,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            progress=progress,
        )
        return choice.member, choice.report

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

    def plan(self) -> tuple[ExtractionParams, tuple[Member, ...]]:
        """Check all parameters and return what `fit` will do with them.

        Returns
        -------
        params : ExtractionParams
            Which contexts become rules.
        members : tuple of Member
            How rules become vectors; with ``preset="auto"``, the members of the family that will be tried.

        Raises
        ------
        ParameterError
            If a parameter is out of range.
        """
        require_whole("n_components", self.n_components, least=1, most=MAX_NODES)
        require_engine(self.engine, self.n_jobs)
        require_one_of("solver", self.solver, SOLVERS)
        require_one_of("preset", self._preset, (AUTO, *PRESETS))
        require_one_of("tune_for", self.tune_for, get_args(TuneFor))
        require_seed("random_state", self.random_state)
        require_one_of("features", self.features, get_args(Features))
        for name in ("half_life", "window"):
            if getattr(self, name) is not None:
                parse_duration(name, getattr(self, name))
        require_switch("verbose", self.verbose)
        params = ExtractionParams(
            min_support=self.min_support,
            support=self.support,
            tau=self.tau,
            max_order=self.max_order,
            lower_orders=self.lower_orders,
            criterion=preset_criterion(self._preset) if self.criterion is None else self.criterion,
            alpha=self.alpha,
            count=self.count,
        )
        return params, self._members()

    def _members(self) -> tuple[Member, ...]:
        """Return what is tried: one member, or the family."""
        if self._preset != AUTO:
            return (Member(self._preset, Recipe.of(self._preset, **self._pieces()), self.n_components),)
        if self.engine == "spark":
            raise ParameterError(
                f"{option('preset', AUTO)} needs paths in the memory of one machine; with "
                f"{option('engine', 'spark')}, choose one of {', '.join(map(repr, PRESETS))}"
            )
        if self._given_pieces:
            raise ParameterError(
                f"{option(self._given_pieces[0])} is chosen by {option('preset', AUTO)}; name another preset to set it"
            )
        return family(self.n_components, self.tune_for, self._pieces())

    @property
    def _given_pieces(self) -> list[str]:
        """Names of the parameters that are given although tuning would choose them."""
        return [name for name in CHOSEN_BY_TUNING if getattr(self, name) is not None]

    @property
    def _preset(self) -> str:
        """The preset that `preset` means."""
        if self.preset is not None:
            return self.preset
        return "evidence" if self._given_pieces or self.engine == "spark" else AUTO

    def _pieces(self) -> dict[str, Any]:
        """Return the pieces of the recipe that are given as parameters, by name."""
        return {name: getattr(self, name) for name in PIECES if getattr(self, name) is not None}

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

    def save(
        self,
        path: PathLike,
        *,
        facts: Mapping[str, Any] | None = None,
        with_next_step: bool = True,
        with_paths: bool = True,
        force: bool = False,
        if_unchanged: bool = False,
    ) -> None:
        """Save the fitted model: parameters, recipe, rules, vectors, profile, nodes, labels, next-step model and paths.

        The folder is a store as `honem embed` writes it, so that all commands can read it.

        Parameters
        ----------
        path : path-like
            The folder to write.
        facts : Mapping or None, default=None
            Anything else to record in the manifest, such as where the paths came from.
        with_next_step : bool, default=True
            Whether to fit and save the model of the next step; without it, a loaded model predicts from rules.
        with_paths : bool, default=True
            Whether to save the paths that the model was fitted to; without them, a loaded model cannot be updated.
        force : bool, default=False
            Whether to replace a store that is already there.
        if_unchanged : bool, default=False
            Whether to write only if the folder still holds the model that this one was loaded from. So two processes
            that load a model, update it and save it cannot undo each other's work.

        Raises
        ------
        ParameterError
            If a piece of the recipe is a function or object defined outside honem: code cannot be stored, and a model
            without it could not be explained.
        OutputError
            If the folder cannot be written, exists and is not to be replaced, or has changed since it was loaded.

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
            profile=self._profile_or_none(),
            next_step=self.stored_next_step() if with_next_step else None,
            paths=(self._undecayed or self._paths) if with_paths else None,
            continuation=self._continuation_arrays() if with_paths else None,
            labels=self.labels_,
            recipe=self.recipe_.to_dict(),
            parameters=self._stored_parameters(),
            facts={**(facts or {}), **({} if self.tuning_ is None else {"tuning": self.tuning_.to_dict()})},
            force=force,
            expected=(self._digest or "") if if_unchanged else None,
        )

    def _continuation_arrays(self) -> Mapping[str, NDArray[Any]] | None:
        """Return what the engine knows of the paths as arrays."""
        if self._continuation is None or isinstance(self._continuation, Mapping):
            return self._continuation
        from honem.rules.engines.local.continuation_tensors import continuation_tensors  # loads Numba

        return continuation_tensors(self._continuation)

    def stored_next_step(self) -> NextStep | None:
        """Return the next-step model, or None if the model predicts from rules, which a store has anyway."""
        return self.next_step_ if isinstance(self.next_step_, NextStep) else None

    def _stored_parameters(self) -> dict[str, Any]:
        """Return the parameters in a form that JSON can hold: registered pieces by name, tuples as lists."""
        given, pieces = self.get_params(deep=False), self.recipe_.to_dict()
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
        stored = store.load(path, with_paths=True)
        if stored.rules is None or stored.recipe is None:
            missing = "rules" if stored.rules is None else "recipe"
            raise InputError(f"{path} holds vectors without their {missing}, not a model; read it with honem.load")
        found = {**vars(stored.rules.params), "n_components": stored.embedding.dimension}
        parameters = restored_pieces(found | stored.manifest.get("parameters", {}))
        model = cls(**cls._known_parameters(path, parameters))
        model.recipe_ = stored_recipe(stored.recipe)
        model.rules_, model.embedding_, model._profile = stored.rules, stored.embedding, stored.profile
        model.tuning_, model._next_step, model._paths = stored.tuning, stored.next_step, stored.paths
        if model.half_life is not None and stored.paths is not None:
            model._undecayed, model._paths = stored.paths, model._decayed(stored.paths)
        model._continuation = stored.continuation
        model.labels_ = stored.labels
        model._digest = stored.digest
        return model

    @classmethod
    def _known_parameters(cls, path: PathLike, parameters: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(parameters.keys() - set(cls._get_param_names()))
        if unknown:
            raise InputError(f"{path} was saved with the parameter {unknown[0]!r}, which this version does not know")
        return parameters

    def set_labels(self, labels: LabelSource | None, names: str | None = None) -> Self:
        """Give nodes names, categories and coordinates, which are stored with the model.

        Commands and pages then show names, colour nodes by categories and draw maps. Nodes stay what they are: names
        are not used for looking up nodes in Python, see `find_node` and `named`.

        Parameters
        ----------
        labels : path-like, data frame, Arrow table, mapping, NodeLabels or None
            A CSV, TSV or Parquet file or a table in memory with the node in the first column (in pandas also in the
            index), or a mapping {column: {node: value}}. Coordinates are the columns lon and lat, in degrees. None
            removes all labels.
        names : str or None, default=None
            The column with the names to show; None means the column `name`, in any case, if there is one.

        Returns
        -------
        HONEM
            The model itself.

        Raises
        ------
        InputError
            If the file cannot be read, or a coordinate is not a number.
        ParameterError
            If the table lacks a column or describes none of the nodes.

        Examples
        --------
        >>> model = HONEM(n_components=2).fit([[1, 2, 3]] * 20)
        >>> model.set_labels({"name": {1: "home", 2: "downtown", 3: "office"}}).labels_.names
        ('home', 'downtown', 'office')
        """
        check_is_fitted(self, "embedding_")
        self.labels_ = labels_for(labels, names, self.embedding_.vocabulary)
        return self

    def find_node(self, text: str) -> Hashable:
        """Return the node that a text means: a node, or the name of one.

        If there is no such node or name, case, accents and underscores are ignored.

        Parameters
        ----------
        text : str
            A node as text, or its name.

        Returns
        -------
        node

        Raises
        ------
        UnknownNodeError
            If the text means no node, or several. The message lists similar ones.

        Examples
        --------
        >>> model = HONEM(n_components=2).fit([[1, 2, 3]] * 20, labels={"name": {1: "home", 2: "São Paulo"}})
        >>> model.find_node("sao paulo")
        2
        """
        check_is_fitted(self, "embedding_")
        known, names = self.embedding_.vocabulary, None if self.labels_ is None else self.labels_.node_names
        found = NodeFinder(known if names is None else names.named(known)).find(text)
        return found.node if isinstance(found, NamedNode) else found

    def named(self) -> Self:
        """Return a copy of the model whose nodes are their names, so that all results and explanations show them.

        Names that several nodes share are followed by the node in brackets.

        Returns
        -------
        HONEM
            The model itself if its nodes have no names.

        Examples
        --------
        >>> model = HONEM(n_components=2).fit([[1, 2, 3]] * 20, labels={"name": {1: "home", 2: "downtown"}})
        >>> model.named().embedding_.nodes
        ('home', 'downtown', '3')
        """
        check_is_fitted(self, "embedding_")
        names = None if self.labels_ is None else self.labels_.node_names
        return self if names is None else self.named_by(names)

    def named_by(self, names: NodeNames) -> Self:
        """Return a copy of the model whose nodes are shown by names that are known for all of them.

        Parameters
        ----------
        names : NodeNames
            The names of these and possibly other nodes.

        Returns
        -------
        HONEM
        """
        vocabulary = names.named(self.embedding_.vocabulary)
        found = copy(self)
        found._rules = replace(self.rules_, vocabulary=vocabulary)
        found._explainer = found._continuation = None
        parts = ("embedding_", "labels_", "_profile", "_corpus", "_paths", "_next_step", "neighborhood_")
        for part in parts:
            if vars(self).get(part) is not None:
                setattr(found, part, replace(vars(self)[part], vocabulary=vocabulary))
        return found

    def with_evidence(self) -> Embedding:
        """Return the embedding with the matrix that was factorized, so that nodes can be ranked by both.

        Vectors of few dimensions generalize: they say which nodes are alike. The matrix remembers what was observed: in
        the other direction, or two steps apart. With few dimensions or on large sparse networks, the score "evidence",
        which adds both, ranks candidates better than either.

        Returns
        -------
        Embedding
            The vectors of `embedding_`; `neighbors`, `score` and `scores` take "evidence" as well.

        Examples
        --------
        >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
        >>> HONEM(n_components=1).fit(trips).with_evidence().neighbors("home", 2, space="evidence")[0].node
        'downtown'
        """
        check_is_fitted(self, "embedding_")
        return replace(self.embedding_, evidence=self.proximity_)

    def update(
        self,
        paths: Corpus | Iterable[Iterable[Hashable]],
        *,
        sample_weight: Any = None,
        half_life: str | float | None = None,
        window: str | float | None = None,
    ) -> Movement:
        """Add paths to those that the model was fitted to.

        Rules, counts, profile and proximity matrix become those of a fit to all paths, to the bit. The recipe stays as
        it is; with ``preset="auto"``, recipes are not compared again. The new vectors are rotated so that they are as
        near as possible to the old ones, see `align_to`; scores are those of a fit, up to rounding. If an error is
        raised, the model has not changed.

        Parameters
        ----------
        paths : Corpus or iterable of iterables of nodes
            The new paths. Nodes that are not known are added after all others.
        sample_weight : sequence of int or None, default=None
            How often each path counts; only with plain sequences.
        half_life, window : str, float or None, default=None
            If given, the model gets these parameters, for this update and later ones: with `half_life`, older paths
            count less, with `window`, paths that began earlier are forgotten. "90d", "12h", or a number in the unit of
            the times. Old and new paths must have times.

        Returns
        -------
        Movement
            How far vectors are from the old ones.

        Raises
        ------
        InputError
            If the model does not hold its paths: it was fitted to data on Spark, or saved without them.
        CorpusError
            If the model has a half-life or a window, and the times of paths are not known.

        Examples
        --------
        >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
        >>> model = HONEM(n_components=3).fit(trips)
        >>> movement = model.update([["hotel", "downtown", "museum"]] * 20)
        >>> movement.n_nodes, len(model.embedding_), model.rules_.rules_by_order
        (5, 7, {1: 4, 2: 3})
        """
        before = self._known_paths()
        given = {name: value for name, value in (("half_life", half_life), ("window", window)) if value is not None}
        with self._changed(**given):
            return self._learn_again(before.joined(as_corpus(paths, sample_weight)), extends=True)

    @contextmanager
    def _changed(self, **parameters: Any) -> Iterator[None]:
        """Change parameters, and change them back after an error."""
        before = {name: getattr(self, name) for name in parameters}
        try:
            self.set_params(**parameters)
            self.plan()
            yield
        except BaseException:
            self.set_params(**before)
            raise

    def forget(self, nodes: Iterable[Hashable] = (), *, before: Any = None) -> Movement:
        """Remove nodes or old paths from those that the model was fitted to.

        The model becomes that of a fit to the remaining paths, in the same way as with `update`. Nodes that no longer
        occur in any path are removed.

        Parameters
        ----------
        nodes : iterable of nodes, default=()
            Nodes to forget. Paths are cut there, so that no step is made up between the nodes before and after.
        before : number, str, datetime or None, default=None
            If given, paths that began before this time are forgotten; a date such as "2024-05-01" if times are dates.

        Returns
        -------
        Movement
            How far the vectors of the remaining nodes are from the old ones.

        Raises
        ------
        InputError
            If the model does not hold its paths: it was fitted to data on Spark, or saved without them.
        UnknownNodeError
            If there is no such node.
        CorpusError
            If `before` is given and the times of paths are not known, or if no step remains.
        ParameterError
            If `nodes` is a single string, or nothing is to be forgotten.

        Examples
        --------
        >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office", "gym"]] * 20
        >>> model = HONEM(n_components=2).fit(trips)
        >>> _ = model.forget(["office"])
        >>> model.embedding_.nodes
        ('dorm', 'downtown', 'library', 'home', 'gym')
        """
        corpus = self._known_paths()
        if isinstance(nodes, (str, bytes)):
            raise ParameterError(f"forget takes many nodes; for one write forget([{nodes!r}])")
        unwanted = list(nodes)
        if not unwanted and before is None:
            raise ParameterError("nothing to forget: give nodes, before, or both")
        corpus = without_nodes(corpus, unwanted) if unwanted else corpus
        return self._learn_again(corpus if before is None else since(corpus, before))

    def refit(self, paths: Corpus | Iterable[Iterable[Hashable]], *, sample_weight: Any = None) -> Movement:
        """Learn from other paths instead, with the same recipe, and align the vectors to those of now.

        Use it for a series of models whose coordinates are comparable, such as one per month.

        Parameters
        ----------
        paths : Corpus or iterable of iterables of nodes
            The paths. They must have a node in common with those of now.
        sample_weight : sequence of int or None, default=None
            How often each path counts; only with plain sequences.

        Returns
        -------
        Movement
            How far vectors are from those before.

        Raises
        ------
        CorpusError
            If there is nothing to learn from.
        ParameterError
            If no node is known; the model has not changed then.

        Examples
        --------
        >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
        >>> model = HONEM(n_components=2).fit(trips)
        >>> model.refit(trips[5:30]).n_nodes
        5
        """
        check_is_fitted(self, "embedding_")
        corpus = as_corpus(paths, sample_weight)
        if not any(node in self.embedding_ for node in corpus.vocabulary):
            raise ParameterError("the new paths have no node in common with the old ones, so vectors cannot be aligned")
        return self._learn_again(corpus)

    def _known_paths(self) -> Corpus:
        """Return the paths that the model keeps: those that it was fitted to, before decay."""
        check_is_fitted(self, "embedding_")
        if self._paths is None:
            raise InputError(
                "the model does not hold the paths that it was fitted to, so it cannot be updated; fit it to all paths"
            )
        return self._undecayed or self._paths

    def _known_continuation(self) -> Any:
        """Return what the engine knows of the paths, or None."""
        if not isinstance(self._continuation, Mapping):
            return self._continuation
        from honem.rules.engines.local.continuation_tensors import restored_continuation  # loads Numba

        try:
            return restored_continuation(self._continuation, self.rules_, self._known_paths())
        except ValueError as error:
            raise InputError(f"the model cannot be updated: {error}; fit it to all paths") from None

    def _learn_again(self, paths: Corpus, extends: bool = False) -> Movement:
        """Learn from other paths with the same recipe, and align the vectors to the old ones.

        `extends` says that the paths begin with those that the model keeps.
        """
        recent = self._recent(paths)
        corpus = self._decayed(recent)
        known = self._known_continuation() if extends and corpus is paths else None
        old, tuning = self.embedding_, self.tuning_
        member = Member(self._preset, self.recipe_, self._chosen_dimension)
        with TerminalProgress() as bar:
            self._learn(corpus, self.rules_.params, lambda: (member, tuning), bar if self.verbose else None, known)
        self._undecayed = None if self.half_life is None else recent
        labels, nodes = self.labels_, self.embedding_.vocabulary
        self.labels_ = NodeLabels.of_coordinates(nodes) if labels is None else labels.for_nodes(nodes)
        return self.align_to(old)

    @property
    def _chosen_dimension(self) -> int:
        """The number of dimensions that tuning chose, or else `n_components`."""
        return (self.tuning_ and self.tuning_.n_components) or self.n_components

    def fold_in(self, paths: Corpus | Iterable[Iterable[Hashable]], *, sample_weight: Any = None) -> Embedding:
        """Return vectors of nodes that the model was not fitted to, from their steps to and from known nodes.

        The model does not change, and neither do the vectors of known nodes. The vector of a new node is what the
        factorization gives for its row and column of the proximity matrix, with all other vectors as they are. For the
        row of a known node, this is the vector that the node has already. Only steps count, not longer contexts; use
        `fit` with all paths to find rules about new nodes.

        Parameters
        ----------
        paths : Corpus or iterable of iterables of nodes
            Paths of the new nodes. Steps between known nodes have no effect.
        sample_weight : sequence of int or None, default=None
            How often each path counts; only with plain sequences.

        Returns
        -------
        Embedding
            All known nodes, followed by the new ones in order of appearance. A new node without a step to or from a
            known one has a vector of zeros, and a warning says so.

        Raises
        ------
        ParameterError
            If the factorization is defined outside honem and cannot fold in nodes.

        Examples
        --------
        >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
        >>> model = HONEM(n_components=3).fit(trips)
        >>> found = model.fold_in([["hotel", "downtown"]] * 5)
        >>> found.nodes[-1], found.neighbors("hotel", 1)[0].node
        ('hotel', 'downtown')
        """
        check_is_fitted(self, "embedding_")
        corpus = as_corpus(paths, sample_weight)
        embedded = Embedded(self.neighborhood_, self.proximity_, self.embedding_)
        return fold_in(corpus, self.rules_, self.recipe_, embedded)

    def align_to(self, other: HONEM | Embedding) -> Movement:
        """Rotate the vectors of this model so that coordinates are comparable with those of another one.

        The rotation, which is the same for source and target vectors, changes neither scores nor cosines nor
        distances. It is stored with the model.

        Parameters
        ----------
        other : HONEM or Embedding
            The vectors to approach, such as those of an earlier model.

        Returns
        -------
        Movement
            How far the vectors of nodes that both have are from each other.

        Raises
        ------
        ParameterError
            If the two have no node in common.

        Examples
        --------
        >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
        >>> before, after = HONEM(n_components=2).fit(trips), HONEM(n_components=2).fit(trips[::-1])
        >>> print(after.align_to(before))
        5 nodes: mean cosine of old and new vectors 1.000, 5 % quantile 1.000
        """
        check_is_fitted(self, "embedding_")
        reference = other.embedding_ if isinstance(other, HONEM) else other
        self.embedding_, movement = align_vectors(self.embedding_, reference)
        self._explainer = None
        return movement

    def profile(self) -> NodeProfile:
        """Return a small table that describes the role of each node, from counts and rules alone.

        Vectors say near which nodes a node is; a profile says how busy it is, how predictable its next step, how often
        sequences start and end there, and how much the next step depends on history. It is computed on first use and
        stored with the model.

        Returns
        -------
        NodeProfile
            One row per node, in the order of `embedding_.nodes`; docs/profile.md defines the columns.

        Raises
        ------
        InputError
            If the model was loaded from a store without a profile.

        Examples
        --------
        >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
        >>> profile = HONEM(n_components=3).fit(trips).profile()
        >>> profile["bits_saved_per_step"].tolist()
        [0.0, 1.0, 0.0, 0.0, 0.0]
        >>> profile.to_pandas().loc["downtown", ["visits", "entropy_out", "rules_newest_2"]].tolist()
        [40.0, 1.0, 2.0]
        """
        check_is_fitted(self, "embedding_")
        found = self._profile_or_none()
        if found is None:
            raise InputError("the model was loaded from a store without a profile; fit it to the paths again")
        return found

    def _profile_or_none(self) -> NodeProfile | None:
        """Return the profile, or None if the model has neither a profile nor the counts for it."""
        if self._profile is None and self._visited is None and self._paths is not None:
            self._visited = self._paths.visit_counts()
        if self._profile is None and self._visited is not None:
            self._profile = node_profile(self.rules_, self._visited)
        return self._profile

    def transform(self, nodes: Iterable[Hashable], *, profile: bool = False) -> NDArray[np.float64]:
        """Return the source vectors of nodes, or what `features` says.

        Parameters
        ----------
        nodes : iterable of nodes
            Nodes of the sequences that the model was fitted to.
        profile : bool, default=False
            Whether to append the features of the profile to the vectors, as ``features="both"`` always does. Use the
            latter in pipelines and with `set_output`, which need to know the columns beforehand.

        Returns
        -------
        ndarray of shape (n_nodes, n_features)
            One row per node; `get_feature_names_out` names the columns.

        Raises
        ------
        UnknownNodeError
            If a node was in none of the sequences.
        ParameterError
            If `nodes` is a single string, or ``profile=True`` is used with `set_output`.
        """
        check_is_fitted(self, "embedding_")
        if isinstance(nodes, (str, bytes)):
            raise ParameterError(f"transform takes many nodes; for one write transform([{nodes!r}])")
        if profile and self.features != "both" and output_container(self) != "default":
            raise ParameterError('with set_output the columns must be known: use features="both", not profile=True')
        return self._matrix(list(nodes), "both" if profile else self.features)

    def _matrix(self, nodes: Iterable[Hashable], features: Features) -> NDArray[np.float64]:
        """Return one row per node: its vector, its profile, or both."""
        if features == "vectors":
            return self.embedding_.vectors(nodes)
        described = self.profile().features(nodes)
        return described if features == "profile" else np.hstack((self.embedding_.vectors(nodes), described))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : None, default=None
            Not used; present for scikit-learn.

        Returns
        -------
        ndarray of str
            "honem0", "honem1", ... for vectors, the names of the features for profiles.
        """
        names: NDArray[np.object_] = super().get_feature_names_out(input_features)
        if self.features == "vectors":
            return names
        described = np.array(self.profile().feature_names, object)
        return described if self.features == "profile" else np.concatenate((names, described))

    def fit_transform(
        self,
        sequences: Corpus | Iterable[Iterable[Hashable]] | Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        **options: Unpack[ReadOptions],
    ) -> NDArray[np.float64]:
        """Fit the model and return the features of all nodes, in order of first appearance: by default their vectors.

        Parameters
        ----------
        sequences : Corpus, iterable of iterables of nodes, or table
            The paths. A table is a pandas, polars or Arrow table, or a dict of columns, with one row per visit.
        y : None, default=None
            Not used; present for scikit-learn.
        sample_weight : sequence of int or None, default=None
            How often each sequence counts; only with plain sequences.
        **options
            For a table: its columns, ``entity="user", time="visited", node="page"``, and any other option of
            `from_events`, with the same meanings and defaults. `min_entities` is also possible with sequences.

        Returns
        -------
        ndarray of shape (n_nodes, n_features)
            One row per node; `get_feature_names_out` names the columns.
        """
        fitted = self.fit(sequences, y, sample_weight=sample_weight, **options)
        return fitted._matrix(fitted.embedding_.nodes, self.features)

    @property
    def next_step_(self) -> NextStep | RuleNextStep:
        """The model of the next step, fitted on first access.

        It predicts from rules if the model was fitted to data on Spark, or loaded from a store without it.
        """
        check_is_fitted(self, "embedding_")
        if self._next_step is None and self._corpus is not None:
            vectors = StepVectors.of(self.embedding_.source, self.embedding_.target)
            max_order = MAX_ORDER if self.max_order is None else self.max_order
            self._next_step = NextStep.fit(
                self._corpus, max_order=max_order, embed=self._embed, vectors=vectors, n_jobs=self.n_jobs
            )
            self._corpus = None
        if self._next_step is None:
            self._next_step = RuleNextStep.of(self.rules_)
        return self._next_step

    def _embed(self, corpus: Corpus) -> StepVectors:
        """Learn vectors of a part of the corpus as those of the model were learned, but with less accuracy."""
        recipe = replace(self.recipe_, factorization=self.recipe_.factorization.quicker())
        engine = make_engine("local" if self.engine == "spark" else self.engine, self.n_jobs)
        rotation = self.embedding_.rotation  # alignment may have added dimensions
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HonemWarning)  # `fit` gave the same warnings
            found = recipe.embed(
                engine.find_rules(corpus, self.rules_.params),
                self.embedding_.dimension if rotation is None else len(rotation),
                solver=self.solver,
                random_state=self.random_state,
                n_jobs=self.n_jobs,
            ).embedding
        return StepVectors.of(found.source, found.target)

    @overload
    def predict_next(self, history: Sequence[list[Any]], k: int = 10, *, from_start: bool = False) -> Predictions: ...
    @overload
    def predict_next(self, history: Iterable[Hashable], k: int = 10, *, from_start: bool = False) -> Prediction: ...
    def predict_next(self, history: Any, k: int = 10, *, from_start: bool = False) -> Prediction | Predictions:
        """Predict the next node after a history, or after each of many histories.

        Parameters
        ----------
        history : iterable of nodes, or list of lists of nodes
            The last nodes that were visited, oldest first; or many histories, each a list. Nodes that are not known
            are allowed: the nodes after the last of them are used.
        k : int, default=10
            Number of nodes to return.
        from_start : bool, default=False
            Whether the history begins at the start of a path.

        Returns
        -------
        Prediction or Predictions
            The k most likely next nodes, how often each was observed, and the contexts they are predicted from.

        Raises
        ------
        ParameterError
            If `k` is not a whole number of at least 1, or `history` is a string; for many histories, also if the model
            predicts from rules, see `next_step_`.

        Examples
        --------
        >>> trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
        >>> model = HONEM(n_components=3).fit(trips)
        >>> model.predict_next(["home", "downtown"], k=1).nodes[0].node
        'office'
        >>> [found.nodes[0].node for found in model.predict_next([["home", "downtown"], ["dorm", "downtown"]])]
        ['office', 'library']
        """
        model = self.next_step_
        if is_many_histories(history):
            return require_blend(model, "many histories").predict_many(history, k, from_start=from_start)
        if isinstance(model, RuleNextStep):
            return model.predict(history, k)
        return model.predict(history, k, from_start=from_start)

    def predict_proba(
        self, histories: Iterable[Iterable[Hashable]], *, from_start: bool = False
    ) -> NDArray[np.float64]:
        """Return the probabilities of all nodes to come next after each of many histories.

        Parameters
        ----------
        histories : iterable of iterables of nodes
            The histories, each with its oldest node first.
        from_start : bool, default=False
            Whether all histories begin at the start of a path.

        Returns
        -------
        ndarray of shape (n_histories, n_nodes)
            Columns are in the order of `embedding_.nodes`; each row adds up to 1.

        Raises
        ------
        ParameterError
            If the model predicts from rules, see `next_step_`.

        Examples
        --------
        >>> model = HONEM(n_components=3).fit([["home", "downtown", "office"]] * 20)
        >>> model.predict_proba([["home"], []]).shape
        (2, 3)
        """
        return require_blend(self.next_step_, "predict_proba").predict_proba(histories, from_start=from_start)

    def sample(
        self, n: int, *, start: Iterable[Hashable] | None = None, length: int = 10, random_state: int | None = 0
    ) -> list[tuple[Hashable, ...]]:
        """Draw new paths from the model of the next step.

        Parameters
        ----------
        n : int
            Number of paths.
        start : iterable of nodes, optional
            The first nodes of all paths; by default one node, drawn from those with which observed paths begin.
        length : int, default=10
            Number of nodes of each path. Where paths end is not modelled.
        random_state : int or None, default=0
            Seed of the draws; None for different paths each time.

        Returns
        -------
        list of tuple of nodes

        Raises
        ------
        ParameterError
            If a parameter is out of range, or the model predicts from rules, see `next_step_`.
        UnknownNodeError
            If a node of `start` is not known.

        Examples
        --------
        >>> model = HONEM(n_components=3).fit([["home", "downtown", "office"]] * 20)
        >>> model.sample(1, length=3)
        [('home', 'downtown', 'office')]
        """
        model = require_blend(self.next_step_, "sample")
        return model.sample(n, start=start, length=length, random_state=random_state)

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

    def plot(
        self,
        color: Any = None,
        labels: LabelSource | None = None,
        *,
        coordinates: bool | None = None,
        projection: Projection = "pca",
        seed: int = 0,
        n_names: int = 25,
        ax: Any = None,
    ) -> Any:
        """Draw the nodes as points with matplotlib, on a map if they have coordinates, else by their vectors.

        The most visited nodes have larger points, and names beside them.

        Parameters
        ----------
        color : str, mapping, sequence or None, default=None
            What nodes are coloured by: a column of the labels or of `profile`, a mapping of nodes to values, or one
            value per node. Numbers get a scale, other values a legend. None means one colour for all.
        labels : path-like, data frame, Arrow table, mapping, NodeLabels or None, default=None
            Names, categories and coordinates: a CSV, TSV or Parquet file or a table in memory with the node in the
            first column, or a mapping {column: {node: value}}. None means those of the model, if it has any.
        coordinates : bool or None, default=None
            Whether to draw nodes on a map, by the columns lon and lat of the labels; nodes without coordinates are
            left out. None means if there are coordinates.
        projection : {"pca", "tsne", "auto"}, default="pca"
            How vectors become points otherwise: the first two principal axes of the directions of the source vectors,
            or t-SNE. "auto" is t-SNE for up to 30,000 nodes if openTSNE is installed, and PCA otherwise.
        seed : int, default=0
            Seed of t-SNE.
        n_names : int, default=25
            Largest number of names beside nodes. Names that would overlap others are left out.
        ax : matplotlib.axes.Axes or None, default=None
            Where to draw; None for a new figure. Its size must not change afterwards, or names may overlap.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed, or openTSNE with ``projection="tsne"``.
        ParameterError
            If a parameter is invalid, such as a column that neither the labels nor the profile have.
        """
        from honem.plots import plot_nodes

        check_is_fitted(self, "embedding_")
        profile = self._profile_or_none()
        return plot_nodes(
            self.embedding_,
            color,
            self.labels_ if labels is None else labels,
            coordinates=coordinates,
            projection=projection,
            seed=seed,
            n_names=n_names,
            visits=None if profile is None else profile["visits"],
            columns=None if profile is None else {name: profile[name] for name in profile.columns},
            ax=ax,
        )

    def explore(
        self,
        output: PathLike | None = None,
        *,
        labels: LabelSource | None = None,
        names: str | None = None,
        coordinates: bool | None = None,
        projection: Projection = "auto",
        seed: int = 0,
        height: int = 700,
    ) -> InlinePage:
        """Make the page of `honem explore`, which a notebook shows if it is the last expression of a cell.

        Parameters
        ----------
        output : path-like or None, default=None
            An HTML file to write as well.
        labels : path-like, data frame, Arrow table, mapping, NodeLabels or None, default=None
            Names, categories and coordinates: a CSV, TSV or Parquet file or a table in memory with the node in the
            first column, or a mapping {column: {node: value}}. None means those of the model, if it has any.
        names : str or None, default=None
            The column of the labels with the names to show. None means that of the model, or the column `name`.
        coordinates : bool or None, default=None
            Whether to show nodes on a map of the world, by the columns lon and lat of the labels. None means if there
            are coordinates.
        projection : {"auto", "tsne", "pca"}, default="auto"
            How vectors are projected to the plane. "auto" is t-SNE for up to 30,000 nodes if openTSNE is installed, and
            PCA otherwise.
        seed : int, default=0
            Seed of t-SNE and of the communities.
        height : int, default=700
            Height of the page in a notebook, in pixels.

        Returns
        -------
        InlinePage
            The page; its method `save` writes it to a file.

        Raises
        ------
        OutputError
            If the page cannot be written.
        ParameterError
            If an option is invalid, or the labels lack a column or describe none of the nodes.
        """
        from honem.explore.content import Options, Source
        from honem.explore.inline import make_page, shown_parameters

        check_is_fitted(self, "embedding_")
        source = Source(
            self.embedding_,
            self.rules_,
            {"parameters": shown_parameters(self.get_params(deep=False))},
            recipe=self.recipe_,
            profile=self._profile_or_none(),
            next_step=self.stored_next_step(),
            labels=self.labels_,
        )
        options = Options(labels, names, coordinates, projection=projection, seed=seed)
        return make_page(source, options, height, output)

    def compare(self, other: HONEM | Embedding, k: int = 10, space: VectorScore = "cosine") -> Comparison:
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

    def drift(self, other: HONEM, *, alpha: float = 0.05, k: int = 10, space: VectorScore = "cosine") -> Drift:
        """Return what changed from another, earlier model to this one.

        Contexts after which other nodes come next are found by an exact test with a bounded false discovery rate, from
        the paths of both models, so the paths of one must not contain those of the other. Neither model changes.

        Parameters
        ----------
        other : HONEM
            The earlier model.
        alpha : float, default=0.05
            The false discovery rate: the expected share of reported contexts whose change is due to chance.
        k : int, default=10
            Number of neighbours of each node that are compared.
        space : {"cosine", "source.target", "source.source", "euclidean"}, default="cosine"
            The score that makes neighbours.

        Returns
        -------
        Drift
            Print it for a description in words; `to_dict()` for its numbers.

        Raises
        ------
        InputError
            If one of the models does not hold its paths: it was fitted to data on Spark, or saved without them.
        ParameterError
            If `alpha` is out of range, or the models have fewer than 2 nodes in common.

        Examples
        --------
        >>> students = [["dorm", "downtown", "library"]] * 30
        >>> may = HONEM(n_components=2).fit([["home", "downtown", "office"]] * 30 + students)
        >>> june = HONEM(n_components=2).fit([["home", "downtown", "library"]] * 30 + students)
        >>> drift = june.drift(may)
        >>> drift.rules[0].context, drift.rules[0].successors[0]
        (('home', 'downtown'), SuccessorChange(node='office', old=30, new=0))
        """
        for model in (other, self):
            model._known_paths()  # raises if there are none
        assert other._paths is not None
        assert self._paths is not None
        old, new = other._paths, self._paths
        rules, n_tested = changed_rules(old, new, self.rules_.params, alpha, self.n_jobs)
        _, movement = align_vectors(self.embedding_, other.embedding_)
        return Drift(rules, n_tested, alpha, movement, self.compare(other, k, space))

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.dimension

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        tags.input_tags.two_d_array = False
        return tags


def output_container(transformer: TransformerMixin) -> str:
    """Return what `set_output` of scikit-learn, or its global setting, makes of arrays: "default" for nothing."""
    own: str | None = getattr(transformer, "_sklearn_output_config", {}).get("transform")
    return own or str(get_config()["transform_output"])


def as_corpus(sequences: Any, weights: Any = None, engine: str = "local", options: ReadOptions | None = None) -> Any:
    """Return the corpus given, or one made from sequences or a table; data on Spark stay there."""
    # Recognized by module names, so that neither pyspark nor the engine is imported by those who use neither.
    is_on_spark = type(sequences).__module__.startswith(("pyspark.", "honem.rules.engines.distributed."))
    if is_on_spark and engine != "spark":
        raise CorpusError(f"a {type(sequences).__name__} of Spark needs engine='spark', not {engine!r}")
    is_table = not is_on_spark and is_table_like(sequences)
    if options and not is_table and not is_on_spark and options.keys() <= {"min_entities"}:
        whole = sequences if isinstance(sequences, Corpus) else Corpus.from_sequences(sequences, weights)
        return clean_corpus(whole, **options)[0]
    if options and not is_table:
        raise ParameterError(
            f"{next(iter(options))} is an option for tables, and {type(sequences).__name__} is not a table; "
            "give a pandas, polars or Arrow table or a dict of columns"
        )
    if not is_on_spark and not is_table and not isinstance(sequences, Corpus):
        return Corpus.from_sequences(sequences, weights)
    if weights is not None:
        raise CorpusError(f"sample_weight goes with plain sequences; {_where_weights_are(sequences, is_table)}")
    return from_events(sequences, **(options or {})) if is_table else sequences


def _where_weights_are(sequences: Any, is_table: bool) -> str:
    kind = type(sequences).__name__
    return f"name the column of weights of a {kind} with weight=" if is_table else f"a {kind} carries its own weights"
