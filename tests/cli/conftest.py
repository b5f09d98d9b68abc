"""Running `honem` as a user does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from honem.cli import main
from tests.cli.running import Run


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs `honem` in an empty folder; where it reads stdin, in a process of its own."""
    monkeypatch.chdir(tmp_path)

    def run_honem(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        words = [str(argument) for argument in arguments]
        if stdin is not None:
            command = [sys.executable, "-m", "honem", *words]
            return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120, check=False)
        try:
            code = main(words)
        except SystemExit as left:
            code = int(left.code or 0)
        return subprocess.CompletedProcess(words, code, *capfd.readouterr())

    return run_honem
