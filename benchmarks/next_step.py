"""Next-step prediction: HONEM's blend of contexts against rules, fixed orders, Kneser-Ney and PPM-C; and its speed.

    HONEM_DATA=... python benchmarks/next_step.py            # everything, about ten minutes
    HONEM_DATA=... python benchmarks/next_step.py --quick    # two data sets, one seed, to see that it runs
    HONEM_DATA=... python benchmarks/next_step.py --data my_paths,lloyds    # folders with a paths.txt.gz

20 % of the sequences are held out; every step of them is predicted from all before it in its sequence. The models are
compared on the splits of seeds 0 to 2.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from honem import HONEM, extract_rules, read_paths
from honem.evaluation import parse_method
from honem.evaluation.cells import NO_DIMENSION
from honem.evaluation.datasets import REAL_DATA, planted_paths
from honem.evaluation.methods import Method
from honem.evaluation.tasks.next_step import NextStepPrediction
from honem.prediction import NextStep, StepVectors

METRICS = ("log_loss", "perplexity", "hit@1", "hit@5", "hit@10", "mrr")
METHODS = (
    "honem",
    "rules",
    "rules:criterion='divergence'",
    "first-order",
    "fixed-order:order=2",
    "fixed-order:order=3",
    "kneser-ney",
    "modified-kneser-ney",
    "ppm-c",
)
DIMENSION = 128

Cells = dict[str, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=lambda text: text.split(","), default=list(REAL_DATA), metavar="D,D")
    parser.add_argument("--what", choices=("all", "models", "speed"), default="all")
    args = parser.parse_args()
    command = " ".join(["HONEM_DATA=... python benchmarks/next_step.py", *sys.argv[1:]])
    print(f"`{command}`, Python {platform.python_version()}, NumPy {np.__version__}")
    if args.what != "speed":
        names = ("lloyds", "porto_poi") if args.quick else args.data
        compare_models({name: task_of(name) for name in names}, (0,) if args.quick else (0, 1, 2))
    if args.what != "models":
        tell_speed(100_000 if args.quick else 1_000_000)


def task_of(name: str) -> NextStepPrediction:
    return NextStepPrediction(read_paths(Path(os.environ["HONEM_DATA"]) / name / "paths.txt.gz"), name)


def compare_models(tasks: dict[str, NextStepPrediction], seeds: tuple[int, ...]) -> None:
    found: dict[str, dict[str, Cells]] = {metric: {method: {} for method in METHODS} for metric in METRICS}
    for data, task in tasks.items():
        for text in METHODS:
            for seed in seeds:
                method: Method = parse_method(text, NextStepPrediction.judges)
                fitted = method.fit(task.training_corpus(seed), DIMENSION if text == "honem" else NO_DIMENSION, seed)
                for _, metric, value in task.judge(fitted, seed):
                    if metric in METRICS:
                        found[metric][text].setdefault(data, []).append(value)
            print(f"{data}: {text}", file=sys.stderr)
    for metric, rows in found.items():
        best = min if metric in ("log_loss", "perplexity") else max
        print_table(f"{metric}, seeds {list(seeds)}", rows, 2 if metric == "perplexity" else 3, best)


def print_table(title: str, rows: dict[str, Cells], digits: int, best: Callable[[list[float]], float]) -> None:
    """Print mean and standard deviation over seeds, the best of each data set in bold."""
    names = list(next(iter(rows.values())))
    means = {row: {name: float(np.mean(values)) for name, values in cells.items()} for row, cells in rows.items()}
    best_of = {name: best([row[name] for row in means.values()]) for name in names}
    print(f"\n**{title}**\n\n| {' | '.join(['', *names])} |\n{'|---' * (len(names) + 1)}|")
    for row, cells in rows.items():
        shown = [row]
        for name in names:
            mean, deviation = means[row][name], float(np.std(cells[name]))
            text = f"{mean:,.{digits}f} ± {deviation:.{digits}f}"
            shown.append(f"**{text}**" if mean == best_of[name] else text)
        print(f"| {' | '.join(shown)} |", flush=True)


def tell_speed(n_steps: int) -> None:
    """Print times of fitting, as ratios to the extraction of rules, and of predicting, and the size in a store."""
    corpus = planted_paths(n_steps=n_steps).corpus
    model = HONEM().fit(corpus)
    vectors = StepVectors.of(model.embedding_.source, model.embedding_.target)
    print(f"\nGenerated walks, {corpus.n_nodes:,} nodes, {n_steps:,} steps, best of 3; wall time and CPU time:\n")
    extraction = seconds(lambda: extract_rules(corpus))
    print(f"- extraction of rules: {extraction.wall:.2f} s, {extraction.cpu:.2f} s")
    fits = {
        "without vectors": lambda: NextStep.fit(corpus),
        "with vectors, which cannot help here": lambda: NextStep.fit(corpus, embed=model._embed, vectors=vectors),
        "with vectors that are learned again without the held-out part": lambda: NextStep.fit(
            corpus, embed=model._embed
        ),
    }
    for name, fit in fits.items():
        found = seconds(fit)
        ratios = f"{found.wall / extraction.wall:.1f} and {found.cpu / extraction.cpu:.1f} times the extraction"
        print(f"- fitting {name}: {found.wall:.2f} s, {found.cpu:.2f} s; {ratios}", flush=True)
    histories = [list(sequence[:20]) for sequence in corpus.sequences() for _ in range(5)]
    fitted = NextStep.fit(corpus)
    # On these walks vectors do not help and are left out, so they are put in to measure what they cost.
    factors = replace(fitted.smoothing, base_share=0.5, popularity=0.5, affinity=1.0)
    with_vectors = replace(fitted, smoothing=factors, vectors=vectors)
    for name, predictor in {"without": fitted, "with": with_vectors}.items():
        rate = predictions_per_second(predictor, histories)
        print(
            f"- the ten most probable nodes {name} vectors: {rate:,.0f} histories per second of wall time", flush=True
        )
    tell_size(model)


def predictions_per_second(model: NextStep, histories: list[list[object]]) -> float:
    return len(histories) / seconds(lambda: model.predict_many(histories, 10)).wall


def tell_size(model: HONEM) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        (file,) = (Path(folder) / "model").glob("next_step-*")
        size, fitted = file.stat().st_size, model.next_step_
    assert isinstance(fitted, NextStep)
    per_context = size / fitted.trie.n_contexts
    print(f"- in a store: {fitted.trie.n_contexts:,} contexts, {size:,} bytes, {per_context:.1f} bytes per context")


class Times(NamedTuple):
    """Wall time, and CPU time of all threads, which other programs on the machine affect less."""

    wall: float
    cpu: float


def seconds(run: Callable[[], object], repeats: int = 3) -> Times:
    """Return the shortest of some running times; the first run, which may compile, is not among them."""
    run()
    times = []
    for _ in range(repeats):
        started = time.perf_counter(), time.process_time()
        run()
        times.append((time.perf_counter() - started[0], time.process_time() - started[1]))
    return Times(*(min(each) for each in zip(*times, strict=True)))


if __name__ == "__main__":
    main()
