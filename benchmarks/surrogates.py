"""How many rules does data without higher-order memory yield?

    HONEM_DATA=... python benchmarks/surrogates.py            # ten seeds, some minutes
    HONEM_DATA=... python benchmarks/surrogates.py --quick    # one seed

A surrogate of order N is simulated from the transitions of order N of a data set, so all its rules of a higher order
are false. `honem info PATHS --surrogate N` does the same for any data. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from honem import Corpus, extract_rules
from honem.evaluation.datasets import REAL_DATA, load_real, markov_surrogate, planted_paths

SHOWN_ORDERS = (2, 3, 4, 5, 6)
WITH_SECOND_ORDER = ("lloyds", "shenzhen", "us_flights")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    seeds = range(1 if args.quick else 10)
    command = " ".join(["python benchmarks/surrogates.py", *sys.argv[1:]])
    print(f"`HONEM_DATA=... {command}`, Python {platform.python_version()}, seeds {list(seeds)}\n")
    corpora = {name: load_real(name).corpus for name in REAL_DATA}
    without_memory(corpora, seeds)
    second_order({name: corpora[name] for name in WITH_SECOND_ORDER}, seeds)


def accepted_by_order(corpus: Corpus, criterion: str) -> dict[int, int]:
    """The number of accepted rules of each order from 2."""
    rules = extract_rules(corpus, criterion=criterion)
    orders, amounts = np.unique(rules.orders[rules.accepted & (rules.orders > 1)], return_counts=True)
    return dict(zip(orders.tolist(), amounts.tolist(), strict=True))


def without_memory(corpora: Mapping[str, Corpus], seeds: Sequence[int]) -> None:
    """Rules of order 2 or more in the data, and in surrogates of order 1, where all of them are false."""
    rows = []
    for name, corpus in corpora.items():
        surrogates = [markov_surrogate(corpus, 1, seed) for seed in seeds]
        rows.append([name, *counted(corpus, surrogates)])
    walks = [planted_paths(500, 100_000, orders=(), out_degree=8, seed=seed).corpus for seed in seeds]
    rows.append(["generated first-order walks, 500 nodes", "", *counted(None, walks)])
    head = ["data", "rules, trusted", "first-order contexts", "false, trusted: all seeds", "false, HON+: first seed"]
    print_table(head, rows)


def counted(corpus: Corpus | None, surrogates: Sequence[Corpus]) -> list[str]:
    """Cells: accepted in the data if given; contexts of order 1; false rules of all seeds, and of HON+ in the first."""
    false = [sum(accepted_by_order(surrogate, "significance").values()) for surrogate in surrogates]
    paper = sum(accepted_by_order(surrogates[0], "divergence").values())
    own = [] if corpus is None else [f"{sum(accepted_by_order(corpus, 'significance').values()):,}"]
    return [*own, f"{len(np.unique(surrogates[0].tokens)):,}", " ".join(map(str, false)), f"{paper:,}"]


def second_order(corpora: Mapping[str, Corpus], seeds: Sequence[int]) -> None:
    """Rules by order in the data, and in surrogates of order 2, where rules of order 3 or more are false."""
    rows = []
    for name, corpus in corpora.items():
        rows.append([f"{name}, trusted", *cells([accepted_by_order(corpus, "significance")])])
        surrogates = [markov_surrogate(corpus, 2, seed) for seed in seeds]
        found = [accepted_by_order(surrogate, "significance") for surrogate in surrogates]
        rows.append(["order-2 surrogates, trusted (mean)", *cells(found)])
        worst = max(sum(amount for order, amount in by_order.items() if order > 2) for by_order in found)
        rows.append(["- most false rules in one of them", "", str(worst), *[""] * (len(SHOWN_ORDERS) - 2)])
        rows.append(["order-2 surrogate, HON+", *cells([accepted_by_order(surrogates[0], "divergence")])])
    print()
    print_table(["rules of order", *map(str, SHOWN_ORDERS)], rows)


def cells(found: Iterable[Mapping[int, int]]) -> list[str]:
    """The mean number of rules of each order shown."""
    found = list(found)
    means = [np.mean([by_order.get(order, 0) for by_order in found]) for order in SHOWN_ORDERS]
    return [f"{mean:,.1f}" if mean % 1 else f"{mean:,.0f}" for mean in means]


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
