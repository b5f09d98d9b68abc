"""The driver finds the rules of the reference; on the in-process executor, so with many corpora."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, ExtractionParams
from honem.evaluation.datasets import planted_paths
from honem.rules.criteria import Counting, Criterion
from honem.rules.engines import make_engine
from honem.rules.engines.distributed import DistributedCorpus, DistributedEngine, driver, growing, searching, windows
from honem.rules.engines.distributed import corpus as chunking
from honem.rules.engines.distributed.executors.in_process import InProcessExecutor
from honem.rules.engines.distributed.hubs import Hubs
from honem.rules.engines.reference import ReferenceEngine
from tests.comparing import assert_same_neighborhood, assert_same_rules
from tests.rules.criteria.toys import AboveMeanShift, LargeShift
from tests.rules.engines.distributed.extracting import find_rules
from tests.strategies import corpora, params

first_windows, shards = st.integers(2, 4), st.sampled_from([1, 2, 5])


@given(corpus=corpora(), options=params, first_window=first_windows, n_shards=shards)
def test_passes_equal_the_reference(
    corpus: Corpus, options: ExtractionParams, first_window: int, n_shards: int
) -> None:
    expected = ReferenceEngine().extract_rules(corpus, options)
    rules = find_rules(corpus, options, first_window, n_shards)
    assert_same_rules(rules.table(), expected)
    assert_same_neighborhood(rules, expected)


@given(corpus=corpora(max_nodes=2), options=params, n_shards=st.sampled_from([2, 5, 30]))
def test_hubs_in_parts_equal_hubs_as_a_whole(corpus: Corpus, options: ExtractionParams, n_shards: int) -> None:
    split = find_rules(corpus, options, 3, n_shards)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(driver, "find_hubs", lambda *_: Hubs.none())
        whole = find_rules(corpus, options, 3, n_shards)
    assert_same_rules(split.table(), whole.table())
    assert_same_neighborhood(split, whole.table())


def test_a_long_way_takes_many_passes_and_hubs() -> None:
    """There are later passes, hubs, and both at once, so the tests above cover them."""
    path = [0] * 20
    corpus = Corpus.from_sequences([[1, *path, 2]] * 40 + [[3, *path, 4]] * 40)
    options = ExtractionParams(criterion="divergence", tau=0.01, lower_orders="hon")
    rules = find_rules(corpus, options, first_window=2, n_shards=3)
    assert len(rules.passes) == 5  # windows of 2, 4, 8, 16 and 22 nodes
    assert rules.hubs.nodes.tolist() == [corpus.vocabulary.id(0)]
    assert_same_rules(rules.table(), ReferenceEngine().extract_rules(corpus, options))


def test_candidates_that_fail_in_the_end_are_in_no_matrix() -> None:
    """Some contexts have an e-value of 20 and more, but not enough of it among so many others."""
    corpus = planted_paths(n_nodes=60, n_steps=30_000, length=21, contexts_per_order=20).corpus
    expected = make_engine("local").extract_rules(corpus, ExtractionParams(alpha=0.01))
    rules = find_rules(corpus, expected.params, first_window=2, n_shards=5)
    assert len(rules.decided.rejected.orders)
    assert expected.tests.n_accepted > 20
    assert len(rules.passes) > 1
    assert_same_neighborhood(rules, expected)
    assert_same_rules(rules.table(), expected)


@pytest.mark.parametrize("count", ["occurrences", "sequences"])
@pytest.mark.parametrize("criterion", ["significance", "divergence"])
def test_hubs_are_compared_where_they_have_an_older_node(criterion: str, count: Counting) -> None:
    """Sequences begin at the hub with something else to follow, and repeat what follows otherwise."""
    paths = [list("axpaxp"), list("bxqbxq"), list("cxpcxq"), list("xr"), list("xrxr")]
    corpus = Corpus.from_sequences(paths, weights=[15, 15, 9, 30, 5])
    options = ExtractionParams(criterion=criterion, count=count)
    expected = ReferenceEngine().extract_rules(corpus, options)
    assert expected.tests.n_accepted
    rules = find_rules(corpus, options, first_window=2, n_shards=5)
    assert corpus.vocabulary.id("x") in rules.hubs.nodes
    assert_same_rules(rules.table(), expected)


@pytest.mark.parametrize("criterion", [LargeShift(), AboveMeanShift()], ids=repr)
@given(corpus=corpora(), n_shards=shards)
def test_criteria_with_a_score_of_their_own(criterion: Criterion, corpus: Corpus, n_shards: int) -> None:
    options = ExtractionParams(criterion=criterion)
    expected = ReferenceEngine().extract_rules(corpus, options)
    rules = find_rules(corpus, options, 2, n_shards)
    assert_same_rules(rules.table(), expected)
    assert_same_neighborhood(rules, expected)


@given(corpus=corpora(), options=params)
def test_positions_are_not_selected_if_too_many_contexts_are_open(corpus: Corpus, options: ExtractionParams) -> None:
    expected = ReferenceEngine().extract_rules(corpus, options)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(searching, "MOST_WANTED", 0)
        assert_same_rules(find_rules(corpus, options, 2, 2).table(), expected)


def test_sums_over_many_rules_are_those_of_the_local_engine_to_the_bit() -> None:
    """Rows with many entries are where the order of addition matters."""
    corpus = planted_paths(n_nodes=60, n_steps=30_000, length=21, contexts_per_order=20).corpus
    expected = make_engine("local").extract_rules(corpus, ExtractionParams(criterion="divergence", tau=0.3))
    assert expected.n_rules > 5_000
    for n_shards in (1, 7):
        assert_same_neighborhood(find_rules(corpus, expected.params, 4, n_shards), expected)


def test_an_order_without_rules_has_no_pairs() -> None:
    corpus = Corpus.from_sequences([["a", "b", "c"]])
    rules = find_rules(corpus, ExtractionParams(criterion="divergence", support="transition", min_support=2), 2, 3)
    assert rules.max_order == rules.table().n_rules == 0


def test_tasks_get_a_bounded_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, engine = Corpus.from_sequences([list("abcabc")] * 4), DistributedEngine(InProcessExecutor(3))
    with DistributedCorpus.of_corpus(corpus, engine.executor) as there:
        assert engine.shards_for(there) == 3
        monkeypatch.setattr(driver, "STEPS_PER_TASK", 4)
        assert engine.shards_for(there) == 5
        monkeypatch.setattr(driver, "MOST_SHARDS", 4)
        assert engine.shards_for(there) == 4
        assert repr(there) == "DistributedCorpus(4 sequences, 3 nodes, 20 weighted steps)"


@given(
    corpus=corpora(),
    options=params,
    windows_at_once=st.sampled_from([1, 30]),
    worth_combining=st.sampled_from([0.0, 0.75, 2.0]),
    rules_at_once=st.sampled_from([1, 3]),
    tokens_per_chunk=st.sampled_from([1, 7, 40]),
)
def test_sizes_of_what_is_sent_change_nothing(
    corpus: Corpus,
    options: ExtractionParams,
    windows_at_once: int,
    worth_combining: float,
    rules_at_once: int,
    tokens_per_chunk: int,
) -> None:
    expected = ReferenceEngine().extract_rules(corpus, options)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(windows, "WINDOWS_AT_ONCE", windows_at_once)
        changed.setattr(windows, "WORTH_COMBINING", worth_combining)
        changed.setattr(growing, "RULES_AT_ONCE", rules_at_once)
        changed.setattr(chunking, "TOKENS_PER_CHUNK", tokens_per_chunk)
        assert_same_rules(find_rules(corpus, options, 2, 2).table(), expected)


@given(corpus=corpora(), options=params)
def test_equal_hashes_are_never_taken_for_equal_contexts(corpus: Corpus, options: ExtractionParams) -> None:
    def always_the_same(columns: list[np.ndarray]) -> np.ndarray:
        return np.zeros(len(columns[0]), np.uint64)

    expected = ReferenceEngine().extract_rules(corpus, options)
    with pytest.MonkeyPatch.context() as changed:
        for module in (windows, growing):
            changed.setattr(module, "hash_nodes", always_the_same)
        changed.setattr(windows, "WORTH_COMBINING", 2.0)
        assert_same_rules(find_rules(corpus, options, 2, 5).table(), expected)


@pytest.mark.slow
def test_kernels_never_reach_beyond_their_arrays(tmp_path: Path) -> None:
    """Run everything above with kernels that check every index."""
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", __file__, "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
