"""The page "Why?" does what it says: examples and commands print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from honem.cli.main import main
from tests.docs.pages import DOCS, lay_out, run_examples

PAGE = DOCS / "explain.md"


@pytest.fixture
def blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The examples as (kind, text), in a folder with all the files of the page."""
    monkeypatch.chdir(tmp_path)
    return lay_out(PAGE, tmp_path)


def test_examples_in_python(blocks: list[tuple[str, str]]) -> None:
    assert run_examples(PAGE, blocks) > 10


def test_commands(blocks: list[tuple[str, str]], capsys: pytest.CaptureFixture[str]) -> None:
    told = "".join(text for kind, text in blocks if kind == "console")
    commands = re.findall(r"^\$ honem (.*)\n((?:(?!\$ ).*\n)*)", told, re.MULTILINE)
    assert len(commands) == told.count("$ honem") >= 5
    for command, expected in commands:
        assert main(shlex.split(command)) == 0, command
        assert capsys.readouterr().out == expected, command
