"""`honem demo`: what a first-order embedding misses, as text, tables and a picture."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem.cli.options import Subparsers, add_seed_option, new_command, whole_number
from honem.cli.output import check_output_folder, errors_about
from honem.cli.streams import show
from honem.errors import MissingDependencyError

if TYPE_CHECKING:
    from honem.embedding import Embedding
    from honem.estimator import HONEM

DIMENSIONS = 4
MINIMUM_TRIPS = 2000  # with fewer, chance hides the groups
NEGLIGIBLE = 0.01  # scores below this share of the highest are not listed
PICTURE, PAGE = "what-the-past-adds.png", "explore.html"
PAIRS = (("dorm north", "dorm south"), ("dorm north", "home east"), ("home east", "hotel"))


def add_command(subparsers: Subparsers) -> None:
    """Add `honem demo`."""
    parser = new_command(
        subparsers, "demo", "show on generated trips what histories add to a network", "honem demo -o demo"
    )
    parser.add_argument("-o", "--output", metavar="DIR", default="demo", help="folder to write (default demo)")
    parser.add_argument(
        "--trips", type=whole_number(MINIMUM_TRIPS), default=20_000, metavar="N", help="number of trips (default 20000)"
    )
    add_seed_option(parser, "the trips")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Generate trips, embed them with and without memory, and compare the vectors."""
    with errors_about("--output"):
        check_output_folder(args.output)
    figures = _matplotlib()
    from honem.datasets.city import city_trips
    from honem.estimator import HONEM

    trips = city_trips(args.trips, seed=args.seed)
    print(f"{args.trips:,} trips through a small city: origin - hub - destination.")
    print("Students, commuters and tourists all change downtown or at the station, then go to different places.\n")
    # Probabilities rather than logarithms of counts, so that one trip in a hundred to the wrong place shows as little.
    first_order = HONEM(DIMENSIONS, max_order=1, preset="paper", criterion="significance").fit(trips.corpus)
    honem = HONEM(DIMENSIONS, preset="paper", criterion="significance").fit(trips.corpus)
    _print_rules(honem)
    _print_similarities(first_order, honem)
    _print_destinations(first_order, honem)
    folder = Path(args.output)
    _draw(figures, folder / PICTURE, {"First order": first_order.embedding_, "HONEM": honem.embedding_})
    show(f"\nThe same as a picture: {folder / PICTURE}")
    print("At first order, every origin leads to the two hubs and no further, since single steps end there.")
    print("HONEM gives each origin the destinations of its own group, and almost nothing for those of the others.")
    show(f"A page to explore: {_write_page(honem, trips.groups, folder / PAGE)}")


def _print_rules(honem: HONEM) -> None:
    print("Rules that HONEM found (current place | previous place -> next place):")
    for origin in ("dorm north", "home east", "hotel"):
        print(f"  {honem.rules_.describe(rule_of(honem, (origin, 'downtown')))}")


def _print_similarities(first_order: HONEM, honem: HONEM) -> None:
    print("\nHow similar are two origins? (cosine of their vectors)")
    print(f"  {'':28}{'first order':>12}{'HONEM':>12}")
    for a, b in PAIRS:
        alike = [model.embedding_.score(a, b, "cosine") for model in (first_order, honem)]
        print(f"  {a + ' ~ ' + b:28}{alike[0]:12.2f}{alike[1]:12.2f}")


def _print_destinations(first_order: HONEM, honem: HONEM) -> None:
    print("\nAt first order, a dorm is hardly more similar to the other dorm than to a home. Where do trips lead?")
    for name, model in (("first order", first_order), ("HONEM", honem)):
        found = model.embedding_.neighbors("dorm north", 5, space="source.target")
        ends = [neighbor.node for neighbor in found if neighbor.score > NEGLIGIBLE * found[0].score]
        print(f"  from dorm north, {name:12} {', '.join(map(str, ends))}")


def _write_page(honem: HONEM, groups: Mapping[Any, str], path: Path) -> Path:
    from honem.explore import Source, explore

    labels = {"group": {str(place): group for place, group in groups.items()}}
    source = Source(
        honem.embedding_,
        honem.rules_,
        {"parameters": honem.get_params()},
        "city",
        recipe=honem.recipe_,
        profile=honem.profile(),
        next_step=honem.stored_next_step(),
    )
    return explore(source, path, labels=labels)


def rule_of(model: HONEM, context: tuple[str, ...]) -> int:
    """Return the number of the rule of a context."""
    rules = model.rules_
    chosen = rules.order_slice(len(context))
    return next(rule for rule in range(chosen.start, chosen.stop) if rules.context(rule) == context)


def _matplotlib() -> Any:
    """Return the module of matplotlib that makes figures; imported first, so that no work is lost if it is missing."""
    try:
        return import_module("matplotlib.figure")
    except ImportError:
        raise MissingDependencyError("the picture needs matplotlib: pip install 'honem[plot]'") from None


def _draw(figures: Any, picture: Path, embeddings: dict[str, Embedding]) -> None:
    """Draw how strongly each origin leads to each place, according to each embedding."""
    from honem.datasets.city import GROUPS, HUBS
    from honem.io.atomic import atomic_file

    origins = [place for theirs, _ in GROUPS.values() for place in theirs]
    places = [*HUBS, *(place for _, theirs in GROUPS.values() for place in theirs)]
    figure = figures.Figure(figsize=(11, 3.7), layout="constrained")
    axes: Any = figure.subplots(1, len(embeddings), sharey=True)
    for axis, (name, embedding) in zip(axes, embeddings.items(), strict=True):
        image = _draw_scores(axis, name, lead_to(embedding, origins, places), origins, places)
    figure.colorbar(image, ax=axes, shrink=0.9, label="score, relative to the highest")
    figure.suptitle("Where a trip from here leads to, read from the vectors (source · target)")
    picture.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(picture) as file:
        figure.savefig(file, format="png", dpi=150)


def _draw_scores(axis: Any, name: str, scores: NDArray[np.float64], origins: list[str], places: list[str]) -> Any:
    """Draw the scores of one embedding as a table of shades."""
    from matplotlib.colors import PowerNorm

    image = axis.imshow(scores / scores.max(), cmap="Blues", norm=PowerNorm(0.5, 0, 1))
    axis.set_title(name, fontweight="bold")
    axis.set_xticks(range(len(places)), places, rotation=40, ha="right", rotation_mode="anchor")
    axis.set_yticks(range(len(origins)), origins)
    axis.set_xticks(np.arange(len(places)) - 0.5, minor=True)
    axis.set_yticks(np.arange(len(origins)) - 0.5, minor=True)
    axis.grid(which="minor", color="white", linewidth=1.5)
    axis.tick_params(which="both", length=0)
    axis.spines[:].set_visible(False)
    return image


def lead_to(embedding: Embedding, origins: list[str], places: list[str]) -> NDArray[np.float64]:
    """Return source . target of every origin and place, with negative values set to 0."""
    scores = embedding.scores([(a, b) for a in origins for b in places], "source.target")
    return np.maximum(scores.reshape(len(origins), len(places)), 0)
