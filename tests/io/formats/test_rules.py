"""Rules in every format are the rules, read back by honem's own eyes and by other tools."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from honem import Corpus, ExtractionParams, OutputError, ParameterError, RuleTable, extract_rules
from honem.io.formats import rule_rows
from honem.io.formats.csv import rule_lines
from honem.io.formats.jsonl import jsonl_lines
from honem.io.formats.names import plain_name, unescape
from honem.io.formats.writing import plan_output, write_rules
from honem.io.store import load
from tests.io.formats.nasty import nasty_rules, pandas_reads_nul
from tests.strategies import corpora, params

OLD_STORE = Path(__file__).parents[1] / "data" / "store-0.1.0"  # written by honem 0.1.0


@pytest.fixture(scope="module", params=["significance", "divergence"])
def nasty(request: pytest.FixtureRequest) -> RuleTable:
    return nasty_rules(request.param)


@pytest.fixture(params=[1, 3, 1 << 18])
def rows_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the table is cut, what is written is the same."""
    monkeypatch.setattr(rule_rows, "ROWS_AT_ONCE", request.param)


def read_csv(path: Path, name: Any = str) -> list[dict[str, Any]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [
            {
                "context": json.loads(row["context"]),
                "target": name(row["target"]),
                **{column: int(row[column]) for column in ("order", "count", "support")},
                **{column: float(row[column]) for column in ("probability", "divergence", "threshold")},
                **{column: float(row[column]) if row[column] else None for column in ("evidence", "q_value")},
                "accepted": {"true": True, "false": False}[row["accepted"]],
            }
            for row in csv.DictReader(file)
        ]


@given(corpora(), params)
def test_json_lines_are_the_records(corpus: Corpus, options: ExtractionParams) -> None:
    table = extract_rules(corpus, **vars(options))
    assert list(jsonl_lines(table)) == [json.dumps(record) + "\n" for record in table.records()]


@settings(max_examples=30)
@given(corpora(), params)
def test_csv_has_a_line_a_row(corpus: Corpus, options: ExtractionParams) -> None:
    table = extract_rules(corpus, **vars(options))
    assert len(list(rule_lines(table))) == table.n_rows


@pytest.mark.usefixtures("rows_at_once")
def test_nasty_names_come_back_from_json_lines(nasty: RuleTable, tmp_path: Path) -> None:
    write_rules(nasty, tmp_path / "rules.jsonl")
    lines = (tmp_path / "rules.jsonl").read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert [json.loads(line) for line in lines] == list(nasty.records())


@pytest.mark.usefixtures("rows_at_once")
def test_nasty_names_come_back_from_csv(nasty: RuleTable, tmp_path: Path) -> None:
    write_rules(nasty, tmp_path / "rules.CSV")
    header = (tmp_path / "rules.CSV").read_text(encoding="utf-8").split("\n")[0]
    assert header == "context,target,order,count,probability,support,divergence,threshold,evidence,q_value,accepted"
    assert read_csv(tmp_path / "rules.CSV") == list(nasty.records())
    write_rules(nasty, tmp_path / "safe.csv", spreadsheet_safe=True)
    assert read_csv(tmp_path / "safe.csv", plain_name) == list(nasty.records())
    assert not any(row["target"].startswith(("=", "+", "-", "@")) for row in read_csv(tmp_path / "safe.csv"))


@pandas_reads_nul
def test_pandas_reads_csv_and_json_lines(nasty: RuleTable, tmp_path: Path) -> None:
    write_rules(nasty, tmp_path / "rules.csv")
    write_rules(nasty, tmp_path / "rules.jsonl")
    targets = [record["target"] for record in nasty.records()]
    frame = pd.read_csv(tmp_path / "rules.csv", keep_default_na=False, dtype={"probability": str})
    assert frame["target"].tolist() == targets
    assert frame["probability"].map(float).tolist() == nasty.probabilities.tolist()
    lines = pd.read_json(tmp_path / "rules.jsonl", lines=True, dtype={"target": str})
    assert lines["context"].tolist() == [record["context"] for record in nasty.records()]


@pytest.mark.usefixtures("rows_at_once")
def test_nasty_names_come_back_from_parquet(nasty: RuleTable, tmp_path: Path) -> None:
    write_rules(nasty, tmp_path / "rules.parquet")
    assert pq.read_table(tmp_path / "rules.parquet").to_pylist() == list(nasty.records())
    assert pd.read_parquet(tmp_path / "rules.parquet")["count"].tolist() == nasty.counts.tolist()


def test_nasty_names_come_back_from_ngrams(nasty: RuleTable, tmp_path: Path) -> None:
    write_rules(nasty, tmp_path / "rules.ngram")
    lines = (tmp_path / "rules.ngram").read_text(encoding="utf-8").splitlines()
    found = [line.split(",") for line in lines]
    assert [([*map(unescape, nodes)], int(count)) for *nodes, count in found] == [
        ([*record["context"], record["target"]], record["count"]) for record in nasty.records()
    ]


def test_ngrams_of_one_order_can_be_chosen(nasty: RuleTable, tmp_path: Path) -> None:
    write_rules(nasty, tmp_path / "pairs.ngram", order=1)
    lines = (tmp_path / "pairs.ngram").read_text(encoding="utf-8").splitlines()
    assert {line.count(",") for line in lines} == {2}
    with pytest.raises(ParameterError, match="order"):
        write_rules(nasty, tmp_path / "pairs.ngram", order=0)


def test_json_lines_go_to_stdout(nasty: RuleTable, capsys: pytest.CaptureFixture[str]) -> None:
    write_rules(nasty, "-")
    assert [json.loads(line) for line in capsys.readouterr().out.strip("\n").split("\n")] == list(nasty.records())


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet", ".ngram"])
def test_a_table_without_rules_is_a_file_without_rows(tmp_path: Path, ending: str) -> None:
    corpus = Corpus.from_sequences([["a", "b"]], [2])
    table = extract_rules(corpus, criterion="divergence", min_support=3, support="transition")
    assert len(table) == table.n_rows == 0
    write_rules(table, tmp_path / f"rules{ending}")
    size = (tmp_path / f"rules{ending}").stat().st_size
    assert size == 0 if ending in (".jsonl", ".ngram") else size > 0


def test_evidence_is_exact_in_every_format(nasty: RuleTable, tmp_path: Path) -> None:
    expected = [nasty.evidence[nasty.rule_of_row].tolist(), nasty.q_values[nasty.rule_of_row].tolist()]
    assert max(expected[0]) > 10
    assert min(expected[1]) < 0.001
    assert [[record[name] for record in nasty.records()] for name in ("evidence", "q_value")] == expected
    for ending in ("jsonl", "csv", "parquet"):
        write_rules(nasty, tmp_path / f"rules.{ending}")
    lines = [json.loads(line) for line in (tmp_path / "rules.jsonl").read_bytes().split(b"\n")[:-1]]
    assert [[line[name] for line in lines] for name in ("evidence", "q_value")] == expected
    rows = read_csv(tmp_path / "rules.csv")
    assert [[row[name] for row in rows] for name in ("evidence", "q_value")] == expected
    table = pq.read_table(tmp_path / "rules.parquet")
    assert [table[name].to_pylist() for name in ("evidence", "q_value")] == expected
    frame = nasty.to_pandas()
    assert [frame[name].tolist() for name in ("evidence", "q_value")] == expected


def test_unknown_evidence_is_null_or_empty_or_nan(tmp_path: Path) -> None:
    table = load(OLD_STORE).rules
    assert table is not None
    for ending in ("jsonl", "csv", "parquet"):
        write_rules(table, tmp_path / f"rules.{ending}")
    lines = [json.loads(line) for line in (tmp_path / "rules.jsonl").read_bytes().split(b"\n")[:-1]]
    rows = read_csv(tmp_path / "rules.csv")
    frame = pd.read_parquet(tmp_path / "rules.parquet")
    assert len(lines) == len(rows) == len(frame) == table.n_rows
    for name in ("evidence", "q_value"):
        assert {line[name] for line in lines} == {row[name] for row in rows} == {None}
        assert frame[name].isna().all()


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".ngram"])
def test_numbers_and_tuples_can_be_nodes(tmp_path: Path, ending: str) -> None:
    table = extract_rules(Corpus.from_sequences([[1, (2, "b"), 3.5, "c"]]))
    write_rules(table, tmp_path / f"rules{ending}")
    if ending == ".jsonl":
        first = json.loads((tmp_path / "rules.jsonl").read_text().split("\n")[0])
        assert (first["context"], first["target"]) == ([1], [2, "b"])


def test_an_unknown_ending_lists_the_known_ones(nasty: RuleTable, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"'\.xlsx'.*use one of \.csv, \.jsonl, \.ngram, \.parquet"):
        write_rules(nasty, tmp_path / "rules.xlsx")
    with pytest.raises(ParameterError, match="no extension, from which no format for rules can be inferred"):
        plan_output(tmp_path / "rules", "rules")
    assert not any(tmp_path.iterdir())


def test_paths_are_checked_before_any_work(tmp_path: Path) -> None:
    plan_output("-", "rules")
    plan_output(tmp_path / "rules.csv", "rules")
    with pytest.raises(OutputError, match="create the folder first"):
        plan_output(tmp_path / "no" / "rules.csv", "rules")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OutputError, match="it is a folder"):
        plan_output(tmp_path / "folder.csv", "rules")


@pytest.mark.parametrize("ending", [".csv", ".ngram", ".parquet", ".jsonl"])
def test_half_a_character_is_refused_or_escaped(tmp_path: Path, ending: str) -> None:
    table = extract_rules(Corpus.from_sequences([["a", "b\ud800"]]))
    if ending in (".ngram", ".jsonl"):
        write_rules(table, tmp_path / f"rules{ending}")
        assert b"d800" in (tmp_path / f"rules{ending}").read_bytes().lower()
        return
    with pytest.raises(OutputError, match="surrogate"):
        write_rules(table, tmp_path / f"rules{ending}")
    assert not any(tmp_path.iterdir())
