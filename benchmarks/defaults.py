"""How the default preset was chosen, what each of its pieces adds, and what it costs.

    HONEM_DATA=... python benchmarks/defaults.py ablation   # one piece taken away at a time
    HONEM_DATA=... python benchmarks/defaults.py nested     # chosen on four data sets, judged on the fifth
    HONEM_DATA=... python benchmarks/defaults.py time       # seconds of a fit, with one piece taken away at a time
    HONEM_DATA=... python benchmarks/defaults.py criterion --classification   # trusted rules against HON+'s, all cases

Link prediction is MAP by source . target, reconstruction the mean of Precision@1000 and Precision@10000, both at 128
dimensions. With --classification, which is slow, nodes are classified too: AUROC (the ablation: four classifiers, two
repeats; nested: logistic regression and random forest, once) and, in the ablation, the balanced accuracy of the ten
nearest nodes by the distance of sources. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from honem import HONEM, Corpus, Embedding
from honem.embedding.matrices import without_diagonal
from honem.embedding.recipe import PRESETS
from honem.embedding.transforms import both_ways
from honem.evaluation import Classification, LinkPrediction, Reconstruction
from honem.evaluation.datasets.real import REAL_DATA, RealData, load_real

DIMENSION = 128
KS = (1000, 10000)
WITHOUT = {
    name: tuple(kept for kept in PRESETS["evidence"].transforms if kept != name)
    for name in PRESETS["evidence"].transforms
}
ABLATION: dict[str, dict[str, Any]] = {
    "evidence (the default)": {},
    **{f"without {name}": {"transforms": kept} for name, kept in WITHOUT.items()},
    "without tilt": {"tilt": 0.0},
    "spectrum 0.65 in both": {"spectrum": 0.65},
    "spectrum 0.7 in both": {"spectrum": 0.7},
    "spectrum 0.5 in both": {"spectrum": 0.5},
    "chosen for labels: at most a quarter as many dimensions as nodes": {"preset": "auto", "tune_for": "labels"},
    "weighted": {"preset": "weighted"},
    "spatial": {"preset": "spatial"},
    "auto": {"preset": "auto"},
    "exp(-k) instead of learnt weights": {"order_weights": "exponential"},
    "first order only": {"max_order": 1},
    "every history up to 5, not only rules": {"criterion": "divergence", "tau": 0.0, "max_order": 5},
    "rules of HON+ (divergence)": {"criterion": "divergence"},
    "min_support 5": {"min_support": 5},
    "min_support 20": {"min_support": 20},
    "counts that are not damped": {"weighting": "count"},
    "probabilities": {"weighting": "probability"},
    "paper": {"preset": "paper"},
}


class Bench:
    """The tasks of one data set, with the split of each seed drawn once."""

    def __init__(self, data: RealData, seeds: Iterable[int]) -> None:
        self.name, self.data, self.seeds = data.name, data, list(seeds)
        self.links = LinkPrediction(data.corpus, data.name, scores=("source.target",))
        self.whole = Reconstruction(data.corpus, data.name, scores=("source.target",), ks=KS)
        self.training = {seed: self.links.training_corpus(seed) for seed in self.seeds}

    def judge(self, options: Mapping[str, Any]) -> tuple[float, float]:
        """MAP of link prediction, mean over seeds, and mean precision of reconstruction."""
        found = []
        for seed in self.seeds:
            embedding = fit(self.training[seed], options).embedding_
            found += [m.value for m in self.links.judge(embedding, seed) if m.metric == "map"]
        precisions = [m.value for m in self.whole.judge(fit(self.data.corpus, options).embedding_, 0)]
        return float(np.mean(found)), float(np.mean(precisions))

    def tasks(self, **options: Any) -> list[Classification]:
        """One a label."""
        labels = self.data.labels.items()
        return [Classification(self.data.corpus, label, classes, self.name, **options) for label, classes in labels]

    def classify(self, embedding: Embedding, **options: Any) -> float:
        """AUROC, mean over labels and classifiers."""
        measures = [measure for task in self.tasks(**options) for measure in task.judge(embedding, 0)]
        return float(np.mean([measure.value for measure in measures if measure.metric.startswith("auroc:")]))

    def nearest(self, embedding: Embedding) -> float:
        """Accuracy of the nearest nodes, mean over labels."""
        nodes = [task.nodes for task in self.tasks()]
        return float(np.mean([nearest_accuracy(embedding.source[some.ids], some.classes) for some in nodes]))


def nearest_accuracy(features: Any, classes: Any) -> float:
    """Balanced accuracy of the majority of the ten nearest nodes, over five folds."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    guessed = cross_val_predict(KNeighborsClassifier(10), features, classes, cv=folds)
    return float(balanced_accuracy_score(classes, guessed))


def fit(corpus: Corpus, options: Mapping[str, Any]) -> HONEM:
    return HONEM(DIMENSION, **{"preset": "evidence", **options}).fit(corpus)


def ablation(benches: list[Bench], with_classification: bool) -> None:
    columns = ["link prediction", "reconstruction"]
    columns += ["classification", "nearest nodes"] if with_classification else []
    rows: dict[str, dict[str, tuple[float, ...]]] = {}
    for name, options in ABLATION.items():
        rows[name] = {}
        for bench in benches:
            rows[name][bench.name] = bench.judge(options)
            if with_classification:
                embedding = fit(bench.data.corpus, options).embedding_
                rows[name][bench.name] += bench.classify(embedding, repeats=2), bench.nearest(embedding)
        print(f"{name}: {rows[name]}", file=sys.stderr, flush=True)
    for number, column in enumerate(columns):
        print(f"\n**{column.capitalize()}**\n")
        print_table(
            ["", *(bench.name for bench in benches)],
            [[name, *(f"{found[bench.name][number]:.3f}" for bench in benches)] for name, found in rows.items()],
        )


@dataclass(frozen=True)
class Candidate:
    """A member of the family that the default belongs to; a rate instead of learnt weights is that of exp(-rate k)."""

    order_rate: float | None
    self_share: float
    degree_exponent: float
    spectrum: float
    tilt: float

    def options(self) -> dict[str, Any]:
        return {
            "order_weights": "learnt" if self.order_rate is None else partial(decay, self.order_rate),
            "transforms": (
                both_ways,
                partial(near_itself, self.self_share),
                partial(scale_by_degree, self.degree_exponent),
            ),
            "spectrum": self.spectrum,
            "tilt": self.tilt,
        }

    def __str__(self) -> str:
        orders = "learnt" if self.order_rate is None else f"exp(-{self.order_rate:g}k)"
        return f"{orders}, {self.self_share:g}, {self.degree_exponent:g}, {self.spectrum:g}, {self.tilt:g}"


DEFAULT = Candidate(None, 0.5, 0.2, 0.65, 1 / 16)
CHOICES: tuple[tuple[Any, ...], ...] = (
    (None, 1.0, 2.0, 4.0),
    (0.0, 0.5, 1.0),
    (0.0, 0.1, 0.2, 0.3),
    (0.5, 0.65, 0.8),
    (0.0, 1 / 16, 1 / 8),
)
GRID = tuple(itertools.starmap(Candidate, itertools.product(*CHOICES)))


def decay(rate: float, steps: int) -> float:
    return float(np.exp(-rate * steps))


def near_itself(share: float, matrix: Any) -> Any:
    others = without_diagonal(matrix)
    largest = np.maximum(others.max(axis=1).toarray().ravel(), others.max(axis=0).toarray().ravel())
    return csr_array(others + diags_array(share * largest))


def scale_by_degree(exponent: float, matrix: Any) -> Any:
    rows, columns = (np.asarray(matrix.sum(axis=axis)).ravel() for axis in (1, 0))
    powers = [np.where(sums > 0, np.where(sums > 0, sums, 1.0) ** -exponent, 0.0) for sums in (rows, columns)]
    return csr_array(diags_array(powers[0]) @ matrix @ diags_array(powers[1]))


def nested(benches: list[Bench], n_candidates: int, with_classification: bool) -> None:
    """Choose among random candidates on all data sets but one, and look at that one."""
    numbers = ["MAP", "precision", *(["AUROC"] if with_classification else [])]

    def judged(options: Mapping[str, Any]) -> list[tuple[float, ...]]:
        found: list[tuple[float, ...]] = [bench.judge(options) for bench in benches]
        if not with_classification:
            return found
        quick = {"classifiers": ("logistic_regression", "random_forest"), "repeats": 1}
        embeddings = [fit(bench.data.corpus, options).embedding_ for bench in benches]
        return [
            (*two, bench.classify(one, **quick)) for two, bench, one in zip(found, benches, embeddings, strict=True)
        ]

    drawn = np.random.default_rng(0).choice(len(GRID), n_candidates, replace=False)
    candidates = [DEFAULT, *(GRID[number] for number in drawn if GRID[number] != DEFAULT)]
    papers = np.array(judged({"preset": "paper"}))
    found = np.zeros((len(candidates), len(benches), len(numbers)))
    for row, candidate in enumerate(candidates):
        found[row] = judged(candidate.options())
        print(f"{row} {candidate} {found[row].round(3).tolist()}", file=sys.stderr, flush=True)
    gains = np.log(found / papers).mean(axis=2)  # candidates x data sets
    rows = []
    for column, bench in enumerate(benches):
        others = [other for other in range(len(benches)) if other != column]
        best = int(gains[:, others].mean(axis=1).argmax())
        place = int((gains[:, column] > gains[0, column]).sum()) + 1
        rows.append(
            [
                bench.name,
                str(candidates[best]),
                *(f"{number:.3f}" for number in found[best, column]),
                *(f"{number:.3f}" for number in found[0, column]),
                f"{place} of {len(candidates)}",
                *(f"{number:.3f}" for number in papers[column]),
            ]
        )
    print_table(
        [
            "judged on",
            "chosen on the others",
            *numbers,
            *(f"default, {number}" for number in numbers),
            "its place",
            *(f"paper, {number}" for number in numbers),
        ],
        rows,
    )


def criteria(benches: list[Bench], with_classification: bool) -> None:
    """Compare vectors from trusted rules with vectors from the rules of HON+ and from first order, case by case."""
    members: dict[str, dict[str, Any]] = {
        "HON+": {"criterion": "divergence"},
        "trusted": {"criterion": "significance"},
        "first order": {"max_order": 1},
    }
    rows = []
    for bench in benches:
        found: dict[str, dict[str, float]] = {}
        for member, options in members.items():
            found[member] = dict(zip(CASES, bench.judge(options), strict=True))
            if with_classification:
                embedding = fit(bench.data.corpus, options).embedding_
                found[member] |= {task.label: auroc(task, embedding) for task in bench.tasks(repeats=2)}
        for case in found["HON+"]:
            values = [found[member][case] for member in members]
            change = f"{values[1] / values[0] - 1:+.1%}".replace("%", " %")
            rows.append([bench.name, case, *(f"{value:.3f}" for value in values), change])
            print(rows[-1], file=sys.stderr, flush=True)
    print_table(["data", "case", *members, "trusted against HON+"], rows)


CASES = ("link prediction", "reconstruction")


def auroc(task: Classification, embedding: Embedding) -> float:
    """Mean AUROC over the classifiers, on the splits of two seeds."""
    measures = [measure for seed in (0, 1) for measure in task.judge(embedding, seed)]
    return float(np.mean([measure.value for measure in measures if measure.metric.startswith("auroc:")]))


def times(benches: list[Bench], repeats: int = 5) -> None:
    """Seconds of a fit, the least of some, with every piece taken away or exchanged; all take turns."""
    best = np.full((len(ABLATION), len(benches)), np.inf)
    for column, bench in enumerate(benches):
        fit(bench.data.corpus, {})
        for _, (row, options) in itertools.product(range(repeats), enumerate(ABLATION.values())):
            started = time.perf_counter()
            fit(bench.data.corpus, options)
            best[row, column] = min(best[row, column], time.perf_counter() - started)
    print_table(
        ["seconds", *(bench.name for bench in benches)],
        [[name, *(f"{seconds:.2f}" for seconds in row)] for name, row in zip(ABLATION, best, strict=True)],
    )


def print_table(head: list[str], rows: list[list[str]]) -> None:
    for cells in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("ablation", "nested", "time", "criterion"))
    parser.add_argument("--classification", action="store_true", help="also classify (slow)")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--candidates", type=int, default=40)
    parser.add_argument("--datasets", default=",".join(REAL_DATA))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    benches = [Bench(load_real(name), range(args.seeds)) for name in args.datasets.split(",")]
    print(f"`python benchmarks/defaults.py {' '.join(sys.argv[1:])}`, seeds {list(range(args.seeds))}\n")
    if args.what == "ablation":
        ablation(benches, args.classification)
    elif args.what == "nested":
        nested(benches, args.candidates, args.classification)
    elif args.what == "criterion":
        criteria(benches, args.classification)
    else:
        times(benches)


if __name__ == "__main__":
    main()
