"""Passes of windows, shard by shard, come to the rules of the reference; without Spark, so with many corpora."""

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
from honem.rules.engines.distributed import corpus as chunking
from honem.rules.engines.distributed import growing, windows
from honem.rules.engines.reference import ReferenceEngine
from tests.comparing import assert_same_rules
from tests.rules.engines.distributed.in_process import extract
from tests.strategies import corpora, params

first_windows, shards = st.integers(2, 4), st.sampled_from([1, 2, 5])


@given(corpus=corpora(), options=params, first_window=first_windows, n_shards=shards)
def test_passes_equal_the_reference(
    corpus: Corpus, options: ExtractionParams, first_window: int, n_shards: int
) -> None:
    expected = ReferenceEngine().extract_rules(corpus, options)
    assert_same_rules(extract(corpus, options, first_window, n_shards).table, expected)


@given(corpus=corpora(max_nodes=2), options=params, n_shards=st.sampled_from([2, 5, 30]))
def test_hubs_in_parts_equal_hubs_as_a_whole(corpus: Corpus, options: ExtractionParams, n_shards: int) -> None:
    split, whole = (extract(corpus, options, 3, n_shards, with_hubs) for with_hubs in (True, False))
    assert_same_rules(split.table, whole.table)


def test_a_long_way_takes_many_passes_and_hubs() -> None:
    """So the tests above are about what they say: there are later passes, hubs, and both at once."""
    path = [0] * 20
    corpus = Corpus.from_sequences([[1, *path, 2]] * 40 + [[3, *path, 4]] * 40)
    options = ExtractionParams(tau=0.01, lower_orders="hon")
    run = extract(corpus, options, first_window=2, n_shards=3)
    assert len(run.passes) == 5  # windows of 2, 4, 8, 16 and 22 nodes
    assert run.hubs.nodes.tolist() == [corpus.vocabulary.id(0)]
    assert_same_rules(run.table, ReferenceEngine().extract_rules(corpus, options))


@given(
    corpus=corpora(),
    options=params,
    windows_at_once=st.sampled_from([1, 30]),
    worth_combining=st.sampled_from([0.0, 0.75, 2.0]),
    rules_at_once=st.sampled_from([1, 3]),
    tokens_a_chunk=st.sampled_from([1, 7, 40]),
)
def test_sizes_of_what_is_sent_change_nothing(
    corpus: Corpus,
    options: ExtractionParams,
    windows_at_once: int,
    worth_combining: float,
    rules_at_once: int,
    tokens_a_chunk: int,
) -> None:
    expected = ReferenceEngine().extract_rules(corpus, options)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(windows, "WINDOWS_AT_ONCE", windows_at_once)
        changed.setattr(windows, "WORTH_COMBINING", worth_combining)
        changed.setattr(growing, "RULES_AT_ONCE", rules_at_once)
        changed.setattr(chunking, "TOKENS_A_CHUNK", tokens_a_chunk)
        assert_same_rules(extract(corpus, options, 2, 2).table, expected)


@given(corpus=corpora(), options=params)
def test_equal_hashes_never_stand_for_equality(corpus: Corpus, options: ExtractionParams) -> None:
    def always_the_same(columns: list[np.ndarray]) -> np.ndarray:
        return np.zeros(len(columns[0]), np.uint64)

    expected = ReferenceEngine().extract_rules(corpus, options)
    with pytest.MonkeyPatch.context() as changed:
        for module in (windows, growing):
            changed.setattr(module, "hash_nodes", always_the_same)
        changed.setattr(windows, "WORTH_COMBINING", 2.0)
        assert_same_rules(extract(corpus, options, 2, 5).table, expected)


@pytest.mark.slow
def test_kernels_never_reach_beyond_their_arrays(tmp_path: Path) -> None:
    """Everything above once more, with kernels that check every index."""
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", __file__, "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
