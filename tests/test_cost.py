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
    """Within a factor of 2 of what `honem embed` takes for 10 million steps, and in less than half of the time."""
    code = f"""
import time
from honem import HONEM
from honem.evaluation.datasets import planted_paths
from honem.cost import estimate
corpus = planted_paths(n_nodes={n_nodes}, n_steps=10_000_000).corpus
model = HONEM(32)
started = time.perf_counter()
told = estimate(model, corpus)
estimating = time.perf_counter() - started
open("/proc/self/clear_refs", "w").write("5")
started = time.perf_counter()
model.fit(corpus).stored_next_step()
seconds = time.perf_counter() - started
peak = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(told.seconds / seconds, told.memory_bytes / peak, estimating / seconds)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    time_ratio, memory_ratio, share = map(float, done.stdout.split())
    assert 0.5 < time_ratio < 2
    assert 0.5 < memory_ratio < 2
    assert share < 0.5


def test_an_estimate_fits_only_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[tuple[int, int]] = []
    fit = HONEM.fit

    def recording(self: HONEM, corpus: Corpus) -> HONEM:
        fitted.append((corpus.n_steps, corpus.n_nodes))
        return fit(self, corpus)

    monkeypatch.setattr(HONEM, "fit", recording)
    monkeypatch.setattr("honem.cost.SAMPLE_STEPS", (2000, 8000))
    monkeypatch.setattr("honem.cost.MOST_NODES", 300)
    corpus = planted_paths(n_nodes=600, n_steps=50_000).corpus
    found = estimate(HONEM(4), corpus)
    assert fitted
    assert all(steps <= 8800 and nodes <= 300 for steps, nodes in fitted)
    assert found.sampled_steps == max(steps for steps, _ in fitted)


def test_the_next_step_model_is_part_of_the_estimate() -> None:
    corpus = planted_paths(n_nodes=100, n_steps=20_000).corpus
    model = HONEM(4, preset="evidence")
    without, told = (estimate(model, corpus, with_next_step=included) for included in (False, True))
    assert told.memory_bytes - without.memory_bytes > 100 * 20_000


def test_nodes_without_a_step_can_be_in_the_way() -> None:
    corpus = Corpus.from_sequences([[f"alone {i}"] for i in range(300)] + [["a", "b"]] * 5)
    assert np.isfinite(estimate(HONEM(1), corpus).seconds)


def test_estimates_grow_with_the_corpus() -> None:
    small, large = (planted_paths(n_nodes=500, n_steps=n).corpus for n in (100_000, 1_000_000))
    one, other = estimate(HONEM(8), small), estimate(HONEM(8), large)
    assert other.memory_bytes - one.memory_bytes > 900_000 * 100
    assert one.memory_bytes > 100 * 2**20  # the libraries
    assert "1,000,000 steps over 500 nodes" in str(other)
    assert np.isfinite(other.seconds)
