"""Decay: the model of the paths that are left, in any batches, and no rules out of nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honem import HONEM, Corpus, CorpusError, ParameterError, extract_rules
from honem.decay import chances, copies_left, decayed, shares_left
from honem.sequence_times import SequenceTimes
from tests.strategies import corpora
from tests.test_updating import MORE, WALKS, assert_same_model, assert_same_next_step

DAY = np.timedelta64(1, "D")
BEGIN = np.datetime64("2024-01-01", "s")


def timed(walks: list[list[Any]], start: int = 0, weights: list[int] | None = None) -> Corpus:
    """One path per day."""
    return Corpus.from_sequences(walks, weights).with_times(BEGIN + np.arange(start, start + len(walks)) * DAY)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=20), st.integers(0, 2**32), st.data())
def test_copies_that_are_gone_do_not_come_back(weights: list[int], seed: int, data: st.DataObject) -> None:
    starts = data.draw(st.lists(st.integers(-50, 50), min_size=len(weights), max_size=len(weights)))
    times = SequenceTimes.of(starts)
    chance, before = chances(times, seed), np.array(weights)
    assert copies_left(before, np.ones(len(weights)), chance).tolist() == weights
    for later in (0, 1, 5, 40, 4000):
        shares = shares_left(SequenceTimes.of([*starts, 50 + later]), 10)[:-1]
        left = copies_left(np.array(weights), shares, chance)
        assert (left >= 0).all()
        assert (left <= before).all()
        before = left
    assert not before.any()


def test_as_many_paths_are_left_as_the_half_life_says() -> None:
    n = 20_000
    for weight in (1, 7, 10**6):
        times = SequenceTimes.of(np.repeat([0, 10, 20], n))
        left = copies_left(np.full(3 * n, weight), shares_left(times, 10), chances(times, 0))
        for group, share in zip(left.reshape(3, n), (0.25, 0.5, 1.0), strict=True):
            spread = (weight * share * (1 - share)) ** 0.5
            assert abs(group.mean() - weight * share) <= 5 * spread / n**0.5
            assert group.std() == pytest.approx(spread, rel=0.05)
        if weight == 1:  # chances of neighbouring paths and times are independent
            chance = chances(times, 0)
            for one, other in ((chance[:-1], chance[1:]), (chance[:n], chance[n : 2 * n]), (chance, chances(times, 1))):
                assert abs(np.corrcoef(one, other)[0, 1]) < 0.03


def test_chances_do_not_depend_on_the_unit_or_on_other_paths() -> None:
    seconds = BEGIN + np.array([3, 1, 1, 2]) * DAY
    expected = chances(SequenceTimes.of(seconds), 0)
    assert len(set(expected)) == 4
    assert chances(SequenceTimes.of(seconds.astype("datetime64[ns]")), 0).tolist() == expected.tolist()
    assert chances(SequenceTimes.of([*seconds, BEGIN, seconds[0]]), 0).tolist()[:4] == expected.tolist()
    numbers = chances(SequenceTimes.of([3, 1, 1, 2]), 0)
    assert chances(SequenceTimes.of([3.0, 1.0, 1.0, 2.0, 0.5]), 0).tolist()[:4] == numbers.tolist()
    assert len(set(chances(SequenceTimes.of([2**60, 2**60 + 1]), 0))) == 2


@settings(max_examples=15, deadline=None)
@given(corpora(), st.integers(1, 40), st.data())
@pytest.mark.filterwarnings("ignore::honem.HonemWarning")
def test_a_model_with_a_half_life_is_that_of_the_paths_that_are_left(
    corpus: Corpus, half_life: int, data: st.DataObject
) -> None:
    walks, weights = [*corpus.sequences(), ("last", "step")], [*corpus.weights.tolist(), 1]
    whole = timed([list(walk) for walk in walks], 0, weights)
    cut = data.draw(st.integers(1, len(walks)))
    first = whole.reweighted(np.where(np.arange(len(walks)) < cut, whole.weights, 0))
    model = HONEM(3, preset="evidence", half_life=f"{half_life}d")
    expected = HONEM(3, preset="evidence").fit(decayed(whole, f"{half_life}d"))
    if decayed_steps(first, half_life):
        model.fit(first)
        model.update(whole.reweighted(np.where(np.arange(len(walks)) >= cut, whole.weights, 0)))
    else:
        model.fit(whole)
    assert_same_model(model, expected)
    assert_same_next_step(model, expected)
    assert model._known_paths().n_sequences == len(walks)


def decayed_steps(corpus: Corpus, half_life: int) -> int:
    try:
        return decayed(corpus, f"{half_life}d").n_steps
    except CorpusError:
        return 0


def test_a_stored_model_keeps_its_half_life(tmp_path: Path) -> None:
    model = HONEM(4, preset="evidence", window="30d").fit(timed(WALKS))
    assert model._known_paths().n_sequences == 31
    model.update(timed(MORE, len(WALKS)), half_life="20d")
    model.save(tmp_path / "model")
    assert not list((tmp_path / "model").glob("continuation-*"))
    loaded = HONEM.load(tmp_path / "model")
    assert (loaded.half_life, loaded.window) == ("20d", "30d")
    later = timed(WALKS[:9], len(WALKS + MORE))
    for each in (model, loaded):
        each.update(later)
    # The node numbers are those of all paths that are kept.
    kept = timed((WALKS + MORE + WALKS[:9])[-31:], len(WALKS + MORE) + 9 - 31)
    expected = HONEM(4, preset="evidence").fit(decayed(kept, "20d"))
    assert_same_model(model, expected)
    assert_same_model(loaded, expected)
    assert loaded._known_paths().n_sequences == 31 > loaded._paths.n_sequences  # type: ignore[union-attr]


def test_decay_makes_no_rules_of_data_without_memory() -> None:
    """Whole weights in proportion to 2^(t / half-life) would: they count each path many times."""
    n_rules, n_inflated = 0, 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        chain = rng.dirichlet(np.ones(8), 8)
        walks = [[int(rng.integers(8))] for _ in range(400)]
        for walk in walks:
            for _ in range(9):
                walk.append(int(rng.choice(8, p=chain[walk[-1]])))
        corpus = timed(walks)
        n_rules += extract_rules(decayed(corpus, "60d", seed)).tests.n_accepted
        assert corpus.times is not None
        weights = np.rint(100 * shares_left(corpus.times, "60d")).astype(np.int64)
        n_inflated += extract_rules(corpus.reweighted(weights)).tests.n_accepted
    assert n_rules <= 1
    assert n_inflated > 1000


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (lambda: HONEM(2, half_life="30d").fit(WALKS), "times of the sequences are not known"),
        (lambda: HONEM(2, window="30d").fit(WALKS), "times of the sequences are not known"),
        (lambda: HONEM(2, half_life="30d").fit(Corpus.from_sequences(WALKS).with_times(range(51))), "unknown unit"),
        (lambda: decayed(Corpus.from_sequences([[1, 2], [1]]).with_times([0, 9000]), 1), "no step is left"),
    ],
)
def test_paths_that_cannot_decay(fit: Any, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        fit()


def test_an_error_leaves_the_parameters_as_they_were() -> None:
    model = HONEM(3, preset="evidence").fit(WALKS)
    with pytest.raises(CorpusError, match="times"):
        model.update(MORE, half_life="3d")
    with pytest.raises(ParameterError, match="window"):
        model.update(MORE, window="3 moons")
    assert (model.half_life, model.window) == (None, None)
