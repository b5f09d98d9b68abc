"""`honem profile` shows the numbers of a node, or the nodes with the highest number in a column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from honem import HONEM
from honem.cli import main
from honem.profile.columns import PROFILE_COLUMNS

OLD = Path(__file__).parents[1] / "explain" / "data" / "store_0_1_0"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    paths = tmp_path_factory.mktemp("profile") / "paths.txt"
    paths.write_text("dorm downtown library\n" * 20 + "home downtown office\n" * 20 + "1 2\n")
    folder = str(paths.with_name("store"))
    assert main(["embed", str(paths), "-o", folder, "--dim", "2"]) == 0
    return folder


def test_a_node_in_words_and_as_json(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", store, "downtown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(PROFILE_COLUMNS)
    assert lines[0].split(maxsplit=2) == ["visits", "40", "occurrences in the sequences"]
    assert main(["profile", store, "downtown", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "node": "downtown",
        "profile": HONEM.load(store).profile().of_node("downtown"),
    }


def test_the_highest_nodes_of_a_column(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", store, "-n", "1"]) == 0
    assert capsys.readouterr().out == "40\tdowntown\n"
    assert main(["profile", store, "--by", "start_share", "-n", "2", "--json"]) == 0
    expected = [{"node": "dorm", "start_share": 1.0}, {"node": "home", "start_share": 1.0}]
    assert json.loads(capsys.readouterr().out) == {"by": "start_share", "nodes": expected}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["downtown", "--by", "visits"], "--by and -n list several nodes; leave out either them or NODE"),
        (["mars"], "no node 'mars'"),
    ],
)
def test_what_makes_no_sense_is_refused(
    store: str, words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", store, *words]) == 2
    assert problem in capsys.readouterr().err


def test_an_old_store_says_that_it_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", str(OLD), "dorm"]) == 2
    assert "was saved without a profile; run `honem embed` again to make one" in capsys.readouterr().err
