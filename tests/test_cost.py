"""What a fit will take, told before it starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from honem import HONEM, Corpus
from honem.cost import estimate, thin_out
from honem.evaluation.datasets import planted_paths


def test_a_sample_is_made_of_whole_sequences() -> None:
    corpus = planted_paths(n_nodes=50, n_steps=10_000, length=11, contexts_per_order=5).corpus
    sample = thin_out(corpus, 1000)
    assert 900 <= sample.n_steps <= 1100
    assert set(sample.sequences()) <= set(corpus.sequences())
    assert sample.vocabulary.labels == corpus.vocabulary.labels


def test_a_sample_has_a_step_where_the_corpus_has_one() -> None:
    corpus = Corpus.from_sequences([["a"]] * 1000 + [["a", "b"]] + [["b"]] * 1000, weights=[2] * 2001)
    sample = thin_out(corpus, 1)
    assert sample.n_steps == 1
    assert sample.weights[-1] == 2


def test_of_a_small_corpus_everything_is_the_sample() -> None:
    corpus = planted_paths(n_nodes=50, n_steps=5000, length=11, contexts_per_order=5).corpus
    assert estimate(HONEM(4), corpus).sampled_steps == 5000


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc, which Linux has")
@pytest.mark.parametrize("n_nodes", [500, 20_000])
def test_estimates_are_of_the_right_size(n_nodes: int) -> None:
    """Within a factor of 2 of what a fit of 10 million steps takes."""
    code = f"""
import time
from honem import HONEM
from honem.evaluation.datasets import planted_paths
from honem.cost import estimate
corpus = planted_paths(n_nodes={n_nodes}, n_steps=10_000_000).corpus
model = HONEM(32)
told = estimate(model, corpus)
open("/proc/self/clear_refs", "w").write("5")
started = time.perf_counter()
model.fit(corpus)
seconds = time.perf_counter() - started
peak = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(told.seconds / seconds, told.memory_bytes / peak)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for ratio in map(float, done.stdout.split()):
        assert 0.5 < ratio < 2


def test_estimates_grow_with_the_corpus() -> None:
    small, large = (planted_paths(n_nodes=500, n_steps=n).corpus for n in (100_000, 1_000_000))
    one, other = estimate(HONEM(8), small), estimate(HONEM(8), large)
    assert other.memory_bytes - one.memory_bytes > 900_000 * 13
    assert one.memory_bytes > 100 * 2**20  # the libraries
    assert "1,000,000 steps over 500 nodes" in str(other)
    assert np.isfinite(other.seconds)
