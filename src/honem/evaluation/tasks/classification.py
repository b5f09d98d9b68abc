"""Node classification: whether simple classifiers can predict the label of a node from its vector or profile."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_one_of, require_whole
from honem.corpus import Corpus
from honem.embedding import Embedding, Vectors, Which
from honem.evaluation.aligning import align
from honem.evaluation.labels import LabelledNodes, labelled_nodes
from honem.evaluation.node_features import NodeFeatures
from honem.evaluation.records import Measure
from honem.evaluation.tasks.base import RegisteredTask, register_task
from honem.profile import Features, node_profile
from honem.rules.engines import extract_rules

Classifier = Literal["logistic_regression", "random_forest", "decision_tree", "adaboost"]
CLASSIFIERS: tuple[Classifier, ...] = get_args(Classifier)


@register_task
@dataclass(frozen=True, eq=False)
class Classification(RegisteredTask):
    """Train classifiers on the features of 70 % of the labelled nodes and test them on the rest, several times.

    Methods see the whole corpus and no label. Splits are stratified by class. Nodes without a label and nodes of small
    classes are left out and counted, as metrics `unlabelled_nodes` and `left_out_nodes`. The other metrics are the mean
    `auroc:CLASSIFIER` and its standard deviation over the repeats, `auroc_deviation:CLASSIFIER`; with more than two
    classes it is the macro average of each class against the rest. In tables the task is named `classification:LABEL`,
    and the score says what the features were: "source", "profile" or "source+profile", say. Profiles are those of the
    corpus with default rules, so that any method can be combined with them.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    label : str
        Name of the labels.
    labels : mapping
        Class of each node; an empty string means no label.
    dataset : str, default="corpus"
        Name of the data set in tables.
    classifiers : sequence of str
        By default "logistic_regression", "random_forest", "decision_tree" and "adaboost".
    vectors : sequence of str, default=("source",)
        Which vectors are the features: "source", "target" or "both".
    features : sequence of str, default=("vectors",)
        What describes a node: its "vectors", its "profile" or "both".
    repeats : int, default=10
        Number of splits per seed.
    test_share : float, default=0.3
        Share of the labelled nodes that are tested.
    min_class_size : int, default=10
        Smaller classes are left out; with 10 nodes there are three in each test.
    n_jobs : int, optional
        Threads of the random forest.
    counted : bool, default=False
        Whether the labels are counts of the same paths, such as traffic; their name is then marked with "(counted)".
    """

    command = "classification"
    summary = "predict the labels of nodes from their vectors, profiles, or both"
    judges = ("vectors",)
    main_metrics = tuple(f"auroc:{classifier}" for classifier in CLASSIFIERS)
    shown_metrics = ("auroc:",)
    position = 30
    tune_for = "labels"

    corpus: Corpus
    label: str
    labels: Mapping[Hashable, str]
    dataset: str = "corpus"
    classifiers: Sequence[Classifier] = CLASSIFIERS
    vectors: Sequence[Which] = ("source",)
    features: Sequence[Features] = ("vectors",)
    repeats: int = 10
    test_share: float = 0.3
    min_class_size: int = 10
    n_jobs: int | None = None
    counted: bool = False

    @property
    def name(self) -> str:
        """The task and the name of its labels, marked if they are counts of the same paths."""
        return f"classification:{self.label}{' (counted)' if self.counted else ''}"

    def training_corpus(self, seed: int) -> Corpus:
        """Return the whole corpus, regardless of the seed."""
        return self.corpus

    @cached_property
    def nodes(self) -> LabelledNodes:
        """The nodes that are classified."""
        require_whole("min_class_size", self.min_class_size, least=4)
        return labelled_nodes(self.corpus.vocabulary, self.labels, least=self.min_class_size)

    def judge(self, fitted: Embedding, seed: int) -> Iterator[Measure]:
        """Yield AUROC of each classifier on each kind of features."""
        for name, features in self.features_of(fitted):
            for classifier in self.classifiers:
                found = self.areas(features, classifier, seed)
                yield Measure(name, f"auroc:{classifier}", float(found.mean()))
                yield Measure(name, f"auroc_deviation:{classifier}", float(found.std()))
            yield Measure(name, "unlabelled_nodes", self.nodes.n_unlabelled)
            yield Measure(name, "left_out_nodes", self.nodes.n_left_out)

    def features_of(self, fitted: Embedding) -> Iterator[tuple[str, NodeFeatures]]:
        """Yield the requested features of the labelled nodes, by name."""
        aligned = align(fitted, self.corpus.vocabulary)
        matrices = {which: aligned.to_matrix(which)[0][self.nodes.ids] for which in self.vectors}
        for kind in self.features:
            require_one_of("features", kind, get_args(Features))
            if kind == "profile":
                yield "profile", NodeFeatures(np.empty((len(self.nodes.ids), 0)), self.profile)
            else:
                for which, vectors in matrices.items():
                    profile = self.profile if kind == "both" else np.empty((len(vectors), 0))
                    yield f"{which}+profile" if kind == "both" else which, NodeFeatures(vectors, profile)

    @cached_property
    def profile(self) -> Vectors:
        """The features of the profiles of the labelled nodes."""
        profile = node_profile(extract_rules(self.corpus), self.corpus.visit_counts())
        return profile.features()[self.nodes.ids]

    def areas(self, features: NodeFeatures, classifier: Classifier, seed: int) -> Vectors:
        """Return AUROC of each repeat."""
        require_whole("repeats", self.repeats, least=1)
        states = np.random.SeedSequence(seed).generate_state(2 * self.repeats).reshape(-1, 2).tolist()
        return np.array([self._area(features, classifier, *two) for two in states])

    def _area(self, features: NodeFeatures, classifier: Classifier, split_seed: int, fit_seed: int) -> float:
        from sklearn.model_selection import train_test_split

        matrix = features.matrix
        train, test = train_test_split(
            np.arange(len(matrix)), test_size=self.test_share, stratify=self.nodes.classes, random_state=split_seed
        )
        model = make_classifier(classifier, features, fit_seed, self.n_jobs)
        model.fit(matrix[train], self.nodes.classes[train])
        return area_under_roc(self.nodes.classes[test], model.predict_proba(matrix[test]))


def area_under_roc(classes: NDArray[np.int64], probabilities: Vectors) -> float:
    """Return AUROC of two classes, or the mean over classes of each against the rest."""
    from sklearn.metrics import roc_auc_score

    if probabilities.shape[1] == 2:
        return float(roc_auc_score(classes, probabilities[:, 1]))
    return float(roc_auc_score(classes, probabilities, multi_class="ovr", average="macro"))


def make_classifier(name: Classifier, features: NodeFeatures, seed: int, n_jobs: int | None = None) -> Any:
    """Return a classifier of scikit-learn at its defaults; features are scaled where their scale matters."""
    require_one_of("classifier", name, CLASSIFIERS)
    from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    from honem.evaluation.scaling import scaler_of

    if name == "logistic_regression":
        return make_pipeline(scaler_of(features), LogisticRegression(max_iter=1000, random_state=seed))
    if name == "random_forest":
        return RandomForestClassifier(random_state=seed, n_jobs=n_jobs)
    return (DecisionTreeClassifier if name == "decision_tree" else AdaBoostClassifier)(random_state=seed)
