"""Does each rule earn its place? Precision and recall of extraction on generated walks whose truth is known.

    python benchmarks/rules.py            # 10,000 to 1,000,000 steps, three seeds; some minutes
    python benchmarks/rules.py --quick    # one seed, up to 100,000 steps, to see that it runs
    HONEM_DATA=... python benchmarks/rules.py --real    # instead: how well the accepted rules foretell real steps

Planted walks: 500 nodes with 8 successors each, 100 planted contexts of each order from 2 to 4 after which the least
likely successor is taken with the probability `strength`, sequences of 51 nodes. After any history the next step is
drawn from one of two known distributions, so what a context truly says is known up to the share of its occurrences
that complete a planted context; that share is 1 if a suffix of it is planted, 0 if it is no suffix of a planted one,
and else measured on 5 million other steps of the same walk.

A rule of order 2 or more is right if what its context truly says differs by at least 0.1 bits from what its reference
truly says, the longest accepted context that is a suffix of it. So a planted context is right; an extension of one
that was accepted is not, for it says the same; a suffix of one, or a sibling, may be. Recall: the share of planted
contexts seen at least once (and not already implied by a shorter one) that were accepted.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, false_discovery_control

from honem import Corpus, RuleTable, extract_rules
from honem._internal.ragged import steps_of
from honem.evaluation.baselines.ngrams import ngram_table
from honem.evaluation.datasets import REAL_DATA, load_real, planted_paths
from honem.evaluation.tasks.next_step import NextStepPrediction
from honem.prediction import NextStep
from honem.prediction.next_step import longest_suffix_rules
from honem.rules.context_tree import ContextTree

N_NODES, OUT_DEGREE, SKEW, ORDERS, PER_ORDER = 500, 8, 0.6, (2, 3, 4), 100
TAUS, MIN_SUPPORTS = (0.5, 1.0, 2.0, 3.0), (1, 2, 3, 5, 10, 20)
SIMULATED_STEPS = 5_000_000
RIGHT_BITS = 0.1
FALSE_DISCOVERY_RATE = 0.05
SEQUENCE = 51

Accepted = Callable[[Corpus, int], RuleTable]
"""Corpus and min_support -> the accepted rules."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--real", action="store_true")
    args = parser.parse_args()
    if args.real:
        foretell((10,) if args.quick else (10, 11, 12))
        return
    sizes, seeds = ((10_000, 100_000), (0,)) if args.quick else ((10_000, 100_000, 1_000_000), (0, 1, 2))
    command = " ".join(["python benchmarks/rules.py", *sys.argv[1:]])
    print(f"`{command}`, Python {platform.python_version()}, NumPy {np.__version__}, seeds {list(seeds)}")
    print(f"Each cell: {' / '.join(f'{size:,}' for size in sizes)} steps.")
    for strength in (0.9, 0.5):
        judge_planted(strength, sizes, seeds)
    for name, generate in NOTHING_TO_FIND.items():
        count_false(name, generate, sizes, seeds)


def by_threshold(tau: float, support: str) -> Accepted:
    """honem's rule: the divergence exceeds tau * order / log2(1 + support)."""

    def accepted(corpus: Corpus, min_support: int) -> RuleTable:
        table = extract_rules(corpus, tau=tau, support=support, min_support=min_support)
        return table.select(table.accepted)

    return accepted


def by_false_discovery_rate(corpus: Corpus, min_support: int) -> RuleTable:
    """A G-test of each context against its reference, Benjamini-Hochberg among all of an order, up to order 5."""
    table = ngram_table(corpus, 5)
    table = table.select((table.orders == 1) | (table.supports >= min_support))
    keys = table.rule_of_row * len(table.vocabulary) + table.targets
    parents = longest_suffix_rules(table, ContextTree.of(table))
    references = np.arange(table.n_rules)
    degrees = np.diff(table.target_offsets) - 1
    for order in range(2, table.max_order + 1):
        rules = table.order_slice(order)
        reference = references[parents[rules]]
        rows = slice(table.target_offsets[rules.start], table.target_offsets[rules.stop])
        reference_of_row = reference[table.rule_of_row[rows] - rules.start]
        expected = table.probabilities[
            np.searchsorted(keys, reference_of_row * len(table.vocabulary) + table.targets[rows])
        ]
        surprise = 2 * table.counts[rows] * np.log(table.probabilities[rows] / expected)
        statistic = np.add.reduceat(surprise, table.target_offsets[rules] - rows.start)
        chance = np.where(degrees[reference] > 0, chi2.sf(statistic, np.maximum(degrees[reference], 1)), 1.0)
        is_accepted = false_discovery_control(chance) < FALSE_DISCOVERY_RATE
        references[rules] = np.where(is_accepted, np.arange(rules.start, rules.stop), reference)
    return table.select(references == np.arange(table.n_rules))


METHODS: dict[str, Accepted] = {
    **{
        f"{support}, tau {tau:g}": by_threshold(tau, support)
        for support, tau in product(("context", "transition"), TAUS)
    },
    f"G-test, false discovery rate {FALSE_DISCOVERY_RATE:g}": by_false_discovery_rate,
}

ON_REAL_DATA = [name for name in METHODS if name.startswith(("context", "G-test")) and name != "context, tau 3"]


@dataclass(frozen=True, eq=False)
class Truth:
    """What walks of one seed and strength really do, whatever their number."""

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
        """How often, after the context of each rule, the walk follows what was planted."""
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
        """Whether the last nodes, up to `longest` of them, are a planted context."""
        found = np.zeros(len(keys), np.bool_)
        for order in (order for order in ORDERS if order <= longest):
            found |= np.isin(keys % N_NODES**order, self.planted[order])
        return found

    def wanted(self, corpus: Corpus) -> dict[int, NDArray[np.int64]]:
        """The planted contexts that were seen and that no shorter planted context implies, by order."""
        table = ngram_table(corpus, max(ORDERS))
        seen = {order: np.intersect1d(self.planted[order], keys_of(table, order)) for order in ORDERS}
        return {order: keys[~self._has_planted_suffix(keys, order - 1)] for order, keys in seen.items()}

    def judge(self, found: RuleTable, wanted: dict[int, NDArray[np.int64]]) -> tuple[float, float]:
        """Precision (nan where nothing was accepted) and recall of accepted rules."""
        references, shares = longest_suffix_rules(found, ContextTree.of(found)), self.shares(found)
        longer = found.orders > 1
        right = divergence(shares[longer], shares[references[longer]], self.strength) >= RIGHT_BITS
        hits = sum(np.isin(keys, keys_of(found, order)).sum() for order, keys in wanted.items())
        precision = float(right.mean()) if len(right) else float("nan")
        return precision, float(hits / sum(map(len, wanted.values())))


def key(context: tuple[int, ...]) -> int:
    """A context as one number, in which that of each suffix is a remainder."""
    return sum(node * N_NODES**back for back, node in enumerate(reversed(context)))


def keys_of(table: RuleTable, order: int) -> NDArray[np.int64]:
    """The keys of the contexts of one order; of longer ones, of as many of the last nodes as can be planted."""
    contexts = np.array(table.vocabulary.labels, np.int64)[table.contexts(order)][:, -max(ORDERS) :]
    return contexts @ N_NODES ** np.arange(contexts.shape[1])[::-1]


def divergence(own: NDArray[Any], other: NDArray[Any], strength: float) -> NDArray[np.float64]:
    """Bits between what contexts truly say, of which these shares follow what was planted."""
    usual = SKEW ** np.arange(OUT_DEGREE)
    usual /= usual.sum()
    planted = (1 - strength) * usual + strength * (np.arange(OUT_DEGREE) == OUT_DEGREE - 1)
    mine, theirs = (share[:, None] * planted + (1 - share[:, None]) * usual for share in (own, other))
    bits: NDArray[np.float64] = (mine * np.log2(mine / theirs)).sum(axis=1)
    return bits


def judge_planted(strength: float, sizes: tuple[int, ...], seeds: tuple[int, ...]) -> None:
    found: dict[tuple[str, int], list[list[tuple[float, float]]]] = {}
    for seed in seeds:
        truth = Truth(strength, seed)
        for place, size in enumerate(sizes):
            corpus = truth.walks(size).corpus
            wanted = truth.wanted(corpus)
            for name, least in product(METHODS, MIN_SUPPORTS):
                judged = truth.judge(METHODS[name](corpus, least), wanted)
                found.setdefault((name, least), [[] for _ in sizes])[place].append(judged)
    means = {cell: [mean_of(values) for values in by_size] for cell, by_size in found.items()}
    for title, value in (("F1", harmonic_mean), ("Precision", lambda p, r: p), ("Recall", lambda p, r: r)):
        cells = {cell: " / ".join(shown(value(*pair)) for pair in pairs) for cell, pairs in means.items()}
        print_table(f"{title}, planted with strength {strength:g}", cells)


def mean_of(judged: list[tuple[float, float]]) -> tuple[float, float]:
    """Over the seeds; precision over those where something was accepted."""
    precisions = [precision for precision, _ in judged if precision == precision]
    return float(np.mean(precisions)) if precisions else float("nan"), float(np.mean([recall for _, recall in judged]))


def shown(value: float) -> str:
    return f"{value:.2f}" if value == value else "-"


def harmonic_mean(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def independent(n_nodes: int) -> Callable[[int, int], Corpus]:
    """Every step drawn by itself, node i with a probability proportional to 1 / (i + 1)."""

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


NOTHING_TO_FIND: dict[str, Callable[[int, int], Corpus]] = {
    "first-order walks on 500 nodes": first_order,
    "independent draws of 5 nodes": independent(5),
    "independent draws of 100 nodes": independent(100),
}


def count_false(
    name: str, generate: Callable[[int, int], Corpus], sizes: tuple[int, ...], seeds: tuple[int, ...]
) -> None:
    corpora = [[generate(size, seed) for seed in seeds] for size in sizes]
    cells = {}
    for method, least in product(METHODS, MIN_SUPPORTS):
        rates = [
            np.mean([100_000 * false_rules(METHODS[method](corpus, least)) / corpus.n_steps for corpus in of_size])
            for of_size in corpora
        ]
        cells[method, least] = " / ".join(f"{rate:,.0f}" for rate in rates)
    print_table(f"False rules per 100,000 steps: {name}", cells)


def false_rules(accepted: RuleTable) -> int:
    return int((accepted.orders > 1).sum())


def foretell(seeds: tuple[int, ...]) -> None:
    """Held-out log-loss of the accepted rules alone, without the lower orders that are kept beside them."""
    print(f"`HONEM_DATA=... {' '.join(['python benchmarks/rules.py', *sys.argv[1:]])}`, seeds {list(seeds)}")
    for data in REAL_DATA:
        task = NextStepPrediction(load_real(data).corpus, data)
        losses: dict[tuple[str, int], list[float]] = {}
        for seed, name, least in product(seeds, ON_REAL_DATA, MIN_SUPPORTS):
            model = NextStep.of(METHODS[name](task.training_corpus(seed), least))
            losses.setdefault((name, least), []).append(next(task.judge(model, seed)).value)
        print_table(f"Bits a step, {data}", {cell: f"{np.mean(values):.3f}" for cell, values in losses.items()})


def print_table(title: str, cells: dict[tuple[str, int], str]) -> None:
    print(
        f"\n**{title}**\n\n| min_support | {' | '.join(map(str, MIN_SUPPORTS))} |\n{'|---' * (len(MIN_SUPPORTS) + 1)}|"
    )
    for method in dict.fromkeys(method for method, _ in cells):
        print(f"| {method} | {' | '.join(cells[method, least] for least in MIN_SUPPORTS)} |", flush=True)


if __name__ == "__main__":
    main()
