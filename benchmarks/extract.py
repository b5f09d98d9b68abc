"""Extraction: speed and memory against the bars, against honyx, and their growth.

    python benchmarks/extract.py            # 1 and 10 million steps, about three minutes
    python benchmarks/extract.py --large    # 100 million steps as well, about five minutes more
    python benchmarks/extract.py --quick    # smaller everything, to see that it runs

Data: `planted_paths`, random walks of 51 nodes on a network of 5,000 nodes with 8 successors each and 500 planted
dependencies of each order from 2 to 5; default options unless said. Times are of warm kernels. Memory is measured in a
process of its own: the highest resident size during extraction less the one before it, per step.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from honem import Corpus, RuleTable, extract_rules
from honem._internal.threads import available_cores
from honem.evaluation.datasets import planted_paths
from honem.rules.criteria import CRITERIA


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--no-honyx", action="store_true", help="leave out the slow comparison")
    parser.add_argument("--measure", nargs=2, metavar=("FILE", "OPTIONS"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        measure(Path(args.measure[0]), json.loads(args.measure[1]))
        return
    million = 100_000 if args.quick else 1_000_000
    print(
        f"`{' '.join(['python', 'benchmarks/extract.py', *sys.argv[1:]])}`, Python {platform.python_version()}, ",
        end="",
    )
    print(f"NumPy {np.__version__}, {available_cores()} cores\n")
    load_kernels()

    corpora = {million: planted_paths(n_steps=million).corpus, 10 * million: planted_paths(n_steps=10 * million).corpus}
    if args.large:
        corpora[100 * million] = planted_paths(n_steps=100 * million).corpus
    for criterion in CRITERIA:
        growth_with_steps(corpora, criterion)
    if not args.no_honyx:
        against_honyx(corpora[million])
    growth_with_nodes(million)
    growth_with_max_order(corpora[million])
    growth_with_options(corpora[million])


def load_kernels() -> None:
    """Compile the kernels of every criterion, or load them from the cache."""
    for criterion in CRITERIA:
        extract_rules(planted_paths(100, 10_000).corpus, criterion=criterion)


def growth_with_steps(corpora: dict[int, Corpus], criterion: str) -> None:
    """Time, memory and their growth; the bars: 10 times the steps in at most 13 times the time, 32 bytes a step."""
    print(f'\n`criterion="{criterion}"`\n')
    print("| steps | seconds, all cores | steps/s | one thread | bytes/step | rules | time against 1/10 of the steps |")
    print("|---|---|---|---|---|---|---|")
    before = 0.0
    for steps, corpus in corpora.items():
        facts = measured_apart(corpus, {"criterion": criterion})
        single = measured_apart(corpus, {"criterion": criterion, "n_jobs": 1})
        ratio = f"{facts['seconds'] / before:.1f}" if before else "-"
        before = facts["seconds"]
        print(
            f"| {steps:,} | {facts['seconds']:.2f} | {steps / facts['seconds']:,.0f} | {single['seconds']:.2f} "
            f"| {facts['bytes'] / steps:.1f} | {facts['rules']:,} | {ratio} |",
            flush=True,
        )


def against_honyx(corpus: Corpus) -> None:
    """The bar: at least 100 times as fast, with the same accepted contexts where its options allow."""
    try:
        from honyx.models.saebi_von_model import SaebiVONModel
    except ImportError:
        print("\nhonyx is not installed (pip install honyx==0.1.1): comparison left out")
        return
    sequences = [list(sequence) for sequence in corpus.sequences()]
    started = time.perf_counter()
    model = SaebiVONModel(min_support=1)
    model.fit(sequences)
    theirs = time.perf_counter() - started
    started = time.perf_counter()
    table = extract_rules(corpus, criterion="divergence", lower_orders="hon")
    ours = time.perf_counter() - started
    found, expected = contexts_of(table), set(model.valid_contexts)
    print(f"\nhonyx 0.1.1, SaebiVONModel, {corpus.n_steps:,} steps: {theirs:.1f} s; ", end="")
    print(f'honem, lower_orders="hon": {ours:.2f} s; {theirs / ours:.0f} times as fast.')
    print(f"Contexts kept: honyx {len(expected):,}, honem {len(found):,}, ", end="")
    print(f"in both {len(found & expected):,}, only honyx {len(expected - found)}, only honem {len(found - expected)}.")


def growth_with_nodes(steps: int) -> None:
    print(f"\n| nodes ({steps:,} steps) | seconds | rules |\n|---|---|---|")
    for nodes in (100, 1000, 10_000, 100_000):
        facts = timed(planted_paths(n_nodes=nodes, n_steps=steps).corpus)
        print(f"| {nodes:,} | {facts['seconds']:.2f} | {facts['rules']:,} |", flush=True)


def growth_with_max_order(corpus: Corpus) -> None:
    print(f"\n| max_order ({corpus.n_steps:,} steps) | seconds | rules |\n|---|---|---|")
    for max_order in (1, 2, 3, 4, 5, None):
        facts = timed(corpus, max_order=max_order)
        print(f"| {max_order or 'no limit'} | {facts['seconds']:.2f} | {facts['rules']:,} |", flush=True)


def growth_with_options(corpus: Corpus) -> None:
    print(f"\n| options ({corpus.n_steps:,} steps) | seconds | rules |\n|---|---|---|")
    for options in (
        {},
        {"min_support": 10},
        {"lower_orders": "significant"},
        {"count": "sequences"},
        {"criterion": "divergence"},
        {"criterion": "divergence", "min_support": 10, "support": "transition"},
        {"criterion": "divergence", "lower_orders": "hon"},
        {"criterion": "divergence", "tau": 0.5},
    ):
        facts = timed(corpus, **options)
        shown = ", ".join(f"{name}={value!r}" for name, value in options.items()) or "defaults"
        print(f"| `{shown}` | {facts['seconds']:.2f} | {facts['rules']:,} |", flush=True)


def timed(corpus: Corpus, **options: Any) -> dict[str, Any]:
    started = time.perf_counter()
    table = extract_rules(corpus, **options)
    return {"seconds": time.perf_counter() - started, "rules": table.n_rules}


def measured_apart(corpus: Corpus, options: dict[str, Any]) -> dict[str, Any]:
    """Time and memory of one extraction in a process of its own, which begins with nothing but the corpus."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("tokens", "offsets", "weights"):
            np.save(Path(folder) / f"{name}.npy", getattr(corpus, name))
        command = [sys.executable, __file__, "--measure", folder, json.dumps(options)]
        result: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        return result


def measure(folder: Path, options: dict[str, Any]) -> None:
    """Print time and memory of one extraction, as JSON."""
    load_kernels()
    tokens, offsets = np.load(folder / "tokens.npy"), np.load(folder / "offsets.npy")
    corpus = Corpus.from_arrays(range(int(tokens.max()) + 1), tokens, np.diff(offsets), np.load(folder / "weights.npy"))
    del tokens, offsets
    Path("/proc/self/clear_refs").write_text("5")  # forget the highest resident size so far
    before = resident("VmRSS")
    facts = timed(corpus, **options)
    print(json.dumps(facts | {"bytes": resident("VmHWM") - before}))


def resident(field: str) -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(field + ":"))


def contexts_of(table: RuleTable) -> set[tuple[Any, ...]]:
    return {table.context(rule) for rule in range(table.n_rules)}


if __name__ == "__main__":
    main()
