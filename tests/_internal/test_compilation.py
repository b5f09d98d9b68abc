"""Compilation is announced once, through logging, and seen by those who have not configured logging."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from honem._internal.compilation import CompilationNotice, source_digest

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
