"""The page "Bring your data" does what it says: its files are written, its examples and commands are run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from honem.io.paths.registry import input_formats
from tests.docs.pages import DOCS, lay_out, run_examples

PAGE = DOCS / "bring-your-data.md"


@pytest.fixture
def blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The examples as (kind, text), in a folder with all the files of the page."""
    monkeypatch.chdir(tmp_path)
    return lay_out(PAGE, tmp_path)


def test_examples_in_python(blocks: list[tuple[str, str]]) -> None:
    assert run_examples(PAGE, blocks) > 30


def test_commands(blocks: list[tuple[str, str]]) -> None:
    # The Parquet files and the like that the commands read are made by the examples.
    test_examples_in_python(blocks)
    commands = [line[2:] for kind, text in blocks if kind == "console" for line in text.splitlines()]
    assert len(commands) > 10
    for command in commands:
        honem = f"{shlex.quote(sys.executable)} -m honem "
        done = subprocess.run(command.replace("honem ", honem), shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stderr)


def test_the_table_lists_the_registered_formats() -> None:
    expected = [
        f"| `{format.name}` | {', '.join(f'`{one}`' for one in format.extensions) or 'none'} | {format.description} |"
        for format in input_formats()
    ]
    assert re.findall(r"^\| `[\w-]+` \| (?:`\.|none).*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE) == expected


def test_every_option_is_on_the_page() -> None:
    import argparse

    from honem.cli.reading import add_reading_options

    parser = argparse.ArgumentParser(add_help=False)
    add_reading_options(parser)
    page = PAGE.read_text(encoding="utf-8")
    missing = [flag for action in parser._actions for flag in action.option_strings if flag not in page]
    assert missing == []
