"""`honem tune`, and what `honem info` and `honem neighbors` say about a tuned store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.tuning.test_tuning import GRID


@pytest.fixture
def walks(tmp_path: Path) -> Path:
    path = tmp_path / "walks.txt"
    path.write_text("\n".join(" ".join(map(str, walk)) for walk in GRID.sequences()))
    return path


def test_the_table_of_members_is_printed(run: Run, walks: Path) -> None:
    shown = run("tune", walks, "--dim", 8)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("chosen: ")
    told = json.loads(run("tune", walks, "--dim", 8, "--json").stdout)
    for trial in told["trials"]:
        assert f"{trial['name']} " in shown.stdout
        assert f"{trial['value']:.4f}" in shown.stdout
    assert told["chosen"] == told["trials"][0]["name"]


def test_a_store_says_how_its_vectors_were_chosen(run: Run, walks: Path) -> None:
    made = run("embed", walks, "-o", "vectors", "--dim", 8, "--json")
    assert made.returncode == 0, made.stderr
    tuning = json.loads(made.stdout)["tuning"]
    assert f"chosen: {tuning['chosen']}" in made.stderr
    shown = run("info", "vectors")
    assert shown.returncode == 0, shown.stderr
    assert f"chosen: {tuning['chosen']}" in shown.stdout
    assert json.loads(run("info", "vectors", "--json").stdout)["facts"]["tuning"] == tuning
    for space in ("evidence", "cosine"):
        found = json.loads(run("neighbors", "vectors", "0_0", "--space", space, "--json").stdout)
        assert (found["space"], len(found["neighbors"])) == (space, 10)


def test_bad_options_are_refused_before_reading(run: Run) -> None:
    for options in (["--tune-for", "speed"], ["--dim", "0"], ["--alpha", "2"]):
        done = run("tune", "nowhere.txt", *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert options[0] in done.stderr
