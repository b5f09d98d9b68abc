"""honem drift as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run

EMBED = ("--dim", 2, "--preset", "evidence", "--no-next-step")


@pytest.fixture
def models(run: Run, tmp_path: Path) -> None:
    for name, end in (("old", "c"), ("new", "f")):
        (tmp_path / f"{name}.txt").write_text(f"a b {end}\n" * 30 + "d b e\n" * 30)
        assert run("embed", f"{name}.txt", "-o", name, *EMBED).returncode == 0


@pytest.mark.usefixtures("models")
def test_changes_in_words_and_as_json(run: Run) -> None:
    said = run("drift", "new", "old", "-n", 1)
    assert said.returncode == 0, said.stderr
    assert "a, then b: c 100 % -> 0 %, f 0 % -> 100 %" in said.stdout
    found = json.loads(run("drift", "new", "old", "--json").stdout)
    assert ["a", "b"] in [rule["context"] for rule in found["rules"]]
    assert found["n_tested"] >= len(found["rules"])
    same = json.loads(run("drift", "new", "new", "--json").stdout)
    assert same["rules"] == []


@pytest.mark.usefixtures("models")
def test_bad_options(run: Run) -> None:
    done = run("drift", "new", "old", "--alpha", 2)
    assert done.returncode == 2
    assert "--alpha" in done.stderr
    assert run("drift", "new", "nothing").returncode == 2
