"""`honem next` as a user runs it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from honem import HONEM
from honem.cli import next as next_command
from honem.cli import sample as sample_command
from honem.errors import HonemWarning, InputError, ParameterError
from honem.io.store import save
from honem.prediction import Contribution, predict_next

TRIPS = [[1, "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20


@pytest.fixture(scope="module")
def model() -> HONEM:
    return HONEM(n_components=2).fit(TRIPS)


@pytest.fixture
def store(tmp_path: Path, model: HONEM) -> Path:
    model.save(tmp_path / "vectors")
    return tmp_path / "vectors"


@pytest.fixture
def only_rules(tmp_path: Path, model: HONEM) -> Path:
    save(tmp_path / "rules", model.embedding_, model.rules_)
    return tmp_path / "rules"


def run(*words: object) -> None:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    next_command.add_command(subparsers)
    sample_command.add_command(subparsers)
    args = parser.parse_args([str(word) for word in words])
    args.run(args)


def name_of(part: Contribution) -> str:
    return "vectors" if part.context is None else " ".join(map(str, part.context)) or "anything"


def test_next_shows_predicted_and_observed(store: Path, model: HONEM, capsys: pytest.CaptureFixture[str]) -> None:
    run("next", store, "1", "centre", "-k", 2)
    head, *lines = capsys.readouterr().out.splitlines()
    expected = model.predict_next([1, "centre"], 2)
    assert head == "after 1 centre (order 2, observed 20 times):"
    assert lines[:2] == [f"{node.probability:.6f}\t{node.node}\t{node.observed}/20" for node in expected.nodes]
    assert lines[2:] == [f"# {part.weight:.1%} from {name_of(part)}" for part in expected.contributions]


def test_next_says_which_nodes_are_unknown(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(HonemWarning, match="no node 'moon'"):
        run("next", store, "moon", "home", "centre", "--from-start")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "after home centre (order 2, observed 20 times):"
    assert lines[1] == "# unknown nodes, after which the history is used: moon"


def test_next_as_json(store: Path, model: HONEM, capsys: pytest.CaptureFixture[str]) -> None:
    run("next", store, "office", "home", "centre", "--json")
    found = json.loads(capsys.readouterr().out)
    expected = model.predict_next(["office", "home", "centre"])
    assert found["history"] == ["office", "home", "centre"]
    assert (found["context"], found["order"], found["observed"]) == (["home", "centre"], 2, 20)
    assert found["next"] == [node._asdict() for node in expected.nodes]
    assert sum(part["weight"] for part in found["contributions"]) == pytest.approx(1)


def test_next_of_a_file(store: Path, model: HONEM, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    histories = tmp_path / "histories.txt"
    histories.write_text("1 centre\nmoon\nhome\n", encoding="utf-8")
    expected = model.predict_next([[1, "centre"], ["moon"], ["home"]], k=2)
    with pytest.warns(HonemWarning, match="no node 'moon'"):
        run("next", store, "--histories", histories, "-k", 2)
    assert capsys.readouterr().out.splitlines() == [
        f"{line}\t{found.order}\t{node.probability:.6f}\t{node.node}"
        for line, found in enumerate(expected, start=1)
        for node in found.nodes
    ]
    with pytest.warns(HonemWarning, match="no node 'moon'"):
        run("next", store, "--histories", histories, "--json")
    found = json.loads(capsys.readouterr().out)["predictions"]
    assert [(each["history"], each["order"]) for each in found] == [([1, "centre"], 2), (["moon"], 0), (["home"], 1)]


def test_a_store_without_the_model_predicts_from_rules(
    only_rules: Path, model: HONEM, capsys: pytest.CaptureFixture[str]
) -> None:
    run("next", only_rules, "1", "centre", "--json")
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert "holds no next-step model; predicting from its rules" in printed.err
    expected = predict_next(model.rules_, [1, "centre"])
    assert found["next"] == [node._asdict() for node in expected.nodes]
    with pytest.raises(ParameterError, match="predicts from its rules, which cannot answer honem sample"):
        run("sample", only_rules)


def test_sample_prints_one_path_per_line(store: Path, model: HONEM, capsys: pytest.CaptureFixture[str]) -> None:
    run("sample", store, "-n", 3, "--length", 3, "--start", "1", "--seed", 4)
    expected = model.sample(3, start=[1], length=3, random_state=4)
    assert capsys.readouterr().out.splitlines() == [" ".join(map(str, path)) for path in expected]
    run("sample", store, "-n", 2, "--json")
    assert json.loads(capsys.readouterr().out)["paths"] == [list(path) for path in model.sample(2)]


def test_what_cannot_be_answered_is_refused(store: Path, model: HONEM, tmp_path: Path) -> None:
    for words in ((), ("home", "--histories", "file")):
        with pytest.raises(ParameterError, match="give either nodes or --histories FILE"):
            run("next", store, *words)
    save(tmp_path / "bare", model.embedding_)
    with pytest.raises(InputError, match="saved without rules"):
        run("next", tmp_path / "bare", "home")
