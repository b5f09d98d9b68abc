"""Does each rule earn its place? honem's criterion and others on generated walks whose truth is known.

    python benchmarks/rules.py            # 10,000 to 1,000,000 steps, three seeds; about five minutes
    python benchmarks/rules.py --quick    # one seed, up to 100,000 steps, to see that it runs
    python benchmarks/rules.py --time     # instead: time and memory at 1 and 10 million steps
    HONEM_DATA=... python benchmarks/rules.py --real    # instead: real paths, and first-order surrogates of them

Planted walks: 500 nodes with 8 successors each, 100 planted contexts of each order from 2 to 4 after which the least
likely successor is drawn with the probability `strength`, sequences of 51 nodes. After any history the next step is
drawn from one of two known distributions, so the true distribution after a context is known up to the share of its
occurrences that complete a planted context. That share is 1 if a suffix of the context is planted, 0 if the context is
not a suffix of a planted one, and otherwise measured on 5 million other steps of the same walk.

The true distribution of a rule of order 2 or more is compared with that of its reference, the longest accepted context
that is a suffix of it. Precision is the share of rules that differ by at least 0.1 bits; the share that truly differs
counts all above 0.001 bits. Recall is the share of planted contexts that were accepted, among those that were seen at
least once and are not implied by a shorter one.

The other methods are in benchmarks/criteria.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from criteria.bic import by_bic
from criteria.counting import MAX_ORDER
from criteria.cross_validation import by_cross_validation
from criteria.g_test import by_g_test
from criteria.hypergeometric import by_hypergeometric_tests
from numpy.typing import NDArray

from honem import Corpus, RuleTable, extract_rules
from honem._internal.ragged import offsets_of, steps_of
from honem._internal.threads import available_cores
from honem.evaluation.baselines.ngrams import ngram_table
from honem.evaluation.datasets import REAL_DATA, load_real, planted_paths
from honem.evaluation.tasks.next_step import NextStepPrediction
from honem.prediction import RuleNextStep
from honem.rules.context_tree import ContextTree
from honem.rules.suffixes import longest_suffix_rules

N_NODES, OUT_DEGREE, SKEW, ORDERS, PER_ORDER = 500, 8, 0.6, (2, 3, 4), 100
SEQUENCE = 51
SIMULATED_STEPS = 5_000_000
RIGHT_BITS, DIFFERENT_BITS = 0.1, 0.001
BARS = {100_000: (0.99, 0.55), 1_000_000: (0.99, 0.83)}
"""With strength 0.9, by the number of steps: the least share that truly differs, and the least recall."""

N_RUNS, MOST_SECONDS, MOST_GIB = 2, 600, 16

Method = Callable[[Corpus], RuleTable]
"""Corpus -> the accepted rules."""


def by_honem(**options: Any) -> Method:
    """Return what `extract_rules` accepts with some options, at any order."""

    def accepted(corpus: Corpus) -> RuleTable:
        table = extract_rules(corpus, **options)
        return table.select(table.accepted)

    return accepted


OURS = "significance, alpha 0.05"
METHODS: dict[str, Method] = {
    OURS: by_honem(),
    "significance, alpha 0.5": by_honem(alpha=0.5),
    **{f"HON+, tau {tau:g}": by_honem(criterion="divergence", tau=tau) for tau in (1.0, 2.0, 3.0)},
    "G-test, Benjamini-Hochberg": by_g_test,
    "hypergeometric tests": by_hypergeometric_tests,
    "context tree, BIC": by_bic,
    "4-fold cross-validation": by_cross_validation,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--measure", nargs=2, metavar=("METHOD", "STEPS"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        measure(args.measure[0], int(args.measure[1]))
        return
    command = " ".join(["python benchmarks/rules.py", *sys.argv[1:]])
    print(f"`{command}`, Python {platform.python_version()}, NumPy {np.__version__}, {available_cores()} cores")
    print(f"Methods other than significance and HON+ consider orders up to {MAX_ORDER}.")
    if args.time:
        compare_times((100_000, 1_000_000) if args.quick else (1_000_000, 10_000_000))
        return
    if args.real:
        use_real_paths((10,) if args.quick else (10, 11, 12))
        return
    sizes, seeds = ((10_000, 100_000), (0,)) if args.quick else ((10_000, 100_000, 1_000_000), (0, 1, 2))
    print(f"Mean of seeds {list(seeds)}.")
    for strength in (0.9, 0.5):
        judge_planted(strength, sizes, seeds)
    count_false(sizes, seeds)


class Judgement(NamedTuple):
    """Number of accepted rules of order 2 or more and how good they are; shares of no rules are NaN."""

    rules: float
    precision: float
    differing: float
    recall: float


@dataclass(frozen=True, eq=False)
class Truth:
    """The true distributions of the walks of one seed and strength, of any number of steps."""

    strength: float
    seed: int

    def walks(self, n_steps: int) -> Any:
        return planted_paths(
            N_NODES, n_steps, orders=ORDERS, contexts_per_order=PER_ORDER, length=SEQUENCE, out_degree=OUT_DEGREE,
            skew=SKEW, strength=self.strength, seed=self.seed,
        )  # fmt: skip

    @cached_property
    def simulated(self) -> Any:
        return self.walks(SIMULATED_STEPS)

    @cached_property
    def planted(self) -> dict[int, NDArray[np.int64]]:
        """By order, the keys of planted contexts."""
        contexts = self.simulated.contexts
        return {k: np.sort(np.array([key(c) for c in contexts if len(c) == k], np.int64)) for k in ORDERS}

    @cached_property
    def measured(self) -> dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """By order, contexts that are proper suffixes of planted ones, and how often they complete a planted one."""
        corpus = self.simulated.corpus
        nodes = np.array(corpus.vocabulary.labels, np.int64)[corpus.tokens]
        ends, lengths = steps_of(corpus.lengths)
        completes = np.zeros(len(ends), np.bool_)
        by_order = {}
        for order in range(1, max(ORDERS) + 1):
            keys = sum(nodes[np.maximum(ends - back, 0)] * N_NODES ** (back - 1) for back in range(1, order + 1))
            by_order[order] = np.where(lengths >= order, keys, -1)
            completes |= np.isin(by_order[order], self.planted.get(order, []))
        return {order: self._shares(order, keys, completes) for order, keys in by_order.items()}

    def _shares(
        self, order: int, keys: NDArray[np.int64], completes: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        suffixes = [key(c[-order:]) for c in self.simulated.contexts if len(c) > order]
        among = np.isin(keys, suffixes)
        seen, place = np.unique(keys[among], return_inverse=True)
        return seen, np.bincount(place, weights=completes[among]) / np.maximum(np.bincount(place), 1)

    def shares(self, table: RuleTable) -> NDArray[np.float64]:
        """Return the share of the occurrences of each rule's context that complete a planted context."""
        shares = np.zeros(table.n_rules)
        for order in range(1, table.max_order + 1):
            keys = keys_of(table, order)
            known, share = self.measured.get(order, (np.zeros(0, np.int64), np.zeros(0)))
            places = np.searchsorted(known, keys)
            is_known = np.isin(keys, known)
            found = np.zeros(len(keys))
            found[is_known] = share[places[is_known]]
            found[self._has_planted_suffix(keys, order)] = 1.0
            shares[table.order_slice(order)] = found
        return shares

    def _has_planted_suffix(self, keys: NDArray[np.int64], longest: int) -> NDArray[np.bool_]:
        """Return whether the last nodes, up to `longest` of them, are a planted context."""
        found = np.zeros(len(keys), np.bool_)
        for order in (order for order in ORDERS if order <= longest):
            found |= np.isin(keys % N_NODES**order, self.planted[order])
        return found

    def wanted(self, corpus: Corpus) -> dict[int, NDArray[np.int64]]:
        """Return the planted contexts that were seen and that no shorter planted context implies, by order."""
        table = ngram_table(corpus, max(ORDERS))
        seen = {order: np.intersect1d(self.planted[order], keys_of(table, order)) for order in ORDERS}
        return {order: keys[~self._has_planted_suffix(keys, order - 1)] for order, keys in seen.items()}

    def judge(self, found: RuleTable, wanted: dict[int, NDArray[np.int64]]) -> Judgement:
        """Compare the accepted rules with the truth."""
        references, shares = longest_suffix_rules(found, ContextTree.of(found)), self.shares(found)
        longer = found.orders > 1
        bits = divergence(shares[longer], shares[references[longer]], self.strength)
        hits = sum(np.isin(keys, keys_of(found, order)).sum() for order, keys in wanted.items())
        precision, differing = (
            float(np.mean(are_so)) if len(bits) else float("nan")
            for are_so in (bits >= RIGHT_BITS, bits > DIFFERENT_BITS)
        )
        return Judgement(len(bits), precision, differing, float(hits / sum(map(len, wanted.values()))))


def key(context: tuple[int, ...]) -> int:
    """Return a context as one number, in which that of each suffix is a remainder."""
    return sum(node * N_NODES**back for back, node in enumerate(reversed(context)))


def keys_of(table: RuleTable, order: int) -> NDArray[np.int64]:
    """Return the keys of the contexts of one order; of longer ones, of as many of the last nodes as can be planted."""
    contexts = np.array(table.vocabulary.labels, np.int64)[table.contexts(order)][:, -max(ORDERS) :]
    return contexts @ N_NODES ** np.arange(contexts.shape[1])[::-1]


def divergence(own: NDArray[Any], other: NDArray[Any], strength: float) -> NDArray[np.float64]:
    """Return the divergence in bits between true distributions, given how often they follow a planted context."""
    usual = SKEW ** np.arange(OUT_DEGREE)
    usual /= usual.sum()
    planted = (1 - strength) * usual + strength * (np.arange(OUT_DEGREE) == OUT_DEGREE - 1)
    mine, theirs = (share[:, None] * planted + (1 - share[:, None]) * usual for share in (own, other))
    bits: NDArray[np.float64] = (mine * np.log2(mine / theirs)).sum(axis=1)
    return bits


def judge_planted(strength: float, sizes: tuple[int, ...], seeds: tuple[int, ...]) -> None:
    """Print how good the accepted rules are, and whether the bars are met."""
    found: dict[tuple[str, int], list[Judgement]] = {}
    for seed in seeds:
        truth = Truth(strength, seed)
        for size in sizes:
            corpus = truth.walks(size).corpus
            wanted = truth.wanted(corpus)
            for name, method in METHODS.items():
                found.setdefault((name, size), []).append(truth.judge(method(corpus), wanted))
    means = {cell: Judgement(*map(mean_of, zip(*judged, strict=True))) for cell, judged in found.items()}
    print_table(
        f"Planted walks, strength {strength:g}: rules / precision / share that truly differs / recall",
        [f"{size:,} steps" for size in sizes],
        {
            name: [
                f"{amount(mean.rules)} / {' / '.join(map(shown, mean[1:]))}"
                for mean in (means[name, size] for size in sizes)
            ]
            for name in METHODS
        },
    )
    if strength == 0.9:
        for size, (differing, recall) in BARS.items():
            if size in sizes:
                mean = means[OURS, size]
                print(
                    f"\nBar at {size:,} steps: {mean.differing:.1%} truly differ (at least {differing:.0%}), "
                    f"recall {mean.recall:.3f} (at least {recall}): "
                    f"{'met' if mean.differing >= differing and mean.recall >= recall else 'missed'}."
                )


def mean_of(values: Any) -> float:
    """Return the mean of those that are not NaN, or NaN."""
    known = [value for value in values if value == value]
    return float(np.mean(known)) if known else float("nan")


def shown(value: float) -> str:
    return f"{value:.2f}" if value == value else "-"


def amount(mean: float) -> str:
    """Format a mean number of rules."""
    return f"{mean:,.0f}" if mean >= 10 else f"{mean:.2g}"


def independent(n_nodes: int) -> Callable[[int, int], Corpus]:
    """Return a generator of independent steps; node i has a probability proportional to 1 / (i + 1)."""

    def generate(n_steps: int, seed: int) -> Corpus:
        chances = 1 / np.arange(1, n_nodes + 1)
        n_sequences = n_steps // (SEQUENCE - 1)
        nodes = np.random.default_rng(seed).choice(n_nodes, n_sequences * SEQUENCE, p=chances / chances.sum())
        return Corpus.from_arrays(range(n_nodes), nodes, np.full(n_sequences, SEQUENCE))

    return generate


def first_order(n_steps: int, seed: int) -> Corpus:
    return planted_paths(
        N_NODES, n_steps, orders=(), length=SEQUENCE, out_degree=OUT_DEGREE, skew=SKEW, seed=seed
    ).corpus


WITHOUT_MEMORY: dict[str, Callable[[int, int], Corpus]] = {
    "first-order walks on 500 nodes": first_order,
    "independent draws of 5 nodes": independent(5),
    "independent draws of 100 nodes": independent(100),
}


def count_false(sizes: tuple[int, ...], seeds: tuple[int, ...]) -> None:
    """Print how many rules of order 2 or more are accepted where all of them are false."""
    counts: dict[str, list[str]] = {name: [] for name in METHODS}
    for generate in WITHOUT_MEMORY.values():
        corpora = [[generate(size, seed) for seed in seeds] for size in sizes]
        for name, method in METHODS.items():
            means = [np.mean([n_longer(method(corpus)) for corpus in of_size]) for of_size in corpora]
            counts[name].append(" / ".join(amount(float(mean)) for mean in means))
    steps = " / ".join(f"{size:,}" for size in sizes)
    print_table(f"False rules on data without memory: {steps} steps", list(WITHOUT_MEMORY), counts)


def n_longer(accepted: RuleTable) -> int:
    """Return the number of rules of order 2 or more."""
    return int((accepted.orders > 1).sum())


def use_real_paths(seeds: tuple[int, ...]) -> None:
    """Print the held-out log-loss of the accepted rules alone, and the rules of first-order surrogates."""
    losses: dict[str, list[str]] = {name: [] for name in ["first order only", *METHODS]}
    counts: dict[str, list[str]] = {name: [] for name in METHODS}
    for dataset in REAL_DATA:
        data = load_real(dataset)
        corpus = data.corpus
        task = NextStepPrediction(corpus, data.name, distinct=data.hold_out_distinct)
        methods = {"first order only": by_honem(max_order=1), **METHODS}
        for name, method in methods.items():
            models = {seed: RuleNextStep.of(method(task.training_corpus(seed))) for seed in seeds}
            loss = np.mean([next(task.judge(model, seed)).value for seed, model in models.items()])
            losses[name].append(f"{loss:.3f}")
        surrogates = [first_order_surrogate(corpus, seed) for seed in seeds]
        for name, method in METHODS.items():
            false = float(np.mean([n_longer(method(surrogate)) for surrogate in surrogates]))
            counts[name].append(f"{n_longer(method(corpus)):,} / {amount(false)}")
    print_table(f"Held-out log-loss in bits per step, mean of seeds {list(seeds)}", list(REAL_DATA), losses)
    title = f"Rules of order 2 or more: real paths / first-order surrogate, mean of seeds {list(seeds)}"
    print_table(title, list(REAL_DATA), counts)


def first_order_surrogate(corpus: Corpus, seed: int) -> Corpus:
    """Simulate a first-order chain with the transition counts, first nodes and lengths of a corpus.

    A sequence ends early at a node without successors. A sequence of weight w becomes w sequences.
    """
    random = np.random.default_rng(seed)
    ends, _ = steps_of(corpus.lengths)
    sources, weights = corpus.tokens[ends - 1], np.repeat(corpus.weights, np.maximum(corpus.lengths - 1, 0))
    by_source = np.argsort(sources, kind="stable")
    targets, until = corpus.tokens[ends][by_source], np.cumsum(weights[by_source])
    edges = offsets_of(np.bincount(sources, weights=weights, minlength=corpus.n_nodes).astype(np.int64))
    lengths = np.repeat(corpus.lengths, corpus.weights)
    starts = offsets_of(lengths)[:-1]
    tokens = np.full(int(lengths.sum()), -1, np.int32)
    tokens[starts] = np.repeat(corpus.tokens[corpus.offsets[:-1]], corpus.weights)
    walkers = np.arange(len(lengths))
    for step in range(1, int(lengths.max())):
        nodes = tokens[starts[walkers] + step - 1]
        goes_on = (lengths[walkers] > step) & (edges[nodes] < edges[nodes + 1])
        walkers, nodes = walkers[goes_on], nodes[goes_on]
        drawn = random.integers(edges[nodes], edges[nodes + 1])
        tokens[starts[walkers] + step] = targets[np.searchsorted(until, drawn, side="right")]
    lengths = np.add.reduceat(tokens >= 0, starts)
    return Corpus.from_arrays(corpus.vocabulary.labels, tokens[tokens >= 0], lengths)


TIMED: dict[str, Method] = {**METHODS, f"{OURS}, one thread": by_honem(n_jobs=1)}


def compare_times(sizes: tuple[int, ...]) -> None:
    """Print time and memory of each method, with the times as multiples of honem's criterion in the same run."""
    names = [OURS, f"{OURS}, one thread", *(name for name in METHODS if not name.startswith("significance"))]
    cells: dict[str, list[str]] = {name: [] for name in names}
    for size in sizes:
        runs: dict[str, list[dict[str, float]]] = {name: [] for name in names}
        for _, name in product(range(N_RUNS), names):
            facts = measured_apart(name, size)
            if facts is not None:
                runs[name].append(facts)
        ours = least(runs[OURS])
        for name in names:
            if runs[name]:
                own = least(runs[name])
                ratios = [f"{own[of] / ours[of]:.1f}" for of in ("seconds", "cpu")]
                cells[name].append(f"{own['seconds']:.2f} / {' / '.join(ratios)} / {own['bytes'] / 2**30:.2f}")
            else:
                cells[name].append(f"more than {MOST_SECONDS} s or {MOST_GIB} GiB")
    title = "Seconds / ratio to the first row / the same for processor time / additional memory in GiB"
    print_table(title, [f"{size:,} steps" for size in sizes], cells)


def least(runs: list[dict[str, float]]) -> dict[str, float]:
    """Return the least of each quantity: what other processes cost is not the method's."""
    return {of: min(run[of] for run in runs) for of in runs[0]}


def measured_apart(name: str, n_steps: int) -> dict[str, float] | None:
    """Return time and memory in a process of its own, or None if it takes too much of either."""
    command = [sys.executable, __file__, "--measure", name, str(n_steps)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=MOST_SECONDS + 120)
    except subprocess.TimeoutExpired:
        return None
    facts: dict[str, float] | None = json.loads(done.stdout) if done.returncode == 0 else None
    return facts if facts is not None and facts["seconds"] <= MOST_SECONDS else None


def measure(name: str, n_steps: int) -> None:
    """Print time and memory of one method with warm kernels, as JSON."""
    method, truth = TIMED[name], Truth(0.9, 0)
    method(truth.walks(10_000).corpus)
    corpus = truth.walks(n_steps).corpus
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_GIB * 2**30, MOST_GIB * 2**30))
    Path("/proc/self/clear_refs").write_text("5")  # forget the highest resident size so far
    before = resident("VmRSS")
    started, cpu_started = time.perf_counter(), time.process_time()
    method(corpus)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_started
    print(json.dumps({"seconds": seconds, "cpu": cpu, "bytes": resident("VmHWM") - before}))


def resident(field: str) -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(field + ":"))


def print_table(title: str, columns: list[str], rows: dict[str, list[str]]) -> None:
    print(f"\n**{title}**\n\n| | {' | '.join(columns)} |\n{'|---' * (len(columns) + 1)}|")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
