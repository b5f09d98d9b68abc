"""The page "Living models" does what it says."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from honem.cli import main
from tests.docs.pages import DOCS, lay_out, run_examples

PAGE = DOCS / "living.md"


def test_the_page_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = lay_out(PAGE, tmp_path)
    commands = [line.removeprefix("$ ") for kind, text in blocks if kind == "console" for line in text.splitlines()]
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0, command
    assert run_examples(PAGE, blocks) >= 8
