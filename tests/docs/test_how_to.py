"""The how-to pages do what they say: their files are written, their examples and commands are run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, lay_out, run_examples

PAGES = sorted((DOCS / "how-to").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_and_commands(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for package in needed_packages(page):
        pytest.importorskip(package)
    blocks = lay_out(page, tmp_path)
    tries = run_examples(page, blocks)
    commands = [line[2:] for kind, text in blocks if kind == "console" for line in text.splitlines()]
    assert tries + len(commands) > 0
    for command in commands:
        honem = f"{shlex.quote(sys.executable)} -m honem "
        done = subprocess.run(command.replace("honem ", honem), shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stderr)


def needed_packages(page: Path) -> list[str]:
    """Packages that the examples of a page import; some are not installed everywhere."""
    return re.findall(r"^>>> (?:import|from) (\w+)", page.read_text(encoding="utf-8"), re.MULTILINE)
