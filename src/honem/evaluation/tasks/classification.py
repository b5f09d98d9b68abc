"""Node classification: can simple classifiers tell a node's label from its vector?"""

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
from honem.evaluation.records import Measure

Classifier = Literal["logistic_regression", "random_forest", "decision_tree", "adaboost"]
CLASSIFIERS: tuple[Classifier, ...] = get_args(Classifier)


@dataclass(frozen=True, eq=False)
class Classification:
    """Train on 70 % of the labelled nodes, test on the rest, `repeats` times; the split is stratified by class.

    Methods see the whole corpus and no label. Nodes without a label are left out, and so are the classes of fewer
    than `min_class_size` nodes (10: three of them in each test); both are counted, as metrics `unlabelled_nodes` and
    `left_out_nodes`. Reported are the mean `auroc:CLASSIFIER` and its deviation over the repeats,
    `auroc_deviation:CLASSIFIER`; for more than two classes each against the rest, and their mean (macro). The task is
    named `classification:LABEL`, and the score of a row is which vectors were the features.
    """

    corpus: Corpus
    label: str
    labels: Mapping[Hashable, str]
    dataset: str = "corpus"
    classifiers: Sequence[Classifier] = CLASSIFIERS
    vectors: Sequence[Which] = ("source",)
    repeats: int = 10
    test_share: float = 0.3
    min_class_size: int = 10
    n_jobs: int | None = None

    @property
    def name(self) -> str:
        """The task with the label it is about."""
        return f"classification:{self.label}"

    def training_corpus(self, seed: int) -> Corpus:
        """The whole corpus, whatever the seed."""
        return self.corpus

    @cached_property
    def nodes(self) -> LabelledNodes:
        """The nodes that are classified."""
        require_whole("min_class_size", self.min_class_size, least=4)
        return labelled_nodes(self.corpus.vocabulary, self.labels, least=self.min_class_size)

    def judge(self, embedding: Embedding, seed: int) -> Iterator[Measure]:
        """AUROC of each classifier on each kind of vectors."""
        aligned = align(embedding, self.corpus.vocabulary)
        for which in self.vectors:
            features = aligned.to_matrix(which)[0][self.nodes.ids]
            for classifier in self.classifiers:
                found = self.areas(features, classifier, seed)
                yield Measure(which, f"auroc:{classifier}", float(found.mean()))
                yield Measure(which, f"auroc_deviation:{classifier}", float(found.std()))
            yield Measure(which, "unlabelled_nodes", self.nodes.n_unlabelled)
            yield Measure(which, "left_out_nodes", self.nodes.n_left_out)

    def areas(self, features: Vectors, classifier: Classifier, seed: int) -> Vectors:
        """AUROC of each repeat, for a row of features a labelled node."""
        require_whole("repeats", self.repeats, least=1)
        states = np.random.SeedSequence(seed).generate_state(2 * self.repeats).reshape(-1, 2).tolist()
        return np.array([self._area(features, classifier, *two) for two in states])

    def _area(self, features: Vectors, classifier: Classifier, split_seed: int, fit_seed: int) -> float:
        from sklearn.model_selection import train_test_split

        train, test = train_test_split(
            np.arange(len(features)), test_size=self.test_share, stratify=self.nodes.classes, random_state=split_seed
        )
        model = make_classifier(classifier, fit_seed, self.n_jobs)
        model.fit(features[train], self.nodes.classes[train])
        return area_under_roc(self.nodes.classes[test], model.predict_proba(features[test]))


def area_under_roc(classes: NDArray[np.int64], probabilities: Vectors) -> float:
    """AUROC of two classes, or the mean over classes of each against the rest."""
    from sklearn.metrics import roc_auc_score

    if probabilities.shape[1] == 2:
        return float(roc_auc_score(classes, probabilities[:, 1]))
    return float(roc_auc_score(classes, probabilities, multi_class="ovr", average="macro"))


def make_classifier(name: Classifier, seed: int, n_jobs: int | None = None) -> Any:
    """A classifier of scikit-learn at its defaults; features are standardised where their scale matters."""
    require_one_of("classifier", name, CLASSIFIERS)
    from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    if name == "logistic_regression":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=seed))
    if name == "random_forest":
        return RandomForestClassifier(random_state=seed, n_jobs=n_jobs)
    return (DecisionTreeClassifier if name == "decision_tree" else AdaBoostClassifier)(random_state=seed)
