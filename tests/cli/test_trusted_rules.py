"""`honem rules --top`, and which criterion commands use: what a user sees of trusted rules."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from honem import RuleTable, extract_rules, read_paths
from honem.cli import main
from honem.io.store import load

TRIPS = "\n".join(["dorm centre library"] * 40 + ["home centre office"] * 60 + ["dorm centre office"] * 4)


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paths.txt").write_text(TRIPS)
    return tmp_path / "paths.txt"


@pytest.fixture
def table(paths: Path) -> RuleTable:
    return extract_rules(read_paths(paths))


def rows_of(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.mark.parametrize("by", ["evidence", "bits_saved", "divergence", "support"])
def test_the_strongest_rules_are_json_lines_in_a_pipe(
    paths: Path, table: RuleTable, by: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rules", str(paths), "--top", "2", "--by", by]) == 0
    output = capsys.readouterr()
    records = list(table.records())
    expected = [row for rule in table.top(2, by) for row in records if tuple(row["context"]) == rule.context]
    assert rows_of(output.out) == expected
    assert "2 trusted rules of order 2 or more, 5 rules in all; by order: 1: 3, 2: 2" in output.err


def test_the_strongest_rules_are_a_table_on_a_terminal(
    paths: Path, table: RuleTable, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["rules", str(paths), "--top", "1"]) == 0
    assert capsys.readouterr().out == f"{table.top(1)}\n"


def test_the_strongest_rules_in_a_file(paths: Path, table: RuleTable) -> None:
    assert main(["rules", str(paths), "--top", "1", "-o", "top.csv"]) == 0
    with open("top.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    (strongest,) = table.top(1)
    assert {tuple(json.loads(row["context"])) for row in rows} == {strongest.context}
    assert {float(row["evidence"]) for row in rows} == {strongest.evidence}


def test_rules_of_the_papers_criterion_are_not_called_trusted(paths: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", str(paths), "--criterion", "divergence", "--top", "1"]) == 0
    message = capsys.readouterr().err
    assert "accepted rules of order 2 or more" in message
    assert "trusted" not in message


@pytest.mark.parametrize(
    ("options", "criterion"),
    [
        ([], "significance"),
        (["--preset", "paper"], "divergence"),
        (["--criterion", "divergence"], "divergence"),
        (["--preset", "paper", "--criterion", "significance"], "significance"),
    ],
)
def test_vectors_are_made_of_the_rules_of_their_preset(paths: Path, options: list[str], criterion: str) -> None:
    assert main(["embed", str(paths), "-o", "vectors", "--dim", "2", *options]) == 0
    rules = load("vectors").rules
    assert rules is not None
    assert rules.params.criterion == criterion
    assert [rule.context for rule in rules.by_order(2)] == [("dorm", "centre"), ("home", "centre")]


def test_the_rate_and_what_is_counted_reach_every_command(paths: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", str(paths), "--alpha", "1e-40"]) == 0
    assert all(row["order"] == 1 for row in rows_of(capsys.readouterr().out))
    assert main(["info", str(paths), "--alpha", "1e-40", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rules_by_order"] == {"1": 3}
    assert main(["network", str(paths), "--alpha", "1e-40", "-o", "network.csv"]) == 0
    assert "|" not in Path("network.csv").read_text()
    assert main(["network", str(paths), "--count", "sequences", "-o", "network.csv"]) == 0
    assert "centre|dorm" in Path("network.csv").read_text()


def test_info_says_how_much_memory_the_data_has(paths: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(paths), "--surrogate", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["tested_contexts"] == 2
    assert facts["accepted_by_order"] == {"1": 3, "2": 2}
    assert facts["changed_steps"] == 0.5
    assert facts["held_out"]["saved"] > 0.25
    assert facts["surrogate"]["order"] == 1
    assert facts["surrogate"]["accepted_by_order"] == {"1": 3}

    assert main(["info", str(paths), "--surrogate", "2"]) == 0
    shown = capsys.readouterr().out
    assert "trusted rules         2 of order 2 (2 contexts tested)" in shown
    assert "steps they change     50.0 %" in shown
    assert "surrogate, order 2    trusted rules: 2 of order 2 (2 contexts tested)" in shown


def test_info_speaks_of_accepted_rules_where_no_rate_is_bounded(
    paths: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["info", str(paths), "--criterion", "divergence"]) == 0
    assert "accepted rules        2 of order 2" in capsys.readouterr().out
    Path("one.txt").write_text("a b c\n")
    assert main(["info", "one.txt"]) == 0
    shown = capsys.readouterr().out
    assert "trusted rules         none (0 contexts tested)" in shown
    assert "bits they save        not measured: too few sequences to hold some out" in shown
