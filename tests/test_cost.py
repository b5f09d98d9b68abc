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
def test_memory_is_of_the_right_size() -> None:
    """Between the memory that a fit of 4 million steps really takes and three times that."""
    code = """
from honem import HONEM
from honem.evaluation.datasets import planted_paths
from honem.cost import estimate
def resident(which):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(which))
corpus = planted_paths(n_nodes=2000, n_steps=4_000_000).corpus
model = HONEM(32)
told = estimate(model, corpus).memory_bytes
open("/proc/self/clear_refs", "w").write("5")
before = resident("VmRSS") - corpus.tokens.nbytes - corpus.offsets.nbytes - corpus.weights.nbytes
model.fit(corpus)
print(told / (resident("VmHWM") - before))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0.8 < float(done.stdout) < 3


def test_estimates_grow_with_the_corpus() -> None:
    small, large = (planted_paths(n_nodes=500, n_steps=n).corpus for n in (100_000, 1_000_000))
    one, other = estimate(HONEM(8), small), estimate(HONEM(8), large)
    assert other.memory_bytes > 3 * one.memory_bytes
    assert "1,000,000 steps over 500 nodes" in str(other)
    assert np.isfinite(other.seconds)
