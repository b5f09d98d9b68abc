"""What comes next: the blend of contexts against the obvious one, and what every model of probabilities owes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from honem import HONEM, Corpus
from honem.errors import CorpusError, ParameterError, UnknownNodeError
from honem.evaluation.datasets import planted_paths
from honem.prediction import NextStep, StepVectors, base_tuning, fitting, growing
from honem.prediction.base_tuning import BaseTuning
from honem.prediction.growing import TrieGrowth, grow_trie
from honem.prediction.next_step import BASES_AT_ONCE
from honem.prediction.smoothing import N_CLASSES, WHOLE, Smoothing
from honem.prediction.splitting import hold_out_copies
from honem.prediction.tuning import HeldOutLoss, HeldOutRows, tune_smoothing, usual_smoothing
from tests.prediction.obvious import START, Context, ObviousBlend, steps
from tests.strategies import corpora

SEEDS = st.integers(0, 2**32 - 1)


def any_smoothing(seed: int, depth: int) -> Smoothing:
    random = np.random.default_rng(seed)
    n_kinds = (depth + 1) * N_CLASSES
    return Smoothing(
        alpha=float(random.choice([0.0, 0.3, 0.5, 1.0])),
        depth=depth,
        discounts=random.uniform(0.01, 0.99, (n_kinds, 3)) * WHOLE,
        strengths=random.exponential(size=n_kinds),
        base_share=float(random.choice([0.0, 0.4, 1.0])),
        popularity=float(random.normal()),
        affinity=float(random.normal()),
    )


def any_vectors(seed: int, corpus: Corpus) -> StepVectors:
    source, target = np.random.default_rng(seed).normal(size=(2, corpus.n_nodes, 3))
    return StepVectors(source, target)


def model_of(corpus: Corpus, smoothing: Smoothing, vectors: StepVectors | None) -> NextStep:
    trie = grow_trie(corpus, smoothing.depth).trie
    return NextStep(corpus.vocabulary, trie, smoothing, np.ones(corpus.n_nodes, np.int64), vectors)


def known(history: Context) -> list[int]:
    return [node for node in history if isinstance(node, int)]


@given(corpora(max_sequences=8), corpora(max_sequences=4), SEEDS, st.integers(1, 6))
def test_probabilities_are_those_of_the_obvious_model(corpus: Corpus, other: Corpus, seed: int, depth: int) -> None:
    smoothing, vectors = any_smoothing(seed, depth), any_vectors(seed, corpus)
    obvious, model = ObviousBlend(corpus, smoothing, vectors), model_of(corpus, smoothing, vectors)
    labels = corpus.vocabulary.labels
    elsewhere = [tuple(node % corpus.n_nodes for node in known(history)) for history, _, _ in steps(other)]
    inside = [tuple(known(history)) for history, _, _ in steps(corpus)]
    for histories, from_start in ((elsewhere, False), (inside, True), ([()], False)):
        found = model.predict_proba(
            [[labels[node] for node in history] for history in histories], from_start=from_start
        )
        expected = [
            obvious.distribution((START, *history)) if from_start else obvious.open_distribution(history)
            for history in histories
        ]
        np.testing.assert_allclose(found, np.reshape(expected, found.shape), rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(found.sum(axis=1), 1, rtol=0, atol=1e-12)


@given(corpora(max_sequences=8), SEEDS, st.integers(1, 6))
def test_scores_ranks_and_answers_agree(corpus: Corpus, seed: int, depth: int) -> None:
    smoothing, vectors = any_smoothing(seed, depth), any_vectors(seed, corpus)
    model, labels = model_of(corpus, smoothing, vectors), corpus.vocabulary.labels
    histories = [[labels[node] for node in known(history)] for history, _, _ in steps(corpus)]
    scores, rows = model.score(corpus), model.predict_proba(histories, from_start=True)
    predicted = model.predict_many(histories, k=corpus.n_nodes + 5, from_start=True)
    assert len(predicted) == len(histories)
    for place, (_, node, _) in enumerate(steps(corpus)):
        answer = predicted[place]
        assert scores.log_probabilities[place] == pytest.approx(np.log2(rows[place, node]))
        assert answer.nodes[scores.ranks[place] - 1].node == labels[node]
        assert [found.probability for found in answer.nodes] == sorted(rows[place], reverse=True)
        assert sum(part.weight for part in answer.contributions) == pytest.approx(1)
        alone = model.predict(histories[place], k=corpus.n_nodes, from_start=True)
        assert alone == answer


def test_one_history_and_many_get_the_same_bits() -> None:
    corpus = planted_paths(700, 20_000, contexts_per_order=50, length=11, seed=1).corpus
    source, target = np.random.default_rng(0).normal(size=(2, corpus.n_nodes, 61)) / 8
    smoothing = replace(any_smoothing(3, 3), base_share=0.6, popularity=0.7, affinity=1.3)
    model = model_of(corpus, smoothing, StepVectors(source, target))
    histories = [list(sequence[:4]) for sequence in corpus.sequences()][:600]
    assert len({history[-1] for history in histories}) > BASES_AT_ONCE
    rows, predicted = model.predict_proba(histories), model.predict_many(histories, k=7)
    for place in range(0, len(histories), 23):
        assert (model.predict_proba([histories[place]])[0] == rows[place]).all()
        assert model.predict(histories[place], k=7) == predicted[place]


@settings(max_examples=25)
@given(corpora(max_sequences=8))
def test_observed_counts_are_beside_the_probabilities(corpus: Corpus) -> None:
    model, labels = model_of(corpus, usual_smoothing(3), None), corpus.vocabulary.labels
    for history, _, _ in steps(corpus):
        answer = model.predict([labels[node] for node in known(history)], k=corpus.n_nodes)
        context = tuple(labels.index(node) for node in answer.context)
        after: Counter[int] = Counter()
        for other, node, weight in steps(corpus):
            if tuple(known(other))[len(known(other)) - len(context) :] == context:
                after[node] += weight
        assert {labels.index(found.node): found.observed for found in answer.nodes if found.observed} == dict(after)
        assert answer.observed == after.total()


@given(corpora(max_sequences=10), SEEDS, st.integers(1, 5))
def test_the_loss_of_held_out_copies_is_that_of_a_model_without_them(corpus: Corpus, seed: int, depth: int) -> None:
    held = np.random.default_rng(seed).binomial(corpus.weights, 0.4)
    training, judged = corpus.reweighted(corpus.weights - held), corpus.reweighted(held)
    if not (training.n_steps and judged.n_steps):
        return
    smoothing = replace(any_smoothing(seed, depth), base_share=0.0)
    obvious = ObviousBlend(training, smoothing)
    losses = [-weight * np.log2(obvious.distribution(history)[node]) for history, node, weight in steps(judged)]
    rows = HeldOutRows.of(grow_trie(corpus, depth, held), depth)
    expected = sum(losses) / judged.n_weighted_steps
    assert HeldOutLoss.of(rows, smoothing.alpha).bits(smoothing) == pytest.approx(expected)


WALKS = planted_paths(30, 3_000, orders=(2, 3), contexts_per_order=15, length=13, out_degree=4, seed=2).corpus


def test_derivatives_are_those_of_the_loss() -> None:
    held = hold_out_copies(WALKS, 0.2)
    smoothing = replace(any_smoothing(5, 4), base_share=0.3)
    loss = HeldOutLoss.of(HeldOutRows.of(grow_trie(WALKS, 4, held), 4), 0.5)
    loss = loss._replace(guesses=np.random.default_rng(0).uniform(0.01, 0.1, len(loss.guesses)))
    _, by_discount, by_strength, by_base, above = loss.derivatives(smoothing)

    def value(values: np.ndarray) -> float:
        discounts, strengths = values[: by_discount.size].reshape(by_discount.shape), values[by_discount.size :]
        return loss.derivatives(replace(smoothing, discounts=discounts, strengths=strengths))[0]

    point = np.concatenate((smoothing.discounts.ravel(), smoothing.strengths))
    numeric = approx_fprime(point, value, 1e-6)
    np.testing.assert_allclose(np.concatenate((by_discount.ravel(), by_strength)), numeric, rtol=1e-3, atol=1e-2)
    higher, lower = (loss.derivatives(replace(smoothing, base_share=0.3 + change))[0] for change in (1e-5, -1e-5))
    by_share = (by_base * (loss.guesses - above))[loss.at_base].sum()
    assert by_share == pytest.approx((higher - lower) / 2e-5, rel=1e-4)


def test_fitting_lowers_the_loss_and_finds_the_memory() -> None:
    growth = TrieGrowth(WALKS, hold_out_copies(WALKS, 0.2))
    found = tune_smoothing(growth, 6)
    usual = usual_smoothing(found.depth, found.alpha)
    loss = HeldOutLoss.of(HeldOutRows.of(growth.reaching(found.depth), found.depth), found.alpha)
    assert loss.bits(found) < loss.bits(usual) - 0.02
    assert found.depth >= 3


def test_vectors_are_used_if_they_help() -> None:
    tuning = tuning_of(WALKS)
    noise = any_vectors(1, WALKS)
    assert tuning.tuned(noise).affinity < 0.2
    assert not tuning.may_gain(noise)
    oracle = oracle_vectors(WALKS)
    assert tuning.tuned(oracle).base_share > 0.5
    assert tuning.may_gain(oracle)


def tuning_of(corpus: Corpus) -> BaseTuning:
    growth = TrieGrowth(corpus, hold_out_copies(corpus, 0.2))
    smoothing = tune_smoothing(growth, 4)
    return BaseTuning.of(HeldOutRows.of(growth.reaching(smoothing.depth), smoothing.depth), smoothing)


def oracle_vectors(corpus: Corpus) -> StepVectors:
    """Vectors whose score is 1 for each step that occurs, and 0 for others."""
    followed = np.zeros((corpus.n_nodes, corpus.n_nodes))
    for history, node, _ in steps(corpus):
        followed[known(history)[-1], node] = 1.0
    return StepVectors(followed, np.eye(corpus.n_nodes))


def test_vectors_that_cannot_help_are_not_learned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def embed(corpus: Corpus) -> StepVectors:
        asked.append(corpus.n_sequences)
        return oracle_vectors(WALKS)

    noise, oracle = any_vectors(1, WALKS), oracle_vectors(WALKS)
    NextStep.fit(WALKS, embed=embed, vectors=noise)
    assert len(asked) == 1  # with few steps, vectors are always learned again
    monkeypatch.setattr(fitting, "MOST_HELD_OUT", WALKS.n_steps // 6)
    for vectors in (noise, oracle, None):
        NextStep.fit(WALKS, embed=embed, vectors=vectors)
    # Not for noise; of the held-in part if vectors are known, and of all sequences after that if they are not.
    assert len(asked) == 4
    assert asked[1] == asked[2] < asked[3] == WALKS.n_sequences


def test_a_sample_of_last_nodes_has_the_loss_of_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    tuning, vectors = tuning_of(WALKS), oracle_vectors(WALKS)
    whole = tuning.sample(WALKS.n_nodes**2)
    assert len(whole.sources) == WALKS.n_nodes
    parts = [tuning.loss.starting_at(tuning.loss.at_base & (tuning.symbols == node))[0] for node in whole.sources]
    weights = [
        tuning.loss.weights[below].sum()
        for below in (descendants(tuning.loss, tuning.symbols == node) for node in whole.sources)
    ]
    assert np.average([part.bits(tuning.start) for part in parts], weights=weights) == pytest.approx(
        tuning.loss.bits(tuning.start), rel=0.01
    )
    some = tuning.sample(10 * WALKS.n_nodes)
    assert 5 <= len(some.sources) <= 10
    assert some.loss.weights.sum() == pytest.approx(tuning.loss.weights.sum())
    monkeypatch.setattr(base_tuning, "MOST_SCORES_AT_ONCE", 3 * WALKS.n_nodes)
    factors = replace(tuning.start, base_share=0.5, affinity=2.0)
    in_parts = whole.with_guesses(factors, vectors).guesses
    monkeypatch.undo()
    assert (in_parts == whole.with_guesses(factors, vectors).guesses).all()


def descendants(loss: HeldOutLoss, chosen: np.ndarray) -> np.ndarray:
    found = chosen & loss.at_base
    for entry, parent in enumerate(loss.parents.tolist()):
        found[entry] |= parent >= 0 and found[parent]
    return found


@given(corpora(max_sequences=10), st.integers(1, 6), st.integers(1, 6), st.integers(1, 5))
def test_branches_and_threads_do_not_change_the_trie(corpus: Corpus, first: int, more: int, steps: int) -> None:
    held = corpus.weights // 2
    expected = grow_trie(corpus, first + more, held, n_jobs=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing, "STEPS_PER_BRANCH", steps)
        growth = TrieGrowth(corpus, held, n_jobs=2)
        growth.reaching(first)
        found = growth.reaching(first + more)
    for name in ("symbols", "n_children", "row_offsets", "targets", "counts", "row_parents"):
        np.testing.assert_array_equal(getattr(found.trie, name), getattr(expected.trie, name), name)
    np.testing.assert_array_equal(found.held, expected.held)
    looked_up = replace(expected.trie, counts=expected.trie.counts).row_parents
    np.testing.assert_array_equal(expected.trie.row_parents, looked_up)


@settings(max_examples=20)
@given(corpora(max_sequences=10))
def test_weight_w_is_w_copies(corpus: Corpus) -> None:
    copies = Corpus.from_sequences(
        sequence
        for sequence, weight in zip(corpus.sequences(), corpus.weights.tolist(), strict=True)
        for _ in range(weight)
    )
    weighted, repeated = NextStep.fit(corpus), NextStep.fit(copies)
    histories = [list(sequence[:end]) for sequence in corpus.sequences() for end in range(len(sequence))]
    np.testing.assert_allclose(weighted.predict_proba(histories), repeated.predict_proba(histories), rtol=1e-12)


def test_a_fit_gives_the_same_bits_again() -> None:
    def embed(corpus: Corpus) -> StepVectors:
        return any_vectors(0, corpus)

    first, second = (NextStep.fit(WALKS, embed=embed, n_jobs=n_jobs) for n_jobs in (1, 2))
    histories = [list(sequence[:5]) for sequence in WALKS.sequences()]
    assert (first.predict_proba(histories) == second.predict_proba(histories)).all()


TRIPS = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20 + [["zoo"]]


@pytest.fixture(scope="module")
def model() -> NextStep:
    return NextStep.fit(Corpus.from_sequences(TRIPS))


@pytest.mark.parametrize(
    ("history", "context", "unknown"),
    [
        (["dorm", "centre"], ("dorm", "centre"), ()),
        (["zoo", "home", "centre"], ("home", "centre"), ()),
        (["moon", "home", "centre"], ("home", "centre"), ("moon",)),
        (["dorm", "moon", "centre"], ("centre",), ("moon",)),
        (["dorm", "centre", "moon"], (), ("moon",)),
        (["zoo"], (), ()),
        ([], (), ()),
    ],
)
def test_the_longest_known_suffix_is_used(
    model: NextStep, history: list[str], context: tuple[str, ...], unknown: tuple[str, ...]
) -> None:
    found = model.predict(history, k=2)
    assert (found.context, found.order, found.unknown) == (context, len(context), unknown)
    assert found.to_dict()["next"][0]["node"] == found.nodes[0].node


def test_the_start_of_a_path_is_a_symbol(model: NextStep) -> None:
    inside, at_start = (model.predict(["dorm"], from_start=known) for known in (False, True))
    assert [part.from_start for part in inside.contributions] == [False, False]
    assert [part.from_start for part in at_start.contributions] == [True, False, False]
    assert at_start.contributions[0].context == ("dorm",)


def test_what_has_no_meaning_is_refused(model: NextStep) -> None:
    with pytest.raises(ParameterError, match="write \\['dorm'\\]"):
        model.predict("dorm")
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1, not 0"):
        model.predict(["dorm"], k=0)
    with pytest.raises(ParameterError, match="3 nodes that are not the 6 of the model"):
        model.score(Corpus.from_sequences([["a", "b", "c"]]))
    with pytest.raises(ParameterError, match="max_order must be a whole number of at least 1, not 0"):
        NextStep.fit(WALKS, max_order=0)
    with pytest.raises(CorpusError, match="no sequence has two nodes"):
        NextStep.fit(Corpus.from_sequences([["a"]]))


def test_samples_follow_the_model() -> None:
    model = NextStep.fit(WALKS)
    first = WALKS.vocabulary[int(WALKS.tokens[0])]
    paths = model.sample(20_000, start=[first], length=2, random_state=3)
    drawn = Counter(path[1] for path in paths)
    expected = model.predict_proba([[first]], from_start=True)[0]
    found = np.array([drawn[node] for node in WALKS.vocabulary]) / 20_000
    assert np.abs(found - expected).max() < 5 * np.sqrt(0.25 / 20_000)
    assert model.sample(5, length=7) == model.sample(5, length=7) != model.sample(5, length=7, random_state=1)


def test_samples_use_vectors_below_order_one() -> None:
    corpus = Corpus.from_sequences([["a", "b"], ["a", "c"], ["d"]])
    smoothing = replace(usual_smoothing(1), base_share=1.0, popularity=0.0, affinity=50.0)
    vectors = StepVectors(np.array([[1.0, 0.0]] * 4), np.array([[0.0, 0.0]] * 3 + [[1.0, 0.0]]))
    model = model_of(corpus, smoothing, vectors)
    drawn = Counter(path[1] for path in model.sample(4_000, start=["a"], length=2))
    expected = model.predict_proba([["a"]], from_start=True)[0, corpus.vocabulary.id("d")]
    assert expected > 0.3
    assert drawn["d"] / 4_000 == pytest.approx(expected, abs=0.04)


def test_samples_that_cannot_be_drawn_are_refused(model: NextStep) -> None:
    with pytest.raises(UnknownNodeError, match="no node 'moon'"):
        model.sample(1, start=["moon"])
    with pytest.raises(ParameterError, match="start must have 1 to 2 nodes, the length of a path, not 3"):
        model.sample(1, start=["dorm", "centre", "zoo"], length=2)
    with pytest.raises(ParameterError, match="n must be a whole number of at least 1, not 0"):
        model.sample(0)


def test_a_history_without_what_came_before_it_is_followed_as_observed() -> None:
    trips = [[f"origin {number}", "a", "b", "c" if number % 2 else "d"] for number in range(40)] * 3
    trips += [["somewhere", "a", "b", "c"]] * 120
    model = HONEM(3, preset="evidence").fit(trips)
    found = model.predict_next(["a", "b"], k=2)
    assert [node.node for node in found.nodes] == ["c", "d"]
    assert found.nodes[0].probability == pytest.approx(180 / 240, abs=0.02)
    assert sum(part.weight for part in found.contributions) == pytest.approx(1)
