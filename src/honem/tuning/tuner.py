"""Choose a member of the family by inner splits of the data: what predicts held-out edges best."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.progress import Progress
from honem._internal.validation import require_one_of
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.embedding.factorize import Factors
from honem.embedding.matrices import Array
from honem.embedding.neighborhood import NeighborhoodMatrix
from honem.embedding.recipe import Recipe
from honem.errors import ParameterError
from honem.network import first_order_network
from honem.rules import ExtractionParams, Rules
from honem.tuning.average_precision import average_precisions
from honem.tuning.edges import Edges
from honem.tuning.family import Member
from honem.tuning.report import Trial, Tuning
from honem.tuning.sampling import neighborhood_sample
from honem.tuning.splits import hold_out_edges

TuneFor = Literal["links", "reconstruction", "labels"]
"""What vectors are chosen for: predicting edges that were not observed, representing those that were, or features of
nodes for a classifier."""

HELD_OUT = 0.1
"""Share of the edges that an inner split holds out."""
ENOUGH_HELD_OUT = 2000
"""Splits are added until this many edges were held out in all, so that a small network is not judged by few."""
MAX_SPLITS = 3
FEWEST_EDGES = 100
"""With fewer edges, a split says more about chance than about the members."""
MAX_NODES = 5000
"""Members are tried on a part of a larger network."""
JUDGED_NODES = 2000
"""At most so many nodes are judged on each split."""
NODES_PER_DIMENSION = 8
FEWEST_FOR_LABELS = 16
"""For labels: classifiers learn from few nodes, and do better with at most an eighth as many dimensions, but 16."""
NOT_TRIED = "because labels are not known when vectors are learned"

FindRules = Callable[[Corpus, ExtractionParams], Rules]


@dataclass(frozen=True)
class Choice:
    """The member that tuning chose, and the report of what it tried."""

    member: Member
    report: Tuning


def tune(
    corpus: Corpus,
    params: ExtractionParams,
    members: Sequence[Member],
    find_rules: FindRules,
    *,
    tune_for: TuneFor = "links",
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Choice:
    """Try members of a family on parts of the data, and choose the best.

    Parameters
    ----------
    corpus : Corpus
        The paths.
    params : ExtractionParams
        Which contexts become rules.
    members : sequence of Member
        What to choose from, simplest first; of equally good ones the first is chosen.
    find_rules : callable
        Extract rules, given a corpus and the parameters.
    tune_for : {"links", "reconstruction", "labels"}, default="links"
        "links": the mean average precision of edges that were held out, over one to three splits. "reconstruction": the
        mean precision of the k pairs with the highest scores, up to the number of edges; nothing is held out. "labels":
        the first member, since no labels are known, with at most an eighth as many dimensions as nodes, but 16.
    random_state : int or None, default=0
        Seed of splits and solvers.
    n_jobs : int or None, default=None
        Number of threads; None or -1 for all cores.
    progress : callable or None, default=None
        Called with the name of the task, the trials done so far, and all trials.

    Returns
    -------
    Choice

    Raises
    ------
    ParameterError
        If there are no members, or `tune_for` is unknown.
    """
    require_one_of("tune_for", tune_for, get_args(TuneFor))
    if not members:
        raise ParameterError("there are no members to choose from")
    if tune_for == "labels":
        return chosen_for_labels(members[0], corpus.n_nodes)
    started = time.perf_counter()
    sample = neighborhood_sample(corpus, MAX_NODES, seed=random_state or 0)
    edges = Edges.of(first_order_network(sample))
    if len(edges) < FEWEST_EDGES:
        reason = f"{len(edges)} edges are too few to compare members of the family"
        return Choice(members[0], Tuning(tune_for, members[0].name, reason))
    judge = judge_reconstruction if tune_for == "reconstruction" else judge_links
    n_splits = 1 if tune_for == "reconstruction" else count_splits(len(edges))
    seeds = np.random.SeedSequence(random_state).generate_state(n_splits).tolist()
    values = np.empty((len(members), n_splits))
    for split, seed in enumerate(seeds):
        for row, value in enumerate(judge(sample, members, int(seed), params, find_rules, n_jobs)):
            values[row, split] = value
            if progress is not None:
                progress("tuning", split * len(members) + row + 1, len(members) * n_splits)
    return chosen_by_values(members, values, tune_for, sample.n_nodes, time.perf_counter() - started)


def count_splits(n_edges: int) -> int:
    """Return the number of inner splits.

    >>> [count_splits(n_edges) for n_edges in (200, 8_000, 50_000)]
    [3, 3, 1]
    """
    return int(np.clip(np.ceil(ENOUGH_HELD_OUT / (HELD_OUT * n_edges)), 1, MAX_SPLITS))


def chosen_for_labels(member: Member, n_nodes: int) -> Choice:
    """Return the member with at most one dimension for eight nodes, but 16.

    Edges say little about how many dimensions labels need: the number that predicts held-out edges best was 16 where
    topics needed 128.
    """
    limit = max(FEWEST_FOR_LABELS, n_nodes // NODES_PER_DIMENSION)
    if member.n_components <= limit:
        return Choice(member, Tuning("labels", member.name, NOT_TRIED))
    name = f"{member.name}, {limit} dimensions"
    reason = f"{NOT_TRIED}; more than one dimension for {NODES_PER_DIMENSION} of {n_nodes} nodes do not help"
    return Choice(replace(member, name=name, n_components=limit), Tuning("labels", name, reason, n_components=limit))


def chosen_by_values(members: Sequence[Member], values: Array, tune_for: str, n_nodes: int, seconds: float) -> Choice:
    """Return the member with the highest mean, and a report with all of them."""
    means = values.mean(axis=1)
    order = np.argsort(-means, kind="stable").tolist()
    trials = tuple(
        Trial(members[row].name, members[row].n_components, float(means[row]), tuple(values[row].tolist()))
        for row in order
    )
    n_splits = values.shape[1]
    splits = f"{n_splits} inner split{'s' if n_splits > 1 else ''}"
    where = "the observed edges" if tune_for == "reconstruction" else splits
    reason = f"best of {len(members)} members of the family on {where}"
    best = members[order[0]]
    return Choice(best, Tuning(tune_for, best.name, reason, trials, n_nodes, seconds, best.n_components))


def judge_links(
    corpus: Corpus,
    members: Sequence[Member],
    seed: int,
    params: ExtractionParams,
    find_rules: FindRules,
    n_jobs: int | None,
) -> Iterator[float]:
    """Yield the mean average precision of each member on edges that are held out of the corpus."""
    split = hold_out_edges(corpus, HELD_OUT, seed)
    rules = find_rules(split.corpus, params)
    sources = np.unique(split.held_out.sources)
    judged = np.sort(np.random.default_rng(seed).permutation(sources)[:JUDGED_NODES])
    for embedding in embeddings_of(rules, members, seed, n_jobs):
        yield mean_average_precision(embedding, split.held_out, split.training, judged)


def judge_reconstruction(
    corpus: Corpus,
    members: Sequence[Member],
    seed: int,
    params: ExtractionParams,
    find_rules: FindRules,
    n_jobs: int | None,
) -> Iterator[float]:
    """Yield the mean Precision@k of the observed edges by each member."""
    rules = find_rules(corpus, params)
    edges = Edges.of(first_order_network(corpus))
    judged = np.sort(np.random.default_rng(seed).permutation(corpus.n_nodes)[:JUDGED_NODES])
    for embedding in embeddings_of(rules, members, seed, n_jobs):
        yield precision_of_edges(embedding, edges, judged)


def embeddings_of(rules: Rules, members: Sequence[Member], seed: int, n_jobs: int | None) -> Iterator[Embedding]:
    """Yield the embedding of each member; what several members share is computed once."""
    near: NeighborhoodMatrix | None = None
    previous: tuple[Recipe, Any, Factors] | None = None
    for member in members:
        recipe = replace(member.recipe, factorization=member.recipe.factorization.quicker())
        near = recipe.neighborhood(rules) if near is None else near
        matrix = previous[1] if previous and previous[0].transforms == recipe.transforms else recipe.proximity(near)
        factors = None
        if previous and matrix is previous[1]:
            factors = previous[0].factorization.derived(previous[2], recipe.factorization, member.n_components)
        if factors is None:
            factors = recipe.factorization.factorize(matrix, member.n_components, random_state=seed, n_jobs=n_jobs)
            previous = (recipe, matrix, factors)
        yield recipe.embedding_of(rules.vocabulary, factors)


def mean_average_precision(embedding: Embedding, truth: Edges, excluded: Edges, nodes: Any) -> float:
    """Return the mean over some nodes of the average precision of their true targets among all not excluded ones."""
    found = []
    for start, scores in embedding.score_blocks(nodes):
        block = nodes[start : start + len(scores)]
        scores[np.arange(len(block)), block] = -np.inf
        rows, columns = edges_among(excluded, block)
        scores[rows, columns] = -np.inf
        found.append(average_precisions(scores, *edges_among(truth, block)))
    return float(np.nanmean(np.concatenate(found)))


def precision_of_edges(embedding: Embedding, edges: Edges, nodes: Any) -> float:
    """Return the mean of Precision@k of the edges from some nodes, over k from 10 to their number on a log scale.

    Users look at the top of a ranking: a precision at the number of edges alone would take a recipe that finds most of
    them for one that ranks true ones first.
    """
    blocks, is_edge = [], []
    for start, scores in embedding.score_blocks(nodes):
        block = nodes[start : start + len(scores)]
        scores[np.arange(len(block)), block] = -np.inf
        truth = np.zeros(scores.shape, np.bool_)
        truth[edges_among(edges, block)] = True
        blocks.append(scores.ravel())
        is_edge.append(truth.ravel())
    scores, truth = np.concatenate(blocks), np.concatenate(is_edge)
    amount = int(np.count_nonzero(truth))
    if not amount:
        return 0.0
    best = np.argpartition(-scores, amount - 1)[:amount]
    best = best[np.lexsort((best, -scores[best]))]
    ks = precision_ks(amount)
    return float((np.cumsum(truth[best])[ks - 1] / ks).mean())


def precision_ks(n_edges: int) -> NDArray[np.int64]:
    """Return the k of Precision@k by which reconstruction is judged.

    >>> precision_ks(1000)
    array([  10,   31,  100,  316, 1000])
    """
    n_values = 1 + max(0, int(np.ceil(2 * np.log10(n_edges / 10))))
    return np.unique(np.geomspace(min(10, n_edges), n_edges, n_values).astype(np.int64))


def edges_among(edges: Edges, nodes: Any) -> tuple[Any, Any]:
    """Return the edges that leave some nodes, given in ascending order: places among the nodes, and targets."""
    places = np.searchsorted(nodes, edges.sources)
    inside = places < len(nodes)
    inside[inside] = nodes[places[inside]] == edges.sources[inside]
    return places[inside], edges.targets[inside]
