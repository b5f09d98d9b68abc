"""The page "Why?" does what it says: examples and commands are run, and give what stands below them."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from honem.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "explain.md"
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The examples as (kind, text), in a folder with the files of the page."""
    monkeypatch.chdir(tmp_path)
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    for _, name, text in found:
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
    return [(kind, text) for kind, name, text in found if not name]


def test_examples_in_python(blocks: list[tuple[str, str]]) -> None:
    text = "".join(text for kind, text in blocks if kind == "pycon")
    example = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert runner.tries > 10
    assert not runner.failures


def test_commands(blocks: list[tuple[str, str]], capsys: pytest.CaptureFixture[str]) -> None:
    told = "".join(text for kind, text in blocks if kind == "console")
    commands = re.findall(r"^\$ honem (.*)\n((?:(?!\$ ).*\n)*)", told, re.MULTILINE)
    assert len(commands) == told.count("$ honem") >= 5
    for command, expected in commands:
        assert main(shlex.split(command)) == 0, command
        assert capsys.readouterr().out == expected, command
