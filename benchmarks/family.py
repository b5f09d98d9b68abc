"""Link prediction by the members of the family, by what tuning chooses, and by heuristics that need no vectors.

    HONEM_DATA=... python benchmarks/family.py            # MAP, nine data sets, 16, 64 and 128 dimensions
    HONEM_DATA=... python benchmarks/family.py --time     # seconds of a fit of each preset, and of tuning
    HONEM_DATA=... python benchmarks/family.py --large    # seconds of a weighted factorization at 100,000 nodes

MAP is that of `honem evaluate --task link-prediction`: 20 % of the edges are held out, and all pairs that are not
training edges are ranked by the score that each embedding is meant to be compared by. A second table says how good the
preset is that is best on all other data sets, compared with tuning, which sees the data itself. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from honem import HONEM, Corpus
from honem.embedding.factorizations import WeightedFactorization
from honem.evaluation import LinkPrediction
from honem.evaluation.chosen_method import parse_method
from honem.evaluation.datasets.real import REAL_DATA, load_real

PRESETS = ("evidence", "weighted", "spatial", "auto")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(REAL_DATA))
    parser.add_argument("--dims", default="16,64,128")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--others", default="l3,adamic-adar,resource-allocation", help="methods without vectors")
    parser.add_argument("--vectors", default="", help="baselines with vectors, such as node2vec, by their better score")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--large", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"`python benchmarks/family.py {' '.join(sys.argv[1:])}`\n")
    if args.large:
        large()
    elif args.time:
        times(args.datasets.split(","))
    else:
        link_prediction(args)


def link_prediction(args: argparse.Namespace) -> None:
    dims = [int(number) for number in args.dims.split(",")]
    others, vectors = ([name for name in names.split(",") if name] for names in (args.others, args.vectors))
    print_row("data", "dimensions", *PRESETS, "auto + evidence", *vectors, *others, "chosen (seed 0)")
    print_row(*["---"] * (len(PRESETS) + len(others) + len(vectors) + 4))
    maps: dict[int, dict[str, list[float]]] = {dimension: {} for dimension in dims}
    for name in args.datasets.split(","):
        task = LinkPrediction(load_real(name).corpus, name, ks=(10,))
        corpora = [task.training_corpus(seed) for seed in range(args.seeds)]
        anchors = [mean_map(task, [parse_method(other).fit(corpus, 16, 0) for corpus in corpora]) for other in others]
        for dimension in dims:
            models = {preset: [HONEM(dimension, preset=preset).fit(corpus) for corpus in corpora] for preset in PRESETS}
            found = [mean_map(task, [model.embedding_ for model in models[preset]]) for preset in PRESETS]
            with_evidence = mean_map(task, [model.with_evidence() for model in models["auto"]], "evidence")
            maps[dimension][name] = found
            walks = [better_map(task, other, corpora, dimension) for other in vectors]
            tuning = models["auto"][0].tuning_
            assert tuning is not None
            shown = [f"{value:.3f}" for value in (*found, with_evidence, *walks, *anchors)]
            print_row(name, str(dimension), *shown, tuning.chosen)
    chosen_on_the_others(maps)


def chosen_on_the_others(maps: dict[int, dict[str, list[float]]]) -> None:
    """Print the preset that is best on all data sets but one, by the mean logarithm of MAP, and its MAP on that one."""
    print("\nChosen on the other data sets, judged on the one that was left out:\n")
    print_row("data", "dimensions", "chosen on the others", "its MAP", "auto", "auto against it")
    print_row(*["---"] * 6)
    for dimension, found in maps.items():
        names, values = list(found), np.array(list(found.values()))
        fixed, auto = values[:, :-1], values[:, -1]
        for row, name in enumerate(names):
            best = int(np.log(np.delete(fixed, row, axis=0)).mean(axis=0).argmax())
            gain = f"{100 * (auto[row] / fixed[row, best] - 1):+.1f} %"
            print_row(name, str(dimension), PRESETS[best], f"{fixed[row, best]:.3f}", f"{auto[row]:.3f}", gain)


def mean_map(task: LinkPrediction, fitted: list[Any], score: Any = None) -> float:
    rankings = [task.rank(model, seed, score) for seed, model in enumerate(fitted)]
    return float(np.mean([ranking.mean_average_precision for ranking in rankings]))


def better_map(task: LinkPrediction, method: str, corpora: list[Corpus], dimension: int) -> float:
    fitted = [parse_method(method).fit(corpus, dimension, seed) for seed, corpus in enumerate(corpora)]
    return max(mean_map(task, fitted, score) for score in ("source.source", "cosine"))


def times(datasets: list[str], repeats: int = 3, dimension: int = 128) -> None:
    print_row("seconds", "nodes", *PRESETS, "auto / weighted")
    print_row(*["---"] * (len(PRESETS) + 3))
    for name in datasets:
        corpus = load_real(name).corpus
        least = [min(seconds(corpus, dimension, preset) for _ in range(repeats)) for preset in PRESETS]
        ratio = least[-1] / least[PRESETS.index("weighted")]
        print_row(name, f"{corpus.n_nodes:,}", *(f"{number:.2f}" for number in least), f"{ratio:.1f}")


def seconds(corpus: Corpus, dimension: int, preset: str) -> float:
    started = time.perf_counter()
    HONEM(dimension, preset=preset).fit(corpus)
    return time.perf_counter() - started


def large(dimension: int = 128, entries: int = 256) -> None:
    print_row("nodes", "entries per row", "dimensions", "seconds")
    print_row("---", "---", "---", "---")
    rng = np.random.default_rng(0)
    for n_nodes in (5_000, 100_000):
        columns = rng.integers(n_nodes, size=(n_nodes, entries))
        where = (np.repeat(np.arange(n_nodes), entries), columns.ravel())
        matrix = csr_array((rng.random(n_nodes * entries), where), shape=(n_nodes, n_nodes))
        started = time.perf_counter()
        WeightedFactorization().factorize(matrix, dimension)
        print_row(f"{n_nodes:,}", str(entries), str(dimension), f"{time.perf_counter() - started:.1f}")


def print_row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
