"""Next-step prediction: the rules as a variable-order model, against models of fixed order and Kneser-Ney n-grams.

    HONEM_DATA=... python benchmarks/next_step.py            # everything, a few minutes
    HONEM_DATA=... python benchmarks/next_step.py --quick    # two data sets, one seed, to see that it runs

20 % of the sequences are held out; every step of them is predicted from all before it in its sequence. The models are
compared on the splits of seeds 0 to 2. What was chosen, the way of blending orders, and the options of extraction that
were looked at, were judged on other splits, of seeds 10 to 12.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem import Corpus, RuleTable, extract_rules
from honem.evaluation import parse_method
from honem.evaluation.baselines.kneser_ney import FromTheStart, with_start
from honem.evaluation.cells import NO_DIMENSION
from honem.evaluation.datasets import REAL_DATA, load_real, planted_paths
from honem.evaluation.methods import Method, NamedMethod
from honem.evaluation.tasks.next_step import Learner, NextStepPrediction, least_loss
from honem.prediction import NextStep
from honem.prediction.next_step import discounted, own_counts
from honem.rules.suffixes import longest_suffix_rules

METRICS = ("log_loss", "perplexity", "hit@1", "hit@5", "hit@10")
TAUS, MIN_SUPPORTS = (0.5, 1.0, 2.0), (1, 2, 3, 5, 10)

Cells = dict[str, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    names = ("lloyds", "porto_poi") if args.quick else tuple(REAL_DATA)
    seeds, other_seeds = ((0,), (10,)) if args.quick else ((0, 1, 2), (10, 11, 12))
    command = " ".join(["HONEM_DATA=... python benchmarks/next_step.py", *sys.argv[1:]])
    print(f"`{command}`, Python {platform.python_version()}, NumPy {np.__version__}")
    data = {name: load_real(name) for name in names}
    tasks = {name: NextStepPrediction(one.corpus, name, distinct=one.hold_out_distinct) for name, one in data.items()}
    compare_models(tasks, seeds)
    compare_blends(tasks, other_seeds)
    compare_options(tasks, other_seeds)
    tell_speed(100_000 if args.quick else 5_000_000)


def rules(corpus: Corpus, **options: Any) -> NextStep:
    return NextStep.of(extract_rules(corpus, **options))


def rules_from_the_start(corpus: Corpus, dimension: int, seed: int) -> FromTheStart:
    return FromTheStart.of(extract_rules(with_start(corpus), criterion="divergence"))


def rules_with_chosen_tau(corpus: Corpus, dimension: int, seed: int) -> NextStep:
    """Choose tau as the order of Kneser-Ney is chosen: by a part held out of the training sequences."""
    hon_plus = partial(rules, criterion="divergence")
    taus: dict[str, Learner] = {str(tau): partial(hon_plus, tau=tau) for tau in (0.25, *TAUS)}
    return hon_plus(corpus, tau=float(least_loss(taus, corpus)))


def registered(text: str) -> Method:
    return parse_method(text, NextStepPrediction.judges)


MODELS: dict[str, Method] = {
    "first order": registered("first-order"),
    "order 2": registered("fixed-order:order=2"),
    "order 3": registered("fixed-order:order=3"),
    "Kneser-Ney n-gram, n chosen": registered("kneser-ney"),
    "trusted rules (the default)": registered("rules"),
    "HON+ rules": registered("rules:criterion='divergence'"),
    "HON+ rules, tau chosen": NamedMethod("tau chosen", rules_with_chosen_tau),
    "HON+ rules, start of sequence known": NamedMethod("start known", rules_from_the_start),
}


def compare_models(tasks: dict[str, NextStepPrediction], seeds: tuple[int, ...]) -> None:
    found: dict[str, dict[str, Cells]] = {metric: {name: {} for name in MODELS} for metric in (*METRICS, "contexts")}
    for (model, method), (data, task), seed in product(MODELS.items(), tasks.items(), seeds):
        predictor = method.fit(task.training_corpus(seed), NO_DIMENSION, seed)
        for _, metric, value in task.judge(predictor, seed):
            if metric in METRICS:
                found[metric][model].setdefault(data, []).append(value)
        found["contexts"][model].setdefault(data, []).append(n_contexts(predictor))
    for metric, rows in found.items():
        digits = 0 if metric == "contexts" else 2 if metric == "perplexity" else 3
        best = None if metric == "contexts" else max if metric.startswith("hit") else min
        print_table(f"{metric}, seeds {list(seeds)}", rows, digits, best)


def n_contexts(predictor: object) -> int:
    model = predictor.model if isinstance(predictor, FromTheStart) else predictor
    assert isinstance(model, NextStep)
    return len(model.orders)


Smoothing = Callable[[NDArray[Any], NDArray[Any], RuleTable], tuple[NDArray[Any], NDArray[Any]]]
"""Counts, their sums by rule and the table -> what rows keep, and what rules leave to shorter ones."""


def witten_bell(counts: NDArray[Any], sums: NDArray[Any], table: RuleTable) -> tuple[NDArray[Any], NDArray[Any]]:
    targets = np.diff(table.target_offsets)
    return counts / (sums + targets)[table.rule_of_row], targets / (sums + targets)


def dirichlet(counts: NDArray[Any], sums: NDArray[Any], table: RuleTable) -> tuple[NDArray[Any], NDArray[Any]]:
    return counts / (sums + 5)[table.rule_of_row], 5 / (sums + 5)


def one_discount(counts: NDArray[Any], sums: NDArray[Any], table: RuleTable) -> tuple[NDArray[Any], NDArray[Any]]:
    return discounted(counts, table.target_offsets, table.orders)


def three_discounts(counts: NDArray[Any], sums: NDArray[Any], table: RuleTable) -> tuple[NDArray[Any], NDArray[Any]]:
    """Chen and Goodman's modified form."""
    seen = counts_of_counts(counts, table)
    ratio = seen[0] / (seen[0] + 2 * seen[1])
    by_count = [np.clip(k - (k + 1) * ratio * seen[k] / seen[k - 1], 0.05, k - 0.05) for k in (1, 2, 3)]
    discount = np.stack(by_count)[np.minimum(counts, 3) - 1, table.orders[table.rule_of_row]]
    return (counts - discount) / sums[table.rule_of_row], np.add.reduceat(discount, table.target_offsets[:-1]) / sums


def counts_of_counts(counts: NDArray[Any], table: RuleTable) -> list[NDArray[Any]]:
    """How many rows of each order are counted once, twice, three and four times."""
    orders = table.orders[table.rule_of_row]
    return [np.bincount(orders[counts == k], minlength=table.max_order + 1) + 0.5 for k in (1, 2, 3, 4)]


BLENDS: dict[str, Smoothing] = {
    "one discount an order": one_discount,
    "three discounts an order": three_discounts,
    "Witten-Bell": witten_bell,
    "Dirichlet, 5": dirichlet,
}


def compare_blends(tasks: dict[str, NextStepPrediction], seeds: tuple[int, ...]) -> None:
    rows: dict[str, Cells] = {}
    for (data, task), seed in product(tasks.items(), seeds):
        table = extract_rules(task.training_corpus(seed), criterion="divergence")
        for name, model in blends(table):
            rows.setdefault(name, {}).setdefault(data, []).append(next(task.judge(model, seed)).value)
    print_table(f"log_loss of HON+ rules by how orders are blended, seeds {list(seeds)}", rows, best=min)


def blends(table: RuleTable) -> Iterator[tuple[str, NextStep]]:
    model = NextStep.of(table)
    own = own_counts(table, longest_suffix_rules(table, model.tree))
    for (name, smoothing), (which, counts) in product(
        BLENDS.items(), {"longer rules count once": own, "plain counts": table.counts}.items()
    ):
        sums = np.add.reduceat(counts, table.target_offsets[:-1])
        shares, left_over = smoothing(counts, sums, table)
        yield f"{name}, {which}", replace(model, shares=shares, left_over=left_over)


def compare_options(tasks: dict[str, NextStepPrediction], seeds: tuple[int, ...]) -> None:
    losses: dict[str, Cells] = {}
    for support, tau, least in product(("context", "transition"), TAUS, MIN_SUPPORTS):
        if support == "transition" and least == 1:
            continue  # the same as "context"
        row = losses.setdefault(f"{support}, tau {tau:g}, min_support {least}", {})
        for (data, task), seed in product(tasks.items(), seeds):
            options = {"support": support, "tau": tau, "min_support": least}
            model = rules(task.training_corpus(seed), criterion="divergence", **options)
            row.setdefault(data, []).append(next(task.judge(model, seed)).value)
    print_table(f"log_loss by options of extraction, seeds {list(seeds)}", losses, best=min, with_excess=True)


def print_table(
    title: str,
    rows: dict[str, Cells],
    digits: int = 3,
    best: Callable[[list[float]], float] | None = max,
    with_excess: bool = False,
) -> None:
    """Mean and standard deviation over seeds, the best of each data set in bold."""
    names = list(next(iter(rows.values())))
    means = {row: {name: float(np.mean(values)) for name, values in cells.items()} for row, cells in rows.items()}
    best_of = {name: best([row[name] for row in means.values()]) for name in names} if best else {}
    head = ["", *names, *(["above the best, mean %"] if with_excess else [])]
    print(f"\n**{title}**\n\n| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for row, cells in rows.items():
        shown = [row]
        for name in names:
            mean, deviation = means[row][name], float(np.std(cells[name]))
            text = f"{mean:,.{digits}f}" + (f" ± {deviation:.{digits}f}" if digits else "")
            shown.append(f"**{text}**" if mean == best_of.get(name) else text)
        if with_excess:
            shown.append(f"{100 * np.mean([means[row][name] / best_of[name] - 1 for name in names]):.1f}")
        print(f"| {' | '.join(shown)} |", flush=True)


def tell_speed(n_steps: int) -> None:
    corpus = planted_paths(n_steps=n_steps).corpus
    table = extract_rules(corpus, criterion="divergence")
    started = time.perf_counter()
    model = NextStep.of(table)
    built = time.perf_counter()
    model.score(corpus)
    scored = time.perf_counter()
    print(f"\nGenerated walks, {n_steps:,} steps, {table.n_rules:,} HON+ rules, one thread: the model ", end="")
    print(f"{built - started:.1f} s, probability and rank of every step {scored - built:.1f} s.")


if __name__ == "__main__":
    main()
