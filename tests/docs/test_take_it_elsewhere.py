"""The page "Take it elsewhere" does what it says: its commands and examples are run, one after the other."""

from __future__ import annotations

import doctest
import importlib.util
import re
import shlex
from pathlib import Path

import pytest

from honem.cli.main import main
from honem.io.formats.registry import output_formats

PAGE = Path(__file__).parents[2] / "docs" / "take-it-elsewhere.md"
BLOCK = re.compile(r"^```(\w+)(?: (file|needs)=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for kind, option, value, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "text" and not value:  # a command of another tool
            continue
        if kind == "text":
            (tmp_path / value).write_text(text, encoding="utf-8")
        elif kind == "console":
            run_commands(text)
        elif option != "needs" or importlib.util.find_spec(value):  # those of tools that are not installed are left out
            run_examples(text, names)


def run_commands(text: str) -> None:
    for line in text.splitlines():
        program, *arguments = shlex.split(line.removeprefix("$ "))
        assert program == "honem"
        assert main(arguments) == 0, line


def run_examples(text: str, names: dict[str, object]) -> None:
    example = doctest.DocTestParser().get_doctest(text, names, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner()
    runner.run(example, clear_globs=False)
    names.update(example.globs)
    assert not runner.failures


def test_every_format_has_an_example() -> None:
    page = PAGE.read_text(encoding="utf-8")
    exported = set(re.findall(r"^\$ honem export .*-o \S+(\.\w+)", page, re.MULTILINE)) | {".vec"}
    named = set(re.findall(r"^\$ honem export .*--format (\S+)", page, re.MULTILINE))
    assert {format.name for format in output_formats() if format.extension not in exported} <= named


def test_the_table_lists_the_registered_formats() -> None:
    expected = [
        f"| {format.kind} | `{format.name}` | `{format.extension}` | {format.description} |"
        for format in output_formats()
    ]
    assert (
        re.findall(r"^\| (?:vectors|network|rules|profile) \|.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        == expected
    )
