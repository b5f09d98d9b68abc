"""The page "Baselines" does what it says."""

from __future__ import annotations

import doctest
from dataclasses import fields
from pathlib import Path

from honem.evaluation.baselines import METHODS

PAGE = Path(__file__).parents[3] / "docs" / "baselines.md"


def test_examples() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted > 6
    assert not results.failed


def test_every_method_and_parameter_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, method in METHODS.items():
        for word in (name, *(option.name for option in fields(method))):
            assert f"`{word}`" in page or f"`{word}=" in page, word
