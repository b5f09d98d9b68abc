"""The corpus is put together from any pieces, in the memory of what it holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem.io.paths import building
from honem.io.paths.building import GrowingArray


@given(pieces=st.lists(st.lists(st.integers(-5, 5), max_size=20)))
def test_growing_is_concatenation(pieces: list[list[int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "SMALLEST_BLOCK", 2)
        patch.setattr(building, "BLOCK", 8)
        growing = GrowingArray(np.int64)
        for piece in pieces:
            growing.extend(np.array(piece, np.int64))
        expected = [number for piece in pieces for number in piece]
        assert len(growing) == len(expected)
        assert growing.join().tolist() == expected
        assert len(growing) == len(growing.join()) == 0


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc, which Linux has")
def test_memory_is_that_of_the_tokens_and_a_few_chunks(tmp_path: Path) -> None:
    """10 million tokens are 40 MB; as text they are 50, as Python strings 500."""
    (tmp_path / "p.txt").write_bytes(b"a b c d e f g h i j\n" * 1_000_000)
    code = """
import sys
from honem.io.paths import read_paths
import pyarrow.compute
def resident(which):
    return next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith(which))
before = resident("VmRSS")
corpus = read_paths(sys.argv[1])
print(resident("VmHWM") - before)
"""
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path / "p.txt")], capture_output=True, check=True)
    assert float(run.stdout) < 400
