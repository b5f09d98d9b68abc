"""Updates against fits: what it costs to add one per cent of new paths.

    python benchmarks/update.py                     # all data sets, preset "evidence"
    python benchmarks/update.py --tuned lloyds      # a fit at defaults, which compares recipes
    python benchmarks/update.py --quick             # generated paths of 100,000 steps, to see that it runs

Data: lloyds and wikispeedia from the folder that HONEM_DATA names, and `planted_paths` of 10 million steps on 5,000
nodes. Two kinds of new paths, each 1 % as many as there are: random walks along observed steps among neighbouring
nodes, 1 % of all nodes ("few nodes"); and paths drawn from the data itself, which touch most nodes ("all nodes").
Times are the best of several, of warm kernels; fit and update are measured in turn in the same process. An update does
not tune and does not fit the next-step model; nor does the fit that it is compared with, unless `--tuned` is given.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from honem import HONEM, Corpus, ExtractionParams
from honem._internal.threads import available_cores
from honem.evaluation.datasets import planted_paths
from honem.evaluation.datasets.real import load_real
from honem.rules.engines.local import LocalEngine

SHARE = 0.01
GENERATED = "generated"
DATA = ("lloyds", "wikispeedia", GENERATED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", metavar="DATA", help="data sets (default: all)")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--tuned", action="store_true", help="compare with a fit at defaults")
    parser.add_argument("--rules-only", action="store_true", help="leave out vectors")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    command = " ".join(["python", "benchmarks/update.py", *sys.argv[1:]])
    print(f"`{command}`, Python {platform.python_version()}, NumPy {np.__version__}, {available_cores()} cores\n")
    corpora = {name: load(name, args.quick) for name in ([GENERATED] if args.quick else args.data or DATA)}
    added = {name: (few_nodes(corpus), drawn(corpus)) for name, corpus in corpora.items()}
    LocalEngine().extract_rules(planted_paths(100, 10_000).corpus, ExtractionParams())
    print("Rule extraction alone, and what a store keeps for updates\n")
    print("| data | steps | new paths | nodes touched | steps of these | extract | extend | ratio | bytes/step |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, corpus in corpora.items():
        for kind, new in zip(("few nodes", "all nodes"), added[name], strict=True):
            of_extraction(name, corpus, kind, new)
    if args.rules_only:
        return
    print(f"\nThe whole of `fit` ({'defaults' if args.tuned else 'preset evidence'}) and of `update`\n")
    print("| data | new paths | fit | update | ratio | of which rules |")
    print("|---|---|---|---|---|---|")
    for name, corpus in corpora.items():
        for kind, new in zip(("few nodes", "all nodes"), added[name], strict=True):
            of_model(name, corpus, kind, new, args.tuned)


def load(name: str, is_quick: bool) -> Corpus:
    if name == GENERATED:
        return planted_paths(n_steps=100_000 if is_quick else 10_000_000).corpus
    if "HONEM_DATA" not in os.environ:
        sys.exit("set HONEM_DATA to the folder of the data sets")
    corpus: Corpus = load_real(name).corpus
    return corpus


def few_nodes(corpus: Corpus) -> Corpus:
    """Random walks among one per cent of the nodes, which are neighbours of each other."""
    rng = np.random.default_rng(0)
    successors: dict[int, set[int]] = {}
    ends = np.zeros(len(corpus.tokens), np.bool_)
    ends[corpus.offsets[1:][corpus.lengths > 0] - 1] = True
    keys = np.unique((corpus.tokens[:-1].astype(np.int64) * corpus.n_nodes + corpus.tokens[1:])[~ends[:-1]])
    for a, b in zip((keys // corpus.n_nodes).tolist(), (keys % corpus.n_nodes).tolist(), strict=True):
        successors.setdefault(a, set()).add(b)
    size = max(round(SHARE * corpus.n_nodes), 2)
    chosen = [int(rng.choice(sorted(successors)))]
    while len(chosen) < size:
        near = sorted(successors.get(int(rng.choice(chosen)), set()) - set(chosen))
        chosen.append(int(rng.choice(near or sorted(set(successors) - set(chosen)))))
    inside = {node: sorted(successors.get(node, set()) & set(chosen)) for node in chosen}
    starts = [node for node in chosen if inside[node]]
    length = max(round(float(corpus.lengths.mean())), 2)
    walks = []
    for _ in range(round(SHARE * corpus.n_sequences)):
        walk = [int(rng.choice(starts))]
        while len(walk) < length and inside[walk[-1]]:
            walk.append(int(rng.choice(inside[walk[-1]])))
        walks.append([corpus.vocabulary[node] for node in walk])
    return Corpus.from_sequences(walks)


def drawn(corpus: Corpus) -> Corpus:
    """One per cent of the paths, again."""
    rng = np.random.default_rng(1)
    chosen = np.zeros(corpus.n_sequences, np.int64)
    chosen[rng.choice(corpus.n_sequences, round(SHARE * corpus.n_sequences), replace=False)] = 1
    return corpus.reweighted(chosen)


def of_extraction(name: str, corpus: Corpus, kind: str, new: Corpus) -> None:
    local, params = LocalEngine(), ExtractionParams()
    _, known = local.extend_rules(corpus, params)
    joined = corpus.joined(new)
    repeats = 2 if corpus.n_steps > 1_000_000 else 7
    extract, extend = in_turn(
        repeats, lambda: local.extract_rules(joined, params), lambda: local.extend_rules(joined, params, known)
    )
    touched = known.touched(joined)
    starts = np.bincount(joined.tokens, minlength=joined.n_nodes)
    print(
        f"| {name} | {corpus.n_steps:,} | {kind} | {touched.mean():.1%} | {starts[touched].sum() / starts.sum():.1%} "
        f"| {extract:.3f} s | {extend:.3f} s | {extend / extract:.2f} | {stored_bytes(corpus) / corpus.n_steps:.2f} |",
        flush=True,
    )


def stored_bytes(corpus: Corpus) -> int:
    """Size of the files of a store that only updates need."""
    with tempfile.TemporaryDirectory() as folder:
        HONEM(2, preset="evidence", solver="fast").fit(corpus).save(f"{folder}/model", with_next_step=False)
        files = [path for part in ("paths", "continuation") for path in Path(folder, "model").glob(f"{part}-*")]
        return sum(path.stat().st_size for path in files)


def of_model(name: str, corpus: Corpus, kind: str, new: Corpus, is_tuned: bool) -> None:
    def fitted(paths: Corpus) -> HONEM:
        return HONEM(128, preset=None if is_tuned else "evidence").fit(paths)

    joined = corpus.joined(new)
    model = fitted(corpus)
    state = dict(model.__dict__)

    def update() -> None:
        model.__dict__.clear()
        model.__dict__.update(state)
        model.update(new)

    fit, updated = in_turn(1 if is_tuned or corpus.n_steps > 1_000_000 else 3, lambda: fitted(joined), update)
    model.__dict__.clear()
    model.__dict__.update(state)
    engine, params = LocalEngine(), model.rules_.params
    (rules,) = in_turn(1, lambda: engine.extend_rules(joined, params, model._continuation))
    print(f"| {name} | {kind} | {fit:.2f} s | {updated:.2f} s | {updated / fit:.2f} | {rules:.3f} s |", flush=True)


def in_turn(repeats: int, *tasks: Callable[[], Any]) -> list[float]:
    """Return the best time of each task, measured in turn."""
    best = [np.inf] * len(tasks)
    for _ in range(repeats):
        for number, task in enumerate(tasks):
            started = time.perf_counter()
            task()
            best[number] = min(best[number], time.perf_counter() - started)
    return best


if __name__ == "__main__":
    main()
