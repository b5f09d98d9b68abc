"""What `honem reproduce` computes: data sets, methods, dimensions and seeds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from honem.errors import ParameterError
from honem.evaluation.baselines import Node2Vec
from honem.evaluation.chosen_method import ChosenMethod, family_of, parse_method
from honem.evaluation.datasets import city_trips, planted_paths
from honem.evaluation.datasets.real import REAL_DATA, RealData, available, load_real, low_or_high, visits

FULL_METHODS = (
    "honem",
    "honem:preset=paper",
    "first-order",
    "popularity",
    "l3",
    "l3:evidence=False",
    "adamic-adar",
    "resource-allocation",
    "ease",
    "deepwalk",
    "deepwalk:directed=False",
    *(f"node2vec:p={p},q={q},directed=False" for p in (0.5, 1.0, 2.0) for q in (0.5, 1.0, 2.0)),
    "line",
    "graph-factorization",
    "graph-factorization:directed=False",
    "laplacian",
    "grarep",
    "grarep:directed=False",
    "netmf",
    "hope",
    "lle",
    *(f"ppmi-paths:window={window},directed={directed}" for window in (2, 5) for directed in (True, False)),
    "item2vec",
    # A higher-order network has many times the nodes, on us_flights 330 times: one walk from each can be afforded.
    *(f"hon-pool:pool='{pool}',method_options={{'walks_per_node':1}}" for pool in ("max", "mean", "weighted")),
)
QUICK_METHODS = (
    "honem",
    "honem:preset=paper",
    "first-order",
    "popularity",
    "l3",
    "adamic-adar",
    "resource-allocation",
    "ease",
    "deepwalk:directed=False",
    "node2vec:directed=False",
    "line",
    "graph-factorization",
    "laplacian",
    "grarep",
    "hope",
    "ppmi-paths:directed=False",
    "item2vec",
)


@dataclass(frozen=True)
class Plan:
    """The data sets, methods, dimensions and seeds of a run."""

    methods: tuple[ChosenMethod, ...]
    dimensions: tuple[int, ...] = (4, 8, 16, 32, 64, 128, 256)
    dimension: int = 128
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    repeats: int = 2
    timings: int = 3
    data: tuple[RealData, ...] = field(default_factory=tuple)
    is_generated: bool = False
    fewer_seeds: Mapping[str, int] = field(default_factory=dict)
    """Numbers of seeds of methods that are too slow for all of them, by name without options."""

    def seeds_of(self, method: str) -> tuple[int, ...]:
        """Return the seeds of a method, given with its options or without."""
        return self.seeds[: self.fewer_seeds.get(method.partition(":")[0], len(self.seeds))]

    @property
    def sweep_seeds(self) -> tuple[int, ...]:
        """The seeds at dimensions other than that of the tables: fewer, because a sweep is long."""
        return self.seeds[:2]

    @property
    def embedding_methods(self) -> tuple[ChosenMethod, ...]:
        """The methods whose vectors describe nodes; others only rank."""
        return tuple(
            method for method in self.methods if method.method.kind == "vectors" and method.method.describes_nodes
        )

    @property
    def paper_methods(self) -> tuple[ChosenMethod, ...]:
        """HONEM and Node2Vec, the two that the paper compares in its table 2 and on its map."""
        return tuple(method for method in self.methods if method.method.is_ours or method.method is Node2Vec)

    @property
    def first_forms(self) -> tuple[ChosenMethod, ...]:
        """The first form of each method whose vectors describe nodes."""
        first: dict[str, ChosenMethod] = {}
        for method in self.embedding_methods:
            first.setdefault(family_of(method.name), method)
        return tuple(first.values())


def make_plan(
    *,
    quick: bool = False,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    dimensions: Sequence[int] | None = None,
    seeds: int | None = None,
    fewer_seeds: Mapping[str, int] | None = None,
) -> Plan:
    """Return the plan of a run.

    Parameters
    ----------
    quick : bool, default=False
        Fewer data sets, methods, dimensions and seeds: minutes instead of hours.
    datasets, methods, dimensions : sequence, optional
        What to use instead of the defaults; by default all data sets that the folder has.
    seeds : int, optional
        Number of seeds; 5 by default, 1 if quick.
    fewer_seeds : mapping, optional
        Numbers of seeds of some methods, by name, if not all: slow ones, say.

    Raises
    ------
    ParameterError
        If a method in `fewer_seeds` is not in the plan.
    """
    generated = not has_real_data()
    chosen = methods or (QUICK_METHODS if quick else FULL_METHODS)
    dims = tuple(dimensions or ((16, 64) if quick else Plan.dimensions))
    n_seeds = seeds or (1 if quick else 5)
    for name in fewer_seeds or ():
        if name not in {method.partition(":")[0] for method in chosen}:
            raise ParameterError(f"seeds of {name}: no method of this run has that name")
    return Plan(
        methods=tuple(parse_method(method) for method in chosen),
        dimensions=dims,
        dimension=128 if 128 in dims else max(dims),
        seeds=tuple(range(n_seeds)),
        # Every seed draws other splits, so the repeats of all seeds together are as many as in the paper.
        repeats=max(1, (3 if quick else 10) // n_seeds),
        timings=1 if quick else 3,
        data=generated_data() if generated else tuple(map(load_real, datasets or default_data(quick))),
        is_generated=generated,
        fewer_seeds=dict(fewer_seeds or {}),
    )


def default_data(quick: bool) -> tuple[str, ...]:
    """Return the names of two data sets if quick, else of all that the folder has."""
    return ("lloyds", "us_flights") if quick else available() or REAL_DATA


def has_real_data() -> bool:
    """Return whether HONEM_DATA names a folder."""
    return Path(os.environ.get("HONEM_DATA", "")).is_dir() and bool(os.environ.get("HONEM_DATA"))


def generated_data() -> tuple[RealData, ...]:
    """Return data to use if there are no real ones: trips through a city, and walks with planted dependencies."""
    trips = city_trips()
    planted = planted_paths(n_nodes=300, n_steps=100_000, contexts_per_order=100, orders=(2, 3)).corpus
    return (
        RealData("city", trips.corpus, {"group": trips.groups}),
        RealData("planted", planted, {"traffic": low_or_high(visits(planted))}, counted=frozenset({"traffic"})),
    )
