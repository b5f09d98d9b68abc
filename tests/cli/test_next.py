"""`honem next` as a user runs it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from honem import HONEM
from honem.cli import next as next_command
from honem.errors import InputError, UnknownNodeError
from honem.io.store import save
from honem.prediction import predict_next

TRIPS = [[1, "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20


@pytest.fixture
def model() -> HONEM:
    return HONEM(n_components=2).fit(TRIPS)


@pytest.fixture
def store(tmp_path: Path, model: HONEM) -> Path:
    save(tmp_path / "vectors", model.embedding_, model.rules_)
    return tmp_path / "vectors"


def run(*words: object) -> None:
    parser = argparse.ArgumentParser()
    next_command.add_command(parser.add_subparsers())
    args = parser.parse_args([str(word) for word in ("next", *words)])
    args.run(args)


def test_next_tells_nodes_with_their_probability(store: Path, model: HONEM, capsys: pytest.CaptureFixture[str]) -> None:
    run(store, "1", "centre", "-k", 2)
    head, *lines = capsys.readouterr().out.splitlines()
    expected = predict_next(model.rules_, [1, "centre"], 2).nodes
    assert head == "after 1 centre (order 2):"
    assert lines == [f"{node.probability:.6f}\t{node.node}" for node in expected]


def test_next_as_json(store: Path, model: HONEM, capsys: pytest.CaptureFixture[str]) -> None:
    run(store, "office", "home", "centre", "--json")
    found = json.loads(capsys.readouterr().out)
    expected = predict_next(model.rules_, ["office", "home", "centre"])
    assert found["history"] == ["office", "home", "centre"]
    assert (found["context"], found["order"]) == (["home", "centre"], 2)
    assert found["next"] == [node._asdict() for node in expected.nodes]


def test_what_cannot_be_told_is_refused(store: Path, model: HONEM, tmp_path: Path) -> None:
    with pytest.raises(UnknownNodeError, match="no node 'moon'"):
        run(store, "moon")
    save(tmp_path / "bare", model.embedding_)
    with pytest.raises(InputError, match="saved without rules"):
        run(tmp_path / "bare", "home")
