"""Collect what a page shows and pack it into its parts: map, neighbors, closeness, rules, next, basemap."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.option_names import option
from honem.corpus import Vocabulary
from honem.embedding import Embedding
from honem.embedding.projection import Projection
from honem.embedding.recipe import Recipe
from honem.embedding.transforms import stages
from honem.errors import ParameterError
from honem.explore.acceptance import acceptance_of, details, strengths, verdicts
from honem.explore.basemap import basemap_part
from honem.explore.closeness import closeness_part
from honem.explore.communities import communities, near_in_graph
from honem.explore.community_names import community_names
from honem.explore.findings import findings_of
from honem.explore.first_order import first_order_embedding
from honem.explore.labels import Column, columns_of, names_on_page, page_labels, profile_columns
from honem.explore.next_step import next_step_part
from honem.explore.packing import in_steps, narrow, numbered, pack
from honem.explore.positions import Places, Square, on_the_earth, project_nodes, turned_onto
from honem.explore.trimming import strongest
from honem.io.manifest import DIGEST
from honem.io.node_labels import LabelSource, NodeLabels
from honem.io.recipes import stored_recipe
from honem.io.store import load
from honem.network import higher_order_network
from honem.prediction import NextStep
from honem.profile import NodeProfile
from honem.rules import RuleTable

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

OWN = "own"
"""The group of columns that need no labels and are not part of the profile."""
NEIGHBORS = 20
FEWER_NEIGHBORS, MANY_NODES = 10, 20_000


@dataclass(frozen=True, eq=False)
class Source:
    """An embedding, its rules, and the manifest that describes both.

    Attributes
    ----------
    embedding : Embedding
        The vectors.
    rules : RuleTable or None
        The rules behind the vectors.
    manifest : mapping
        The manifest of a store.
    title : str
        Title of the page.
    memory : Path or None
        File in which projections are cached.
    recipe : Recipe or None
        How the rules became the vectors; without it the page has no first-order counterpart and no order weights.
    profile : NodeProfile or None
        The profile of the nodes; without it the page shows none.
    next_step : NextStep or None
        The model of the next node; without it the page shows observed frequencies only.
    labels : NodeLabels or None
        Names, categories and coordinates of the nodes, which the page shows unless it is given others.
    """

    embedding: Embedding
    rules: RuleTable | None = None
    manifest: Mapping[str, Any] = field(default_factory=dict)
    title: str = "honem"
    memory: Path | None = None
    recipe: Recipe | None = None
    profile: NodeProfile | None = None
    next_step: NextStep | None = None
    labels: NodeLabels | None = None

    @classmethod
    def of_store(cls, directory: str | Path) -> Source:
        """Load a store; its projections are cached beside it in DIR.maps.npz, as a store holds no other files."""
        store, place = load(directory), Path(directory).resolve()
        memory = place.with_name(f"{place.name}.maps.npz")
        title = os.fsencode(place.name).decode(errors="replace")  # the page is UTF-8, which a name need not be
        recipe = known_recipe(store.recipe)
        return cls(
            store.embedding,
            store.rules,
            store.manifest,
            title,
            memory,
            recipe,
            store.profile,
            store.next_step,
            store.labels,
        )

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the model."""
        found: Mapping[str, Any] = self.manifest.get("parameters", {})
        return found

    def proximity(self) -> Matrix | None:
        """Return the matrix that was factorized, if it can be computed."""
        if self.rules is None or self.recipe is None:
            return None
        return stages(self.recipe.neighborhood(self.rules).matrix, self.recipe.transforms)[-1]

    def first_order(self) -> list[Embedding]:
        """Return the embedding of the first-order rules alone, if it differs and can be computed, else nothing."""
        if self.rules is None or self.rules.max_order < 2 or self.recipe is None:
            return []
        return [first_order_embedding(self.rules, self.embedding.dimension, self.recipe, self.parameters)]


def known_recipe(stored: Mapping[str, Any] | None) -> Recipe | None:
    """Return a stored recipe; None if there is none, or one with a piece that this version does not know."""
    try:
        return None if stored is None else stored_recipe(stored)
    except ParameterError:
        return None


@dataclass(frozen=True, eq=False)
class Options:
    """What a page shows besides vectors and rules; the fields are parameters of `explore`."""

    labels: LabelSource | None = None
    names: str | None = None
    coordinates: bool | None = None
    evaluation: Sequence[Sequence[Any]] = ()
    projection: Projection = "auto"
    seed: int = 0


def content_of(
    source: Source, options: Options, most_rows: int | None = None, most_model_bytes: int | None = None
) -> dict[str, bytes]:
    """Return the packed parts of a page by name.

    Parameters
    ----------
    source : Source
        The vectors, rules and models.
    options : Options
        What else the page shows.
    most_rows : int, optional
        Maximum number of rows of rules; the strongest are kept.
    most_model_bytes : int, optional
        Size above which the next-step model is left out.

    Returns
    -------
    dict
    """
    # Files that cannot be read raise an error before any work is done.
    labels = page_labels(options.labels, options.names, source.embedding.vocabulary, source.labels)
    names, columns = names_on_page(source.embedding.vocabulary, labels), columns_of(labels)
    earth = _on_the_earth(options, labels)
    embeddings = [source.embedding, *source.first_order()]
    n_neighbors = NEIGHBORS if len(source.embedding) <= MANY_NODES else FEWER_NEIGHBORS
    nearest = [embedding.nearest(n=n_neighbors, space="cosine") for embedding in embeddings]
    kept = None if source.rules is None else strongest(source.rules, most_rows)
    maps = _maps(source, options, embeddings)
    own = _own_columns(source, names, columns, nearest[0][0], options.seed)
    columns = [*own, *columns, *profile_columns(source.profile)]
    findings = findings_of(source.rules, embeddings, nearest)
    parts = {
        "map": _map_part(source, names, maps, earth, columns, options.evaluation, kept, findings),
        "neighbors": _neighbors_part(nearest),
        "closeness": closeness_part(source.proximity(), nearest[0][0]),
        "rules": rules_part(kept),
        "next": next_step_part(source.next_step, most_model_bytes),
    }
    return parts if earth is None else parts | {"basemap": basemap_part()}


def _map_part(
    source: Source,
    names: Sequence[str],
    maps: list[Places],
    earth: Places | None,
    columns: list[Column],
    results: Sequence[Sequence[Any]],
    kept: RuleTable | None,
    findings: dict[str, Any] | None,
) -> bytes:
    values: dict[str, Any] = {
        "title": source.title,
        "names": names,
        "labels": _labels_if_other(source.embedding.vocabulary, names),
        "columns": [
            {field: getattr(column, field) for field in ("name", "categories", "group", "meaning")}
            for column in columns
        ],
        "positions": maps[0].made_by,
        "manifest": shown_manifest(source.manifest),
        "rules": _rule_facts(source, kept),
        "findings": findings,
        "evaluation": results,
    }
    arrays: dict[str, NDArray[Any]] = {f"column{number}": column.values for number, column in enumerate(columns)}
    for number, places in enumerate(maps):
        square = Square.around(places.points)
        arrays[f"x{number}"], arrays[f"y{number}"] = square.in_steps(places.points)
    if earth is not None:
        square = Square.around(earth.points)
        # The page turns places on its map back into degrees with these.
        values["earth"] = {"made_by": earth.made_by, "middle": square.middle.tolist(), "half": square.half}
        arrays["earth_x"], arrays["earth_y"] = square.in_steps(earth.points)
        arrays["placed"] = np.isfinite(earth.points).all(axis=1, keepdims=True).astype(np.uint8).ravel()
    return pack(values, arrays)


def _labels_if_other(vocabulary: Vocabulary, names: Sequence[str]) -> list[str] | None:
    """Return the labels of nodes in the data, by which they can be searched; None if they are the names."""
    labels = [str(label) for label in vocabulary]
    return None if labels == [*names] else labels


def shown_manifest(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest for publication: input files are listed by name, without their folders.

    >>> shown_manifest({"facts": {"input": {"inputs": [{"name": "home/me/paths.txt", "bytes": 3}]}}, "files": {}})
    {'facts': {'input': {'inputs': [{'name': 'paths.txt', 'bytes': 3}]}}}
    """
    shown = {name: value for name, value in manifest.items() if name not in ("files", DIGEST)}
    facts = manifest.get("facts") or {}
    read = facts.get("input")
    if isinstance(read, Mapping):
        shown["facts"] = {**facts, "input": {**read, "inputs": _by_name(read.get("inputs"))}}
    return shown


def _by_name(inputs: Any) -> list[dict[str, Any]]:
    """Return descriptions of files without the folders of their names; anything else in a manifest is left out."""
    return [
        {**one, "name": PurePath(one["name"]).name}
        for one in (inputs if isinstance(inputs, Sequence) else ())
        if isinstance(one, Mapping) and isinstance(one.get("name"), str)
    ]


def _maps(source: Source, options: Options, embeddings: list[Embedding]) -> list[Places]:
    """Return one map per embedding; the others are rotated and scaled to match the first."""
    first, *others = (project_nodes(one, options.projection, options.seed, source.memory) for one in embeddings)
    return [first, *(Places(turned_onto(other.points, first.points), other.made_by) for other in others)]


def _on_the_earth(options: Options, labels: NodeLabels | None) -> Places | None:
    """Return the geographic positions of nodes, if the page shows them."""
    places = None if labels is None else labels.coordinates
    if options.coordinates is False or (options.coordinates is None and places is None):
        return None
    if places is None:
        known = "the model has no labels" if labels is None else f"the labels are {', '.join(labels.columns)}"
        raise ParameterError(f"coordinates are the columns lon and lat of {option('labels')}; {known}")
    if options.coordinates is None and not np.isfinite(places).all(axis=1).any():
        return None
    return on_the_earth(*places.T)


def _own_columns(
    source: Source, names: Sequence[str], labels: Sequence[Column], neighbors: NDArray[np.int64], seed: int
) -> list[Column]:
    """Return the columns that need no labels; steps onward are left out where a profile has them."""
    near = neighbors[:, : near_in_graph(len(neighbors))]
    found = communities(near, seed)
    words = tuple(community_names(found, near, names, labels))
    community = Column(
        "community", narrow(found + 1), words, OWN, "nodes that are near each other more often than others"
    )
    if source.rules is None:
        return [community]
    highest, links, visits = (numbers.astype("<f4") for numbers in node_facts(source.rules))
    orders = tuple(str(order) for order in range(1, source.rules.max_order + 1))
    onward = [] if source.profile is not None else [Column("steps onward", visits, None, OWN)]
    return [
        community,
        Column("highest order", narrow(highest), orders, OWN, "the longest history that changes what comes next"),
        Column("links", links, None, OWN, "distinct previous and next nodes"),
        *onward,
    ]


def node_facts(rules: RuleTable) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return for every node the highest order of an accepted rule that ends there, its degree, and its steps onward."""
    n_nodes = len(rules.vocabulary)
    highest = np.zeros(n_nodes, np.int64)
    np.maximum.at(highest, rules.newest[rules.accepted], rules.orders[rules.accepted])
    rows, first = rules.rows_of_order(1), rules.order_slice(1)
    out = np.bincount(rules.oldest[rules.rule_of_row[rows]], minlength=n_nodes)
    into = np.bincount(rules.targets[rows], minlength=n_nodes)
    visits = np.bincount(rules.oldest[first], rules.supports[first], n_nodes)
    return highest, out + into, visits


def _rule_facts(source: Source, kept: RuleTable | None) -> dict[str, Any] | None:
    """Return the facts about rules that the page shows, and how many of the rules it holds."""
    if source.rules is None or kept is None:
        return None
    recipe, rules = source.recipe, source.rules
    return {
        "max_order": rules.max_order,
        "by_order": rules.rules_by_order,
        "acceptance": acceptance_of(rules),
        "kept_by_order": kept.rules_by_order,
        "rows": rules.n_rows,
        "kept_rows": kept.n_rows,
        "least_support_kept": int(kept.supports[kept.orders > 1].min(initial=rules.supports.max(initial=0))),
        "order_weights": None if recipe is None else recipe.neighborhood(rules).order_weights,
        "first_order_edges": rules.rows_of_order(1).stop,
        "higher_order_network": higher_order_network(rules).sizes(),
    }


def _neighbors_part(nearest: list[tuple[NDArray[np.int64], NDArray[np.float64]]]) -> bytes:
    arrays = {}
    for number, (ids, scores) in enumerate(nearest):
        arrays[f"ids{number}"], arrays[f"scores{number}"] = narrow(ids), in_steps(scores, -1.0, 1.0)
    return pack({"each": nearest[0][0].shape[1], "embeddings": len(nearest)}, arrays)


def rules_part(rules: RuleTable | None) -> bytes:
    """Pack the rules by columns: for each order, the nodes of its contexts from the newest to the oldest.

    Strengths are in tenths of bits; verdicts and details are numbers of texts.
    """
    if rules is None:
        return pack({"by_order": {}, "verdicts": [], "details": []}, {})
    contexts = {
        f"context{order}": narrow(rules.contexts(order)[:, ::-1].T.reshape(-1)) for order in rules.rules_by_order
    }
    verdict, detail = numbered(verdicts(rules)), numbered(details(rules))
    per_rule = {
        "sizes": narrow(np.diff(rules.target_offsets)),
        "strengths": narrow(np.rint(10 * strengths(rules))),
        "verdicts": narrow(verdict.numbers),
        "details": narrow(detail.numbers),
        "accepted": rules.accepted.astype(np.uint8),
    }
    per_row = {"targets": narrow(rules.targets), "counts": narrow(rules.counts)}
    values = {"by_order": rules.rules_by_order, "verdicts": verdict.texts, "details": detail.texts}
    return pack(values, contexts | per_rule | per_row)
