"""Rules stay on the cluster until they are asked for, and nothing stays there longer than it is needed."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from honem import HONEM, Corpus, CorpusError, ExtractionParams, HonemError
from honem.rules.engines import ENGINES, register_engine
from honem.rules.engines.distributed import DistributedCorpus, DistributedEngine, DistributedRules
from honem.rules.engines.distributed.executors.in_process import InProcessCollection, InProcessExecutor
from tests.comparing import assert_same_rules
from tests.strategies import corpora

TRIPS = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20


@dataclass(frozen=True, eq=False)
class CountedCollection(InProcessCollection):
    """Packets in lists; what is kept is listed by the executor."""

    kept: set[CountedCollection] = field(default_factory=set)

    def persist(self) -> CountedCollection:
        self.kept.add(self)
        return self

    def release(self) -> None:
        self.kept.discard(self)


class CountingExecutor(InProcessExecutor):
    """Knows what is kept, as Spark does."""

    def __init__(self) -> None:
        super().__init__(parallelism=3)
        self.kept: set[CountedCollection] = set()

    def distribute(self, packets: Any) -> CountedCollection:
        return CountedCollection(super().distribute(packets).partitions, self.kept)


@pytest.fixture
def executor() -> Iterator[CountingExecutor]:
    """An executor that `engine="counting"` uses."""
    executor = CountingExecutor()
    register_engine("counting", lambda n_jobs, progress: DistributedEngine(executor, first_window=2))
    yield executor
    del ENGINES["counting"]


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[DistributedRules]:
    """The rules that were fetched, one entry per fetch."""
    fetched: list[DistributedRules] = []
    table = DistributedRules.table

    def counted(rules: DistributedRules) -> Any:
        fetched.append(rules)
        return table(rules)

    monkeypatch.setattr(DistributedRules, "table", counted)
    return fetched


def fitted() -> HONEM:
    """A model whose rules are on the cluster."""
    return HONEM(n_components=3, engine="counting").fit(TRIPS)


def test_fit_fetches_no_rules(executor: CountingExecutor, fetched: list[DistributedRules]) -> None:
    model, expected = fitted(), HONEM(n_components=3).fit(TRIPS)
    np.testing.assert_array_equal(model.transform(["dorm", "office"]), expected.transform(["dorm", "office"]))
    assert not fetched
    assert executor.kept
    assert_same_rules(model.rules_, expected.rules_)
    assert model.rules_ is model.rules_
    assert len(fetched) == 1
    fetched.clear()
    assert not executor.kept


@pytest.mark.parametrize("criterion", ["divergence", "significance"])
def test_fit_does_not_compute_evidence_that_only_the_table_has(
    executor: CountingExecutor, monkeypatch: pytest.MonkeyPatch, criterion: str
) -> None:
    def fail(*_: Any) -> Any:
        pytest.fail("nobody has asked for it")

    with monkeypatch.context() as changed:
        for name in ("find_evidence", "parent_scores"):
            changed.setattr(f"honem.rules.engines.distributed.rules.{name}", fail)
        model = HONEM(n_components=3, engine="counting", criterion=criterion).fit(TRIPS)
    assert_same_rules(model.rules_, HONEM(n_components=3, criterion=criterion).fit(TRIPS).rules_)


def test_a_refitted_model_holds_only_its_new_rules(executor: CountingExecutor) -> None:
    model = fitted()
    n_kept = len(executor.kept)
    model.fit(TRIPS)
    gc.collect()
    assert len(executor.kept) == n_kept
    model.rules_ = HONEM(n_components=3).fit(TRIPS).rules_
    assert not executor.kept


def test_a_forgotten_model_holds_nothing(executor: CountingExecutor) -> None:
    model = fitted()
    assert executor.kept
    del model
    gc.collect()
    assert not executor.kept


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_have_the_rules(executor: CountingExecutor, copied: Any) -> None:
    model = fitted()
    other = copied(model)
    assert_same_rules(other.rules_, HONEM(n_components=3).fit(TRIPS).rules_)
    assert other.predict_next(["home", "downtown"], k=1).nodes[0].node == "office"
    assert not executor.kept


def test_a_clone_is_not_fitted_and_fetches_nothing(executor: CountingExecutor, fetched: list[DistributedRules]) -> None:
    model = fitted()
    other = clone(model)
    assert not hasattr(other, "rules_")
    assert pickle.loads(pickle.dumps(other)).get_params() == model.get_params()
    assert not fetched


def test_a_corpus_of_the_user_is_not_released_with_the_rules(executor: CountingExecutor) -> None:
    engine = DistributedEngine(executor, first_window=2)
    with DistributedCorpus.of_corpus(Corpus.from_sequences(TRIPS), executor) as corpus:
        kept = set(executor.kept)
        assert len(kept) == 1
        with engine.find_rules(corpus, ExtractionParams()):
            assert kept < set(executor.kept)
        assert set(executor.kept) == kept
        rules = engine.find_rules(corpus, ExtractionParams())
    # What a task must know of the corpus has been counted.
    assert rules.table().n_rules == HONEM(3).fit(TRIPS).rules_.n_rules
    rules.release()
    rules.release()
    assert not executor.kept


def test_nothing_is_kept_after_a_failure_to_find_evidence(
    executor: CountingExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise HonemError("no room")

    rules = DistributedEngine(executor).find_rules(
        Corpus.from_sequences(TRIPS), ExtractionParams(criterion="divergence")
    )
    kept = set(executor.kept)
    with monkeypatch.context() as changed:
        changed.setattr("honem.rules.engines.distributed.evidence.fetch", fail)
        with pytest.raises(HonemError, match="no room"):
            rules.table()
    assert set(executor.kept) == kept
    assert rules.table().n_rules
    assert set(executor.kept) == kept


@pytest.mark.parametrize(
    "name",
    ["driver.find_hubs", "driver.decide", "driver.close_downwards", "driver.count_targets", "searching.wanted_hashes"],
)
def test_nothing_is_kept_after_a_failure(
    executor: CountingExecutor, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def fail(*_: Any) -> Any:
        raise HonemError("no room")

    monkeypatch.setattr(f"honem.rules.engines.distributed.{name}", fail)
    with pytest.raises(HonemError, match="no room"):
        HONEM(engine="counting", criterion="divergence", tau=0.01).fit(
            [[1, *[0] * 5, 2]] * 20 + [[3, *[0] * 5, 4]] * 20
        )
    assert not executor.kept


def test_rules_that_cannot_be_fetched_stay(executor: CountingExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise HonemError("no room")

    model = fitted()
    with monkeypatch.context() as changed:
        changed.setattr("honem.rules.engines.distributed.sizes.require_room", refuse)
        with pytest.raises(HonemError, match="no room"):
            _ = model.rules_
    assert executor.kept
    assert model.rules_.n_rules


def test_a_corpus_must_be_on_the_executor_of_the_engine(executor: CountingExecutor) -> None:
    corpus = DistributedCorpus.of_corpus(Corpus.from_sequences(TRIPS), InProcessExecutor())
    with pytest.raises(CorpusError, match="held by InProcessExecutor, but this engine runs on CountingExecutor"):
        DistributedEngine(executor).find_rules(corpus, ExtractionParams())
    with pytest.raises(CorpusError, match="CountingExecutor takes a Corpus, not int"):
        DistributedEngine(executor).find_rules(7, ExtractionParams())


@settings(max_examples=40)
@given(corpora(), st.integers(1, 4))
def test_visits_are_counted_where_the_sequences_are(corpus: Corpus, parallelism: int) -> None:
    there = DistributedCorpus.of_corpus(corpus, InProcessExecutor(parallelism))
    for found, expected in zip(there.visit_counts(), corpus.visit_counts(), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_visits_of_several_chunks_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honem.rules.engines.distributed.corpus.TOKENS_PER_CHUNK", 4)
    corpus = Corpus.from_sequences([[], ["a"], ["a", "b", "a"], ["c", "a"], ["b", "c"]], [1, 2, 3, 1, 5])
    there = DistributedCorpus.of_corpus(corpus, InProcessExecutor(2))
    assert there.chunks.amount("chunk") == 5
    assert [counts.tolist() for counts in there.visit_counts()] == [[9, 8, 6], [5, 5, 1], [6, 0, 5]]


def test_the_profile_is_that_of_the_local_engine(executor: CountingExecutor) -> None:
    model, expected = HONEM(2, engine="counting").fit(TRIPS), HONEM(2).fit(TRIPS)
    np.testing.assert_allclose(model.profile().values, expected.profile().values, rtol=1e-12)
    assert not executor.kept
