"""The page "Bring your data" does what it says: its files are written, its examples and commands are run."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "bring-your-data.md"
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The examples as (kind, text), in a folder with all the files of the page."""
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
    assert runner.tries > 30
    assert not runner.failures


def test_commands(blocks: list[tuple[str, str]]) -> None:
    # The Parquet files and the like that the commands read are made by the examples.
    test_examples_in_python(blocks)
    commands = [line[2:] for kind, text in blocks if kind == "console" for line in text.splitlines()]
    assert len(commands) > 10
    for command in commands:
        honem = f"{shlex.quote(sys.executable)} -m honem "
        done = subprocess.run(command.replace("honem ", honem), shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stderr)


def test_every_option_is_on_the_page() -> None:
    import argparse

    from honem.cli.reading import add_reading_options

    parser = argparse.ArgumentParser(add_help=False)
    add_reading_options(parser)
    page = PAGE.read_text(encoding="utf-8")
    missing = [flag for action in parser._actions for flag in action.option_strings if flag not in page]
    assert missing == []
