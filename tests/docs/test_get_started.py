"""The page "Get started" does what it says, from the CSV file to the picture and the page."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from honem.cli.main import main
from tests.docs.pages import DOCS, lay_out, run_examples

PAGE = DOCS / "get-started.md"


def test_the_page_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = lay_out(PAGE, tmp_path)
    assert run_examples(PAGE, blocks) > 10
    assert (tmp_path / "get-started.png").stat().st_size > 10_000
    commands = [line for kind, text in blocks if kind == "console" for line in text.splitlines()]
    assert len(commands) == 6
    for command in commands:
        assert main(shlex.split(command)[2:]) == 0, command
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")
