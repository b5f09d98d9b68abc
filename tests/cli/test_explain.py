"""`honem explain` and `honem compare` as a user runs them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from honem import HONEM
from honem.cli import compare as compare_command
from honem.cli import explain
from honem.cli.main import main
from honem.errors import InputError, UnknownNodeError
from honem.explain import compare, explain_node, explain_pair
from honem.io.store import save

OLD = Path(__file__).parent.parent / "explain" / "data"
TRIPS = [[1, "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20


@pytest.fixture
def model() -> HONEM:
    return HONEM(n_components=2).fit(TRIPS)


@pytest.fixture
def store(tmp_path: Path, model: HONEM) -> Path:
    model.save(tmp_path / "vectors")
    return tmp_path / "vectors"


def run(*words: object) -> None:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    for command in (explain, compare_command):
        command.add_command(subparsers)
    args = parser.parse_args([str(word) for word in words])
    args.run(args)


def test_explain_tells_of_a_node(store: Path, model: HONEM, capsys: pytest.CaptureFixture[str]) -> None:
    run("explain", store, "centre", "-n", 1)
    assert capsys.readouterr().out == explain_node(model.rules_, "centre").describe(1) + "\n"
    run("explain", store, "centre", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads(json.dumps(explain_node(model.rules_, "centre").to_dict()))


def test_explain_takes_a_score_apart(store: Path, model: HONEM, capsys: pytest.CaptureFixture[str]) -> None:
    expected = explain_pair(model.rules_, model.embedding_, model.recipe_, 1, "library", n=2)
    run("explain", store, "1", "library", "-n", 2)
    assert capsys.readouterr().out == f"{expected}\n"
    run("explain", store, "1", "library", "-n", 2, "--json")
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(expected.to_dict()))


def test_scores_of_a_store_without_a_recipe_are_not_explained(
    tmp_path: Path, model: HONEM, capsys: pytest.CaptureFixture[str]
) -> None:
    save(tmp_path / "vectors", model.embedding_, model.rules_)
    assert main(["explain", str(tmp_path / "vectors"), "home", "office"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert "saved without the recipe of its vectors" in told.err
    assert main(["explain", str(tmp_path / "vectors"), "centre"]) == 0
    assert capsys.readouterr().out == explain_node(model.rules_, "centre").describe(5) + "\n"


def test_parts_of_a_recipe_are_not_completed_by_guessing(tmp_path: Path, model: HONEM) -> None:
    save(tmp_path / "vectors", model.embedding_, model.rules_, parameters={"order_weights": "constant"})
    with pytest.raises(InputError, match="was saved without the recipe of its vectors"):
        run("explain", tmp_path / "vectors", "home", "office")


def test_a_store_of_version_0_1_0_is_explained_as_it_was_then(capsys: pytest.CaptureFixture[str]) -> None:
    run("explain", OLD / "store_0_1_0", "dorm", "library", "--json")
    found, expected = capsys.readouterr().out, (OLD / "explanation_0_1_0.json").read_text(encoding="utf-8")
    new = json.loads(found)
    del new["common"]  # new in version 0.2.0
    found = json.dumps(new)
    # All digits but the last few, which may differ between builds of BLAS.
    assert json.loads(found, parse_float=rounded) == json.loads(expected, parse_float=rounded)


def rounded(text: str) -> float:
    return round(float(text), 12) + 0.0


def test_compare_tells_what_changed(
    store: Path, model: HONEM, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = HONEM(n_components=2, max_order=1).fit(TRIPS)
    save(tmp_path / "first", first.embedding_)
    expected = compare(model.embedding_, first.embedding_, k=2, space="source.target")
    run("compare", store, tmp_path / "first", "-k", 2, "-n", 1, "--space", "source.target")
    assert capsys.readouterr().out == expected.describe(1) + "\n"
    run("compare", store, tmp_path / "first", "-k", 2, "--space", "source.target", "--json")
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(expected.to_dict()))


def test_what_cannot_be_told_is_refused(store: Path, model: HONEM, tmp_path: Path) -> None:
    with pytest.raises(UnknownNodeError, match="no node 'moon'"):
        run("explain", store, "moon")
    with pytest.raises(UnknownNodeError, match="no node 'moon'"):
        run("explain", store, "home", "moon")
    save(tmp_path / "bare", model.embedding_)
    with pytest.raises(InputError, match="saved without rules"):
        run("explain", tmp_path / "bare", "home")


def test_evidence_that_is_not_known_is_null_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is not JSON")

    run("explain", OLD / "store_0_1_0", "centre", "--json")
    found = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert {(rule["evidence"], rule["q_value"]) for rule in found["rules"]} == {(None, None)}
