"""The page "Node profiles" does what it says, and its table is that of the columns."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from honem.cli import main
from honem.profile.columns import PROFILE_COLUMNS
from tests.docs.pages import DOCS, lay_out, run_examples

PAGE = DOCS / "profile.md"


def test_the_page_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = lay_out(PAGE, tmp_path)
    commands = [line.removeprefix("$ ") for kind, text in blocks if kind == "console" for line in text.splitlines()]
    for command in commands[:4]:
        assert main(shlex.split(command)[1:]) == 0, command
    assert run_examples(PAGE, blocks) > 10


def test_the_table_lists_the_columns() -> None:
    expected = [f"| `{name}` | {column.unit} | {column.meaning} |" for name, column in PROFILE_COLUMNS.items()]
    columns = re.findall(
        r"^\| `\w+` \| (?:count|share|order|bits|bits per step) \|.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert columns == expected
