"""Each task gives the truth full marks and chance what it deserves, the same from run to run."""

from __future__ import annotations

import builtins
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest

from honem import Corpus, Embedding, MissingDependencyError, ParameterError, Vocabulary, extract_rules
from honem.evaluation import (
    CLASSIFIERS,
    Cell,
    Classification,
    DependentShares,
    LinkPrediction,
    Measure,
    NamedMethod,
    Picture,
    Reconstruction,
    Record,
    Visualization,
    align,
    cells,
    data_row,
    dependency_correlation,
    dependency_counts,
    dependent_shares,
    evaluate_cell,
    evaluate_classification,
    evaluate_link_prediction,
    evaluate_reconstruction,
    evaluate_visualization,
    indicator,
    judge_cell,
    over_seeds,
    project,
    time_jobs,
    time_methods,
    time_orders,
)
from honem.evaluation.datasets import city_trips, planted_paths
from honem.evaluation.node_features import NodeFeatures
from honem.evaluation.scaling import scaler_of
from honem.profile import Features
from tests.evaluation.examples import knowing, random_embedding, vocabulary

CHANCE = NamedMethod("chance", random_embedding)


@pytest.fixture(scope="module")
def paths() -> Corpus:
    return planted_paths(n_nodes=120, n_steps=20_000, orders=(2,), contexts_per_order=10, seed=3).corpus


def values(measures: Any) -> dict[tuple[str, str], float]:
    return {(measure.score, measure.metric): measure.value for measure in measures}


def two_groups(n: int = 60, apart: float = 8.0) -> tuple[Corpus, Embedding, dict[Hashable, str]]:
    """Nodes of two groups in one corpus, with vectors that lie apart."""
    nodes = vocabulary(n)
    corpus = Corpus.from_arrays(nodes, np.arange(n), [n])
    source = np.random.default_rng(0).normal(size=(n, 5))
    source[n // 2 :, 0] += apart
    labels: dict[Hashable, str] = {
        str(node): "left" if number < n // 2 else "right" for number, node in enumerate(nodes)
    }
    return corpus, Embedding(corpus.vocabulary, source), labels


class TestReconstruction:
    def test_the_truth_has_precision_one_up_to_the_number_of_edges(self, paths: Corpus) -> None:
        task = Reconstruction(paths)
        n_edges = len(task.truth)
        ranking = task.rank(knowing(task.truth, paths.vocabulary))
        assert ranking.precision_at(n_edges) == 1
        assert ranking.precision_at(2 * n_edges) == 0.5

    def test_the_curve_reaches_all_pairs_where_they_are_few(self, paths: Corpus) -> None:
        found = values(Reconstruction(paths).judge(random_embedding(paths, 8, 0)))
        n_pairs = paths.n_nodes * (paths.n_nodes - 1)
        chance = len(Reconstruction(paths).truth) / n_pairs
        assert found["source.target", f"precision@{n_pairs}"] == pytest.approx(chance)
        assert found["source.source", f"precision@{n_pairs}"] == pytest.approx(chance)

    def test_only_what_is_asked_for(self, paths: Corpus) -> None:
        task = Reconstruction(paths, scores=["cosine"], ks=[1, 10, 10**9])
        metrics = [measure[:2] for measure in task.judge(random_embedding(paths, 8, 0))]
        assert metrics == [("cosine", "precision@1"), ("cosine", "precision@10")]


class TestLinkPrediction:
    def test_the_truth_scores_one(self, paths: Corpus) -> None:
        task = LinkPrediction(paths)
        held_out = task.split(5).held_out
        found = values(task.judge(knowing(held_out, paths.vocabulary), 5))
        n_judged = len(set(held_out.sources.tolist()))
        assert found["source.target", "map"] == 1
        assert found["source.target", "map_all_nodes"] == pytest.approx(n_judged / paths.n_nodes)
        assert found["source.target", "precision@100"] == 1
        assert found["source.target", "precision@1024"] == pytest.approx(len(held_out) / 1024)
        assert found["source.target", "nodes_with_held_out_edge"] == n_judged

    def test_new_pairs_have_no_training_edge_in_either_direction(self, paths: Corpus) -> None:
        # Each path also goes back, so most held-out edges have their reverse in training.
        both_ways = Corpus.from_sequences(side for path in paths.sequences() for side in (path, path[::-1]))
        task = LinkPrediction(both_ways)
        split = task.split(0)
        reverse = split.training.reversed()
        is_new = ~reverse.contain(split.held_out.keys)
        assert 0 < np.count_nonzero(is_new) < 0.5 * len(is_new)
        found = values(task.judge(knowing(reverse, both_ways.vocabulary), 0))
        assert found["source.target", "map"] > 0.6
        assert found["source.target", "map_new_pairs"] < 0.2
        assert found["source.target", "nodes_with_new_pair"] == len(set(split.held_out.sources[is_new].tolist()))
        new = split.held_out.select(is_new)
        assert values(task.judge(knowing(new, both_ways.vocabulary), 0))["source.target", "map_new_pairs"] == 1

    def test_without_new_pairs_there_is_no_such_number(self) -> None:
        there_and_back = Corpus.from_sequences([["a", "b", "a"], ["c", "d", "c"], ["e", "f", "e"]])
        task = LinkPrediction(there_and_back, share=0.1)
        found = values(task.judge(random_embedding(there_and_back, 2, 0), 0))
        assert ("source.target", "map_new_pairs") not in found
        assert found["source.target", "nodes_with_new_pair"] == 0

    def test_vectors_are_judged_by_dot_products_and_by_cosine(self, paths: Corpus) -> None:
        two = random_embedding(paths, 4, 0)
        for embedding, scores in (
            (two, ["source.target", "source.source", "cosine"]),
            (Embedding(two.vocabulary, two.source), ["source.source", "cosine"]),
        ):
            for task in (LinkPrediction(paths, ks=[5]), Reconstruction(paths, ks=[5])):
                assert list(dict.fromkeys(measure.score for measure in task.judge(embedding, 0))) == scores

    def test_training_edges_are_no_candidates(self, paths: Corpus) -> None:
        task = LinkPrediction(paths)
        split = task.split(0)
        # It knows the training edges only, so that all it says is about pairs that are not ranked.
        seen = task.rank(knowing(split.training, paths.vocabulary), 0)
        assert seen.n_candidates == paths.n_nodes * (paths.n_nodes - 1) - len(split.training)
        assert seen.mean_average_precision < 0.2

    def test_chance_scores_near_chance(self, paths: Corpus) -> None:
        task = LinkPrediction(paths)
        found = np.mean([task.rank(random_embedding(paths, 8, seed), seed).mean_average_precision for seed in range(5)])
        assert 0.01 < found < 0.1

    def test_a_method_sees_the_cut_corpus(self, paths: Corpus) -> None:
        seen: list[Corpus] = []

        def fit(corpus: Corpus, dimension: int, seed: int) -> Embedding:
            seen.append(corpus)
            return random_embedding(corpus, dimension, seed)

        task = LinkPrediction(paths)
        evaluate_cell(Cell(task, NamedMethod("spy", fit), 4, 7))
        np.testing.assert_array_equal(seen[0].offsets, task.split(7).corpus.offsets)
        assert seen[0].n_sequences > paths.n_sequences


class TestClassification:
    @pytest.mark.parametrize("classifier", CLASSIFIERS)
    def test_groups_that_lie_apart_are_told_apart(self, classifier: Any) -> None:
        corpus, embedding, labels = two_groups()
        task = Classification(corpus, "side", labels, classifiers=[classifier], repeats=3)
        assert values(task.judge(embedding, 0))["source", f"auroc:{classifier}"] > 0.95

    def test_labels_that_are_counts_of_the_paths_are_marked(self) -> None:
        corpus, _, labels = two_groups()
        assert Classification(corpus, "traffic", labels, counted=True).name == "classification:traffic (counted)"
        assert Classification(corpus, "side", labels).name == "classification:side"

    def test_noise_is_near_one_half_for_two_classes_and_for_many(self) -> None:
        corpus, embedding, _ = two_groups(300, apart=0)
        for n_classes in (2, 4):
            labels = {node: str(number % n_classes) for number, node in enumerate(corpus.vocabulary)}
            task = Classification(corpus, "noise", labels, classifiers=["logistic_regression"])
            assert values(task.judge(embedding, 0))["source", "auroc:logistic_regression"] == pytest.approx(
                0.5, abs=0.1
            )

    def test_nodes_without_a_label_and_rare_classes_are_left_out_and_counted(self) -> None:
        corpus, embedding, labels = two_groups()
        nodes = list(labels)
        del labels[nodes[0]]
        labels[nodes[1]] = ""
        labels |= dict.fromkeys(nodes[2:7], "rare")
        task = Classification(corpus, "side", labels, classifiers=["decision_tree"], repeats=2)
        found = values(task.judge(embedding, 0))
        assert found["source", "unlabelled_nodes"] == 2
        assert found["source", "left_out_nodes"] == 5
        assert task.nodes.names == ("left", "right")

    def test_the_seed_decides(self) -> None:
        corpus, embedding, labels = two_groups(apart=1)
        task = Classification(corpus, "side", labels, classifiers=["random_forest"], repeats=2)
        one, same, other = (list(task.judge(embedding, seed)) for seed in (1, 1, 2))
        assert one == same != other

    def test_roles_are_in_profiles_and_groups_in_vectors(self) -> None:
        corpus, embedding, labels = two_groups()
        # Pairs of a hub and a leaf; one after the other, so that both roles are on both sides.
        roles = {node: ("hub", "leaf")[number // 2 % 2] for number, node in enumerate(labels)}
        hubs, leaves = ([node for node, role in roles.items() if role == wanted] for wanted in ("hub", "leaf"))
        paths = [[leaf, hub, leaf] for leaf in leaves for hub in hubs]
        corpus = Corpus.from_arrays(
            corpus.vocabulary, [corpus.vocabulary.id(node) for path in paths for node in path], [3] * len(paths)
        )
        kinds: tuple[Features, ...] = ("vectors", "profile", "both")
        expected = {"roles": (False, True, True), "side": (True, False, True)}
        for name, classes in (("roles", roles), ("side", labels)):
            task = Classification(corpus, name, classes, classifiers=["logistic_regression"], features=kinds, repeats=3)
            found = values(task.judge(embedding, 0))
            areas = [found[score, "auroc:logistic_regression"] for score in ("source", "profile", "source+profile")]
            assert [area > 0.9 for area in areas] == list(expected[name]), areas

    def test_the_profile_is_the_same_for_every_method(self) -> None:
        corpus, embedding, labels = two_groups()
        task = Classification(corpus, "side", labels, classifiers=["decision_tree"], features=["profile"], repeats=2)
        noise = Embedding(corpus.vocabulary, np.random.default_rng(1).standard_normal((corpus.n_nodes, 5)))
        assert list(task.judge(embedding, 0)) == list(task.judge(noise, 0))
        with pytest.raises(ParameterError, match="features must be one of 'vectors', 'profile', 'both', not 'all'"):
            list(Classification(corpus, "side", labels, features=["all"]).judge(embedding, 0))  # type: ignore[list-item]

    def test_columns_are_standardized_and_many_vectors_weigh_no_more_than_a_profile(self) -> None:
        vectors, profile = np.random.default_rng(0).standard_normal((2, 50, 3)) * [10, 1, 0.1] + 5
        many = np.hstack([vectors] * 4)
        for features, expected in (
            (NodeFeatures(many, profile), 0.5),
            (NodeFeatures(vectors[:, :1], profile), 1.0),
            (NodeFeatures(many, np.empty((50, 0))), 1.0),
        ):
            scaled = scaler_of(features).fit_transform(features.matrix)
            n_vectors = features.vectors.shape[1]
            np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
            np.testing.assert_allclose(scaled[:, :n_vectors].std(axis=0), expected)
            np.testing.assert_allclose(scaled[:, n_vectors:].std(axis=0), 1)
        constant = NodeFeatures(np.ones((4, 2)), np.empty((4, 0)))
        np.testing.assert_array_equal(scaler_of(constant).fit_transform(constant.matrix), np.zeros((4, 2)))

    def test_one_class_is_refused(self) -> None:
        corpus, embedding, labels = two_groups()
        with pytest.raises(ParameterError, match="two classes of at least 10 nodes; there are 'left'"):
            list(Classification(corpus, "side", dict.fromkeys(labels, "left")).judge(embedding, 0))
        with pytest.raises(ParameterError, match="classifier must be one of 'logistic_regression'"):
            list(Classification(corpus, "side", labels, classifiers=["svm"]).judge(embedding, 0))  # type: ignore[list-item]


class TestVisualization:
    @pytest.mark.parametrize("tsne", ["opentsne", "sklearn"])
    def test_groups_that_lie_apart_stay_apart(self, tsne: Any) -> None:
        if tsne == "opentsne":
            pytest.importorskip("openTSNE")
        corpus, embedding, labels = two_groups(apart=30)
        task = Visualization(corpus, labels, tsne=tsne)
        found = values(task.judge(embedding, 0))
        assert found["source", "knn_accuracy"] == found["source", "knn_balanced_accuracy"] == 1
        assert found["source", "silhouette"] > 0.5
        once, again = (task.picture(embedding, 0).points for _ in range(2))
        np.testing.assert_array_equal(once, again)

    def test_only_the_values_asked_for_are_shown(self) -> None:
        corpus, embedding, labels = two_groups()
        labels |= dict.fromkeys(list(labels)[:20], "middle")
        picture = Visualization(corpus, labels, ["middle", "right"], tsne="sklearn").picture(embedding, 0)
        assert picture.names == ("middle", "right")
        assert len(picture.points) == len(picture.nodes) == 50
        with pytest.raises(ParameterError, match="no node has the label 'nowhere'"):
            Visualization(corpus, labels, ["right", "nowhere"]).picture(embedding, 0)

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_vectors_that_are_all_the_same_have_no_picture(self) -> None:
        pytest.importorskip("openTSNE")
        with pytest.raises(ParameterError, match="17 vectors, 1 of them distinct"):
            project(np.zeros((17, 4)), 0)

    def test_neighbours_vote_without_the_point_itself(self) -> None:
        points = np.array([[0.0, 0], [0.1, 0], [0.2, 0], [9, 0], [9.1, 0], [9.2, 0], [0.15, 0]])
        picture = Picture(tuple(range(7)), points, np.array([0, 0, 0, 1, 1, 1, 1]), ("a", "b"))
        assert picture.neighbor_accuracy(1) == pytest.approx(4 / 7)
        assert picture.neighbor_accuracy(2) == pytest.approx(6 / 7)
        assert picture.neighbor_accuracy(2, balanced=True) == pytest.approx((1 + 3 / 4) / 2)

    def test_without_opentsne_the_message_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known = builtins.__import__

        def without(name: str, *rest: Any) -> Any:
            if name == "openTSNE":
                raise ImportError(name)
            return known(name, *rest)

        monkeypatch.setattr(builtins, "__import__", without)
        with pytest.raises(
            MissingDependencyError, match=r"pip install 'honem\[visualization\]', or use tsne='sklearn'"
        ):
            project(np.zeros((4, 3)), 0)


class TestRunningTime:
    def test_the_least_time_counts_and_jobs_take_turns(self) -> None:
        turns: list[str] = []
        spent = {"quick": iter([5.0, 1.0]), "slow": iter([4.0, 6.0])}
        now = 0.0

        def job(name: str) -> Any:
            def run() -> None:
                nonlocal now
                turns.append(name)
                now += next(spent[name])

            return run

        found = time_jobs({name: job(name) for name in spent}, "quick", repeats=2, clock=lambda: now)
        assert turns == ["quick", "slow", "quick", "slow"]
        assert found["quick"] == (1.0, 1.0)
        assert found["slow"] == (4.0, 4.0)

    def test_a_long_job_is_not_done_again(self) -> None:
        now, turns = 0.0, []

        def job(name: str, seconds: float) -> Any:
            def run() -> None:
                nonlocal now
                now += seconds
                turns.append(name)

            return run

        jobs = {"quick": job("quick", 1), "slow": job("slow", 5)}
        found = time_jobs(jobs, "quick", repeats=3, clock=lambda: now, longest=4)
        assert turns == ["quick", "slow", "quick", "quick"]
        assert found["slow"] == (5, 5)

    def test_a_method_that_cannot_is_left_out_where_problems_are_asked_for(self, paths: Corpus) -> None:
        def from_three(corpus: Corpus, dimension: int, seed: int) -> Embedding:
            if dimension < 3:
                raise ParameterError("too few dimensions")
            return random_embedding(corpus, dimension, seed)

        methods = [CHANCE, NamedMethod("from three", from_three)]
        problems: dict[str, str] = {}
        records = time_methods(paths, methods, [2, 4], reference="chance", repeats=1, problems=problems)
        assert [(r.method, r.dimension) for r in records if r.metric == "ratio"] == [
            ("chance", 2),
            ("chance", 4),
            ("from three", 4),
        ]
        assert problems == {"from three": "too few dimensions"}
        with pytest.raises(ParameterError, match="too few"):
            time_methods(paths, methods, [2], reference="chance", repeats=1)
        with pytest.raises(ParameterError, match="too few"):
            time_methods(paths, methods, [2], reference="from three", repeats=1, problems={})

    def test_rows_name_method_dimension_and_order(self, paths: Corpus) -> None:
        other = NamedMethod("other", random_embedding)
        records = time_methods(paths, [CHANCE, other], [2, 4], reference="chance", repeats=1, dataset="paths")
        assert [(r.method, r.dimension) for r in records if r.metric == "ratio"] == [
            ("chance", 2),
            ("other", 2),
            ("chance", 4),
            ("other", 4),
        ]
        assert [r.value for r in records if r.method == "chance" and r.metric == "ratio"] == [1, 1]
        by_order = time_orders(paths, {2: CHANCE, 1: CHANCE}, 4, repeats=1)
        assert [r.method for r in by_order if r.metric == "ratio"] == ["chance (max order 1)", "chance (max order 2)"]
        with pytest.raises(ParameterError, match="reference must be one of 'chance'"):
            time_methods(paths, [CHANCE], [2], reference="HONEM")


class TestDataTable:
    def test_busy_nodes_have_more_dependencies(self) -> None:
        # Where a trip came from decides where it goes on after a hub; nothing depends on what was before other places.
        corpus = city_trips(2000).corpus
        rules = extract_rules(corpus)
        traffic: dict[Hashable, float] = {node: float("t" in str(node)) for node in corpus.vocabulary}
        traffic |= {"downtown": 9.0, "station": 9.0}
        found = dependent_shares(rules, traffic)
        busy = [node for node, amount in traffic.items() if amount > np.median(list(traffic.values()))]
        assert found == pytest.approx((2 / len(busy), 0.0))
        assert found.more_likely == float("inf")
        assert DependentShares(0.6, 0.4).more_likely == pytest.approx(0.5)
        assert DependentShares(0.0, 0.0).more_likely == 0

    def test_the_worked_example(self) -> None:
        corpus = Corpus.from_sequences([list("ACDEACDBCE")] * 5)
        rules = extract_rules(corpus, engine="reference", criterion="divergence", lower_orders="hon")
        row = data_row(corpus, rules, "example")
        assert (row.nodes, row.fon_edges, row.highest_order) == (5, 7, 2)
        assert row.hon_nodes == 7
        assert row.gamma == row.hon_edges / 7
        counts = dict(zip(rules.vocabulary, dependency_counts(rules).tolist(), strict=True))
        assert counts == {"A": 0, "C": 2, "D": 0, "E": 0, "B": 0}

    def test_amounts_that_are_the_counts_correlate_fully(self) -> None:
        trips = city_trips(4000)
        rules = extract_rules(trips.corpus, engine="reference", min_support=10)
        counts = dict(zip(rules.vocabulary, dependency_counts(rules).astype(float).tolist(), strict=True))
        assert dependency_correlation(rules, {node: 3 - 2 * n for node, n in counts.items()}).r == pytest.approx(-1)
        # Only at a hub does the past matter.
        hubs = indicator({place: "hub" if place not in trips.groups else "place" for place in rules.vocabulary}, "hub")
        found = dependency_correlation(rules, hubs)
        assert found.r > 0.99
        assert found.n_nodes == trips.corpus.n_nodes
        assert np.isnan(dependency_correlation(rules, dict.fromkeys(counts, 1.0)).r)

    def test_rules_of_another_corpus_are_refused(self) -> None:
        corpus = Corpus.from_sequences([list("abc")])
        with pytest.raises(ParameterError, match="another corpus"):
            data_row(corpus, extract_rules(Corpus.from_sequences([list("xyz")]), engine="reference"))


class TestHarness:
    def test_tables_name_data_score_and_seed(self, paths: Corpus) -> None:
        frame = evaluate_link_prediction(paths, [CHANCE], [4, 8], range(2), ["source.target"], ks=[10], dataset="paths")
        assert list(frame.columns) == list(Record._fields)
        assert set(frame["dataset"]) == {"paths"}
        assert set(frame["seed"]) == {0, 1}
        assert set(frame["dimension"]) == {4, 8}
        assert set(frame["score"]) == {"source.target"}
        assert not frame.duplicated(list(Record._fields[:-1])).any()

    def test_a_cell_alone_is_the_cell_in_the_table(self, paths: Corpus) -> None:
        task = LinkPrediction(paths, "paths", ks=[10])
        table = [record for cell in cells(task, [CHANCE], [4, 8], [0, 1]) for record in evaluate_cell(cell)]
        alone = evaluate_cell(Cell(task, CHANCE, 8, 1))
        assert alone == [record for record in table if (record.dimension, record.seed) == (8, 1)]
        keys = [cell.key for cell in cells(task, [CHANCE], [4, 8], [0, 1])]
        assert len(set(keys)) == 4
        assert keys[0] == ("paths", "link_prediction", "chance", 4, 0)

    def test_every_task_gives_a_table(self, paths: Corpus) -> None:
        labels = {node: "even" if int(str(node)) % 2 else "odd" for node in paths.vocabulary}
        assert len(evaluate_reconstruction(paths, [CHANCE], [4], [0], ks=[5])) == 3
        frame = evaluate_classification(
            paths, [CHANCE], {"parity": labels}, [4], [0], classifiers=["decision_tree"], repeats=2
        )
        assert set(frame["task"]) == {"classification:parity"}
        assert len(evaluate_visualization(paths, [CHANCE], labels, dimensions=[4], tsne="sklearn")) == 3

    def test_mean_and_deviation_over_seeds(self) -> None:
        rows = [Record("d", "t", "m", 4, seed, "s", "map", value) for seed, value in enumerate([1.0, 2.0, 3.0])]
        found = over_seeds(rows).iloc[0]
        assert (found["mean"], found["deviation"], found["seeds"]) == (2, 1, 3)

    def test_vectors_from_elsewhere_are_judged_by_node(self, paths: Corpus) -> None:
        task = Reconstruction(paths, ks=[50])
        embedding = random_embedding(paths, 6, 0)
        assert embedding.target is not None
        order = np.random.default_rng(0).permutation(len(embedding))
        shuffled = Embedding(
            Vocabulary(tuple(embedding.nodes[row] for row in order)), embedding.source[order], embedding.target[order]
        )
        cell = Cell(task, CHANCE, 0, 0)
        assert judge_cell(cell, shuffled) == judge_cell(cell, embedding)
        assert judge_cell(cell, shuffled)[0].dimension == 6

    def test_a_node_without_a_vector_is_refused_or_zero(self) -> None:
        embedding = Embedding(Vocabulary(("a",)), np.ones((1, 2)))
        with pytest.raises(ParameterError, match="1 of 2 nodes have no vector, the first is 'b'"):
            align(embedding, Vocabulary(("b", "a")))
        assert align(embedding, Vocabulary(("b", "a")), "zero").source.tolist() == [[0, 0], [1, 1]]

    def test_measures_are_plain_numbers(self, paths: Corpus) -> None:
        for measure in LinkPrediction(paths).judge(random_embedding(paths, 4, 0), 0):
            assert isinstance(measure, Measure)
            assert type(measure.value) in (int, float)
