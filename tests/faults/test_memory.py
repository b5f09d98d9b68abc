"""Too little memory: one line that says what did not fit; no signal, no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from honem import HONEM
from honem._internal import memory
from honem._internal.memory import memory_for, require_memory
from honem.embedding.recipe import Recipe

resource = pytest.importorskip("resource")
MIB = 2**20


def run_within(limit: int, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run honem in a process with so much address space."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    command = [sys.executable, "-m", "honem", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=limited, timeout=120, check=False)


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The only line of error."""
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("honem: error:")]
    assert "Traceback" not in done.stderr
    assert done.stderr.rstrip().endswith(line)
    return line


def test_honem_does_not_fit(tmp_path: Path) -> None:
    done = run_within(500 * MIB, "info", tmp_path / "p.txt")
    assert done.returncode == 2
    assert "not enough memory: loading honem takes at least" in error_of(done)


@pytest.mark.slow
@pytest.mark.parametrize("limit", range(1200, 3200, 150))
def test_a_fit_does_not_fit(limit: int, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).integers(0, 20_000, (100_000, 12)).tolist()
    (tmp_path / "p.txt").write_text("\n".join(" ".join(map(str, row)) for row in rows))
    done = run_within(limit * MIB, "embed", tmp_path / "p.txt", "-o", tmp_path / "v", "--dim", "64")
    if done.returncode == 0:
        return
    assert done.returncode == 2
    assert "not enough memory: " in error_of(done)
    assert not (tmp_path / "v").exists()


def test_what_needs_memory_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MemoryError, match=r"the page did not fit \(no room\)"), memory_for("the page"):
        raise MemoryError("no room")
    with pytest.raises(MemoryError, match="another thread"), memory_for("the page"):
        raise RuntimeError("can't start new thread")
    with pytest.raises(RuntimeError, match="else"), memory_for("the page"):
        raise RuntimeError("something else")
    monkeypatch.setattr(memory, "limit_of_address_space", lambda: None)
    require_memory(2**62, "the page")
    monkeypatch.setattr(memory, "limit_of_address_space", lambda: 2**40)
    require_memory(MIB, "the page")
    with pytest.raises(MemoryError, match="the page takes at least 4398046511104 MiB"):
        require_memory(2**62, "the page")


def test_a_fit_names_what_did_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    def embed(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 1 TiB")

    monkeypatch.setattr(Recipe, "embed", embed)
    with pytest.raises(MemoryError, match=r"vectors of 8 dimensions did not fit \(Unable to allocate 1 TiB\)"):
        HONEM(8).fit([["a", "b"]])
