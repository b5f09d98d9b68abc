"""Tuning: the family, the choice among its members, and what is reported and stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from honem import HONEM, Corpus, ExtractionParams, ParameterError, load
from honem.embedding import Embedding
from honem.embedding.recipe import PRESETS
from honem.evaluation import rank_pairs
from honem.network import first_order_network
from honem.rules.engines import make_engine
from honem.tuning import Member, Tuning, family, tune
from honem.tuning.edges import Edges
from honem.tuning.sampling import neighborhood_sample, paths_among
from honem.tuning.splits import hold_out_edges
from honem.tuning.tuner import (
    Choice,
    TuneFor,
    chosen_for_labels,
    count_splits,
    mean_average_precision,
    precision_ks,
    precision_of_edges,
)

FIND = make_engine("local").find_rules


def grid_walks(side: int = 12, n_walks: int = 400, seed: int = 0) -> Corpus:
    """Walks that keep their direction on a grid: sparse, and of large diameter."""
    rng = np.random.default_rng(seed)
    moves = np.array([(0, 1), (1, 0), (0, -1), (-1, 0)])
    walks = []
    for _ in range(n_walks):
        place, move = rng.integers(side, size=2), rng.integers(4)
        walk = []
        for _ in range(12):
            walk.append(f"{place[0]}_{place[1]}")
            move = rng.integers(4) if rng.random() < 0.3 else move
            place = (place + moves[move]) % side
        walks.append(walk)
    return Corpus.from_sequences(walks)


GRID = grid_walks()


def tuned(corpus: Corpus, members: tuple[Member, ...], tune_for: TuneFor = "links", **options: Any) -> Choice:
    return tune(corpus, ExtractionParams(), members, FIND, tune_for=tune_for, **options)


def test_the_family_has_the_presets_and_what_is_derived_from_them() -> None:
    members = family(64)
    by_name = {member.name: member for member in members}
    assert len(by_name) == len(members)
    for preset in ("evidence", "weighted", "spatial"):
        assert by_name[preset].recipe == PRESETS[preset]
    assert {member.n_components for member in members} == {64, 32, 16, 8}
    changed = family(64, pieces={"weighting": "count"})
    assert {member.recipe.weighting for member in changed} == {"count"}
    with pytest.raises(ParameterError, match="weighting"):
        family(64, pieces={"weighting": "bits"})


def test_the_best_member_is_chosen_and_all_are_reported() -> None:
    choice = tuned(GRID, family(16))
    report = choice.report
    assert choice.member.name == report.chosen == report.trials[0].name
    values = [trial.value for trial in report.trials]
    assert values == sorted(values, reverse=True)
    assert {trial.name for trial in report.trials} == {member.name for member in family(16)}
    assert all(len(trial.values) == count_splits(len(edges_of(GRID))) for trial in report.trials)
    assert "spatial" in report.chosen
    assert next(trial.value for trial in report.trials if trial.name == "evidence") < 0.8 * report.trials[0].value


def edges_of(corpus: Corpus) -> Edges:
    return Edges.of(first_order_network(corpus))


def test_the_value_is_the_mean_average_precision_of_held_out_edges() -> None:
    (member,) = (member for member in family(16) if member.name == "evidence")
    choice = tuned(GRID, (member,), random_state=3)
    seeds = np.random.SeedSequence(3).generate_state(len(choice.report.trials[0].values)).tolist()
    for seed, value in zip(seeds, choice.report.trials[0].values, strict=True):
        split = hold_out_edges(GRID, 0.1, int(seed))
        embedding = member.recipe.embed(FIND(split.corpus, ExtractionParams()), 16).embedding
        ranking = rank_pairs(embedding, split.held_out, excluded=split.training)
        assert value == pytest.approx(ranking.mean_average_precision, rel=1e-9)


def test_reconstruction_is_judged_by_the_observed_edges() -> None:
    choice = tuned(GRID, family(16, "reconstruction"), "reconstruction")
    assert choice.report.trials[0].value > 0.3
    embedding = choice.member.recipe.embed(FIND(GRID, ExtractionParams()), 16).embedding
    edges = edges_of(GRID)
    found = precision_of_edges(embedding, edges, np.arange(GRID.n_nodes))
    ranking = rank_pairs(embedding, edges, n_top=len(edges))
    assert found == pytest.approx(ranking.precisions(precision_ks(len(edges)).tolist()).mean(), abs=0.02)


def test_labels_limit_the_dimensions_to_an_eighth_of_the_nodes() -> None:
    (member,) = family(128, "labels")
    assert member.recipe == PRESETS["spectral"]
    assert [chosen_for_labels(member, n_nodes).member.n_components for n_nodes in (5000, 500, 90)] == [128, 62, 16]
    assert chosen_for_labels(family(8, "labels")[0], 90).member.n_components == 8
    choice = tuned(GRID, (member,), "labels")
    assert (choice.member.n_components, choice.report.n_components) == (18, 18)
    assert (choice.report.chosen, choice.report.trials) == ("spectral, 18 dimensions", ())


def test_the_same_seed_gives_the_same_choice_for_any_number_of_threads() -> None:
    one, two = (tuned(GRID, family(8), n_jobs=n_jobs).report for n_jobs in (1, 2))
    assert one.trials == two.trials


def test_few_edges_are_not_tuned() -> None:
    model = HONEM(4).fit([["a", "b", "c"], ["c", "d", "a", "c"]] * 5)
    assert model.tuning_ is not None
    assert (model.tuning_.chosen, model.tuning_.trials) == ("evidence", ())
    assert "too few" in model.tuning_.reason
    assert model.recipe_ == PRESETS["evidence"]


def test_a_model_is_tuned_by_default_and_its_report_is_stored(tmp_path: Path) -> None:
    model = HONEM(8).fit(GRID)
    assert model.tuning_ is not None
    member = next(member for member in family(8) if member.name == model.tuning_.chosen)
    assert (model.recipe_, model.embedding_.dimension) == (member.recipe, member.n_components)
    np.testing.assert_array_equal(
        model.embedding_.source, member.recipe.embed(model.rules_, member.n_components).embedding.source
    )
    model.save(tmp_path / "model")
    loaded = HONEM.load(tmp_path / "model")
    assert loaded.tuning_ == model.tuning_
    assert loaded.embedding_.default_score == model.recipe_.score
    assert loaded.get_params() == model.get_params()
    assert Tuning.from_dict(json.loads(json.dumps(model.tuning_.to_dict()))) == model.tuning_
    for trial in model.tuning_.trials:
        assert trial.name in str(loaded.tuning_)


def test_a_report_that_cannot_be_read_is_no_report(tmp_path: Path) -> None:
    model = HONEM(4, preset="evidence").fit(GRID)
    model.save(tmp_path / "model", facts={"tuning": {"trials": 5}})
    assert load(tmp_path / "model").tuning is None


def test_scores_that_are_meant_are_the_default() -> None:
    for score in ("cosine", "source.target"):
        embedding = HONEM(8, score=score).fit(GRID).embedding_
        node, other = embedding.nodes[:2]
        assert embedding.score(node, other) == embedding.score(node, other, score)
        assert embedding.neighbors(node, 3) == embedding.neighbors(node, 3, space=score)


def test_some_nodes_are_judged_as_all_are() -> None:
    split = hold_out_edges(GRID, 0.1, 0)
    embedding = HONEM(8, preset="evidence").fit(split.corpus).embedding_
    nodes = np.unique(split.held_out.sources)[::3]
    ranking = rank_pairs(embedding, split.held_out, excluded=split.training)
    assert ranking.average_precisions is not None
    found = mean_average_precision(embedding, split.held_out, split.training, nodes)
    assert found == pytest.approx(float(ranking.average_precisions[nodes].mean()))
    assert isinstance(embedding, Embedding)


def test_a_sample_is_made_of_paths_among_near_nodes() -> None:
    sample = neighborhood_sample(GRID, 40, seed=1)
    assert sample.n_nodes == 40
    assert neighborhood_sample(GRID, GRID.n_nodes) is GRID
    own, whole = (
        {tuple(corpus.vocabulary[node] for node in pair) for pair in zip(edges.sources, edges.targets, strict=True)}
        for corpus, edges in ((sample, edges_of(sample)), (GRID, edges_of(GRID)))
    )
    kept = set(sample.vocabulary)
    assert own == {(a, b) for a, b in whole if a in kept and b in kept}
    everything = paths_among(GRID, np.ones(GRID.n_nodes, np.bool_))
    assert list(everything.sequences()) == list(GRID.sequences())


def test_large_networks_are_tuned_on_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honem.tuning.tuner.MAX_NODES", 60)
    report = tuned(GRID, family(8)).report
    assert report.n_nodes == 60


def test_spark_has_no_paths_to_split() -> None:
    with pytest.raises(ParameterError, match="preset='auto' needs paths in the memory of one machine"):
        HONEM(preset="auto", engine="spark").plan()
    _, (member,) = HONEM(engine="spark").plan()
    assert member.recipe == PRESETS["evidence"]


def test_a_model_for_labels_has_few_dimensions_also_after_an_update() -> None:
    model = HONEM(64, tune_for="labels").fit(GRID)
    assert model.tuning_ is not None
    assert (model.embedding_.dimension, model.tuning_.n_components) == (18, 18)
    model.update([["0", "1"]] * 3)
    assert model.embedding_.dimension == 18
