"""`honem demo`: what a first-order embedding misses, in words, a table and a picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_whole
from honem.cli.options import Subparsers, new_command
from honem.errors import MissingDependencyError

if TYPE_CHECKING:
    from honem.embedding import Embedding
    from honem.estimator import HONEM

DIMENSIONS = 4
LEAST_TRIPS = 2000  # with fewer, chance speaks louder than the groups


def add_command(subparsers: Subparsers) -> None:
    """`honem demo`."""
    parser = new_command(subparsers, "demo", "show on generated trips what the past adds", "honem demo -o demo")
    parser.add_argument("-o", "--output", metavar="DIR", default="demo", help="folder for the picture (default demo)")
    parser.add_argument("--trips", type=int, default=20_000, metavar="N", help="how many trips (default 20000)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")
    parser.set_defaults(run=demo)


def demo(args: argparse.Namespace) -> None:
    """Generate, embed twice, compare."""
    from honem.estimator import HONEM
    from honem.evaluation.datasets import city_trips
    from honem.evaluation.datasets.city import GROUPS, HUBS
    from honem.explore import Source, explore

    require_whole("trips", args.trips, LEAST_TRIPS)
    trips = city_trips(args.trips, seed=args.seed)
    print(f"{args.trips:,} trips through a small city: origin - hub - destination.")
    print("Students, commuters and tourists all change downtown or at the station, then go their own ways.\n")
    first_order = HONEM(DIMENSIONS, max_order=1).fit(trips.corpus)
    honem = HONEM(DIMENSIONS, min_support=10).fit(trips.corpus)

    print("What HONEM found out by itself, as rules (where one is | where one came from -> where one goes):")
    for origin in ("dorm north", "home east", "hotel"):
        print(f"  {honem.rules_.describe(rule_of(honem, (origin, 'downtown')))}")

    origins = [place for theirs, _ in GROUPS.values() for place in theirs]
    destinations = [place for _, theirs in GROUPS.values() for place in theirs]
    print("\nHow alike are two origins? (cosine of their vectors)")
    print(f"  {'':28}{'first order':>12}{'HONEM':>12}")
    for a, b in (("dorm north", "dorm south"), ("dorm north", "home east"), ("home east", "hotel")):
        alike = [model.embedding_.score(a, b, "cosine") for model in (first_order, honem)]
        print(f"  {a + ' ~ ' + b:28}{alike[0]:12.2f}{alike[1]:12.2f}")
    print("\nTo the first order a dorm is no more like the other dorm than like a home. And where do trips lead?")
    for name, model in (("first order", first_order), ("HONEM", honem)):
        ends = [n.node for n in model.embedding_.neighbors("dorm north", 5, space="source.target")]
        print(f"  from dorm north, {name:12} {', '.join(map(str, ends))}")
    places = [*HUBS, *destinations]
    picture = Path(args.output) / "what-the-past-adds.png"
    draw(picture, {"First order": first_order.embedding_, "HONEM": honem.embedding_}, origins, places)
    print(f"\nThe same as a picture: {picture}")
    groups = {str(place): group for place, group in trips.groups.items()}
    source = Source(honem.embedding_, honem.rules_, {"parameters": honem.get_params()}, "city")
    print(f"And to look around in: {explore(source, Path(args.output) / 'explore.html', labels={'group': groups})}")


def rule_of(model: HONEM, context: tuple[str, ...]) -> int:
    """The rule of a context."""
    rules = model.rules_
    chosen = rules.order_slice(len(context))
    return next(rule for rule in range(chosen.start, chosen.stop) if rules.context(rule) == context)


def draw(picture: Path, embeddings: dict[str, Embedding], origins: list[str], places: list[str]) -> None:
    """How strongly each origin leads to each place, as either embedding has it."""
    from honem.io.atomic import atomic_file

    try:
        from matplotlib.colors import PowerNorm
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("the picture needs matplotlib: pip install 'honem[plot]'") from None
    figure = Figure(figsize=(11, 3.7), layout="constrained")
    axes: Any = figure.subplots(1, len(embeddings), sharey=True)
    shades = [lead_to(embedding, origins, places) for embedding in embeddings.values()]
    for axis, name, shade in zip(axes, embeddings, shades, strict=True):
        image = axis.imshow(shade / shade.max(), cmap="Blues", norm=PowerNorm(0.5, 0, 1))
        axis.set_title(name, fontweight="bold")
        axis.set_xticks(range(len(places)), places, rotation=40, ha="right", rotation_mode="anchor")
        axis.set_yticks(range(len(origins)), origins)
        axis.set_xticks(np.arange(len(places)) - 0.5, minor=True)
        axis.set_yticks(np.arange(len(origins)) - 0.5, minor=True)
        axis.grid(which="minor", color="white", linewidth=1.5)
        axis.tick_params(which="both", length=0)
        axis.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, shrink=0.8, label="source · target, as a share of the highest")
    figure.suptitle("Where a trip from here leads to, read from the vectors")
    picture.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(picture) as file:
        figure.savefig(file, format="png", dpi=150)


def lead_to(embedding: Embedding, origins: list[str], places: list[str]) -> NDArray[np.float64]:
    """source . target of every origin and place, negative noise left out."""
    scores = embedding.scores([(a, b) for a in origins for b in places], "source.target")
    return np.maximum(scores.reshape(len(origins), len(places)), 0)
