"""The page "Baselines" does what it says."""

from __future__ import annotations

import doctest
from dataclasses import fields
from pathlib import Path

from honem.evaluation.baselines import network_methods
from honem.evaluation.methods import method_names

PAGE = Path(__file__).parents[3] / "docs" / "baselines.md"


def test_examples() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted > 6
    assert not results.failed


def test_every_method_and_parameter_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, method in network_methods().items():
        for word in (name, *(option.name for option in fields(method))):
            assert f"`{word}`" in page or f"`{word}=" in page, word


def test_the_table_lists_every_method_and_no_other() -> None:
    table = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    listed = [name.strip("` ") for line in table for name in line.split("|")[1].split(",")]
    assert sorted(listed) == sorted(method_names())
