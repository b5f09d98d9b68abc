"""Is the default first also where data is scarce or coarse? Thinned and coarsened versions of the five data sets.

    HONEM_DATA=... python benchmarks/thinned.py

MAP of link prediction by the better of both scores, and Precision@1000 of reconstruction. One seed, 128 dimensions.
Prints a Markdown table.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from defaults import print_table

from honem import Corpus
from honem.evaluation import LinkPrediction, Reconstruction
from honem.evaluation.chosen_method import parse_method
from honem.evaluation.datasets.real import load_real

DIMENSION = 128
SEED = 0
ALTERED: dict[str, tuple[str, float]] = {
    "10 % of wikispeedia": ("wikispeedia", 0.1),
    "30 % of lloyds": ("lloyds", 0.3),
    "5 % of shenzhen": ("shenzhen", 0.05),
    "40 % of porto_poi": ("porto_poi", 0.4),
    "1 % of us_flights": ("us_flights", 0.01),
}
METHODS = (
    "honem",
    "honem:preset=paper",
    "first-order",
    "popularity",
    "deepwalk:directed=False",
    "node2vec:p=0.5,q=2.0,directed=False",
    "line",
    "hope",
    "grarep:directed=False",
    "graph-factorization",
    "netmf",
    "laplacian",
    "lle",
)


def main() -> None:
    warnings.simplefilter("ignore")
    corpora = {name: thinned(load_real(data).corpus, share) for name, (data, share) in ALTERED.items()}
    corpora["wikispeedia in 300 groups"] = coarsened(load_real("wikispeedia").corpus, 300)
    rows = []
    for name in METHODS:
        rows.append([name, *(" / ".join(f"{number:.3f}" for number in judge(name, data)) for data in corpora.items())])
        print(rows[-1], file=sys.stderr, flush=True)
    print_table(["method", *corpora], rows)


def judge(name: str, data: tuple[str, Corpus]) -> tuple[float, float]:
    """MAP and precision of a method."""
    method, (dataset, corpus) = parse_method(name), data
    links, whole = LinkPrediction(corpus, dataset), Reconstruction(corpus, dataset, ks=(1000,))
    trained = method.fit(links.training_corpus(SEED), DIMENSION, SEED)
    found = max(measure.value for measure in links.judge(trained, SEED) if measure.metric == "map")
    return found, max(measure.value for measure in whole.judge(method.fit(corpus, DIMENSION, SEED), SEED))


def thinned(corpus: Corpus, share: float) -> Corpus:
    """Some of the sequences, drawn at random."""
    kept = np.flatnonzero(np.random.default_rng(SEED).random(corpus.n_sequences) < share)
    return Corpus.from_sequences([nodes_of(corpus, number) for number in kept.tolist()], corpus.weights[kept])


def coarsened(corpus: Corpus, n_groups: int) -> Corpus:
    """The first 20,000 sequences with their nodes merged into groups at random."""
    group = np.random.default_rng(SEED).integers(0, n_groups, corpus.n_nodes)
    names = dict(zip(corpus.vocabulary.labels, group.tolist(), strict=True))
    sequences = [nodes_of(corpus, number) for number in range(min(corpus.n_sequences, 20_000))]
    return Corpus.from_sequences([[names[node] for node in nodes] for nodes in sequences])


def nodes_of(corpus: Corpus, number: int) -> list[Any]:
    return [corpus.vocabulary[node] for node in corpus.tokens[corpus.offsets[number] : corpus.offsets[number + 1]]]


if __name__ == "__main__":
    main()
