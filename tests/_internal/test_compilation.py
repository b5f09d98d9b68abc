"""Compilation is announced once, through logging, and seen by those who have not configured logging."""

from __future__ import annotations

import importlib.util
import logging
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core.caching import FunctionCache

from honem._internal.compilation import CompilationNotice, source_digest
from tests.faults.damage import cuts

NOTICE = "compiling honem's kernels, once per machine (about 10 s) ..."


def test_compilation_is_announced_once(caplog: pytest.LogCaptureFixture) -> None:
    notice = CompilationNotice()
    for _ in range(3):
        notice.on_start(None)
        notice.on_end(None)
    assert [(record.levelno, record.message) for record in caplog.records] == [(logging.WARNING, NOTICE)]
    assert caplog.records[0].name.startswith("honem.")


@pytest.mark.parametrize(
    ("setting", "shown"),
    [
        ("", f"{NOTICE}\n"),
        ("import logging; logging.getLogger('honem').setLevel('ERROR')", ""),
        (
            "from honem.cli.messages import messages_on_stderr as on; shown = on(); shown.__enter__()",
            f"honem: {NOTICE}\n",
        ),
    ],
    ids=["logging not configured", "silenced", "command line"],
)
def test_who_sees_the_announcement(setting: str, shown: str) -> None:
    code = f"{setting}\nfrom honem._internal.compilation import CompilationNotice as N; N().on_start(None)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == shown


def test_digests_follow_the_source_files() -> None:
    here, there = sys.modules[__name__], sys.modules[source_digest.__module__]
    assert source_digest(here) == source_digest(here) != source_digest(there)
    assert source_digest(here, there) not in (source_digest(here), source_digest(there))
    assert source_digest(type("Typed", (), {"__module__": "nowhere"})) is None


def test_kernels_are_cached_under_the_digest_of_their_sources() -> None:
    """So that code compiled for other sources, which may name classes that are gone, is never loaded."""
    from honem.rules.criteria import Criterion, Divergence
    from honem.rules.engines.local import kernels

    digest = source_digest(Divergence, Criterion, kernels)
    assert digest is not None
    for kernel in kernels.for_criterion(Divergence):
        assert digest in kernel.py_func.__qualname__  # type: ignore[union-attr]


def fresh_kernel(file: Path) -> Any:
    """A compiled function as a new process would get it."""
    spec = importlib.util.spec_from_file_location("kernel_of_a_test", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.double


@pytest.fixture
def kernel_file(tmp_path: Path) -> Path:
    file = tmp_path / "kernel_of_a_test.py"
    file.write_text(
        "from honem._internal.compilation import compiled\n\n@compiled\ndef double(x):\n    return 2 * x\n",
        encoding="utf-8",
    )
    return file


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_cache_of_compiled_code_is_written_again(kernel_file: Path, ending: str) -> None:
    first = fresh_kernel(kernel_file)
    assert first(2) == 4
    (file,) = Path(first._cache.cache_path).glob(f"{kernel_file.stem}.double-*.{ending}")
    for damaged in cuts(file.read_bytes(), random.Random(0), 4):
        file.write_bytes(damaged)
        assert fresh_kernel(kernel_file)(3) == 6
        again = fresh_kernel(kernel_file)
        assert again(4) == 8
        assert sum(again.stats.cache_hits.values()) == 1


def test_without_a_folder_for_the_cache_nothing_is_kept(kernel_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locator(*_: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(FunctionCache, "__init__", no_locator)
    assert fresh_kernel(kernel_file)(2) == 4


def test_a_cache_that_cannot_be_written_is_done_without(kernel_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = fresh_kernel(kernel_file)

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernel._cache._cache_file, "_save_index", no_space)
    assert kernel(2) == 4
    assert sum(fresh_kernel(kernel_file).stats.cache_hits.values()) == 0
