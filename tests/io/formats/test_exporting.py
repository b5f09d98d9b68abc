"""`honem export` writes what was asked for, and refuses what has no meaning before it reads anything."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest

from honem import Corpus, Embedding, InputError, OutputError, ParameterError, extract_rules
from honem.cli.exporting import KINDS, add_export_command
from honem.io.store import save

CITY = Corpus.from_sequences([["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20)
EMBEDDING = Embedding(CITY.vocabulary, np.eye(5, 2), -np.eye(5, 2), np.ones(2))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    save(tmp_path / "store", EMBEDDING, extract_rules(CITY))
    return tmp_path / "store"


def export(*words: str | Path) -> None:
    parser = argparse.ArgumentParser()
    add_export_command(parser.add_subparsers())
    args = parser.parse_args(["export", *map(str, words)])
    args.run(args)


@pytest.mark.parametrize(("what", "name"), [(what, name) for what in KINDS for name in KINDS[what]])
def test_every_format_is_written(store: Path, tmp_path: Path, what: str, name: str) -> None:
    export(store, "--what", what, "--format", name, "-o", tmp_path / "named")
    export(store, "--what", what, "-o", tmp_path / f"by_ending{KINDS[what][name]}")
    found = (tmp_path / f"by_ending{KINDS[what][name]}").read_bytes()
    # An npz has the time in it.
    assert (tmp_path / "named").read_bytes() == found or name == "npz"
    assert found


@pytest.mark.parametrize(
    ("ending", "beginning"),
    [
        (".csv", "node,source_0"),
        (".jsonl", '{"context"'),
        (".graphml", "<?xml"),
        (".vec", "5 2\n"),
        (".net", "*Vertices 5\n"),
        (".ngram", "dorm,downtown,20\n"),
    ],
)
def test_what_is_written_is_told_from_the_ending(store: Path, tmp_path: Path, ending: str, beginning: str) -> None:
    export(store, "-o", tmp_path / f"out{ending}")
    assert (tmp_path / f"out{ending}").read_text().startswith(beginning)


def test_options_reach_the_writer(store: Path, tmp_path: Path) -> None:
    export(store, "-o", tmp_path / "both.vec", "--vectors", "both")
    assert (tmp_path / "both.vec").read_text().startswith("5 4\n")
    export(store, "-o", tmp_path / "pairs.ngram", "--order", "2")
    assert (tmp_path / "pairs.ngram").read_text() == "dorm,downtown,library,20\nhome,downtown,office,20\n"
    export(store, "-o", tmp_path / "fon.csv", "--what", "network", "--kind", "fon")
    export(store, "-o", tmp_path / "hon.csv", "--what", "network")
    assert "|" not in (tmp_path / "fon.csv").read_text()
    assert "downtown|dorm,library,20,1.0\n" in (tmp_path / "hon.csv").read_text()


def test_text_goes_to_stdout(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export(store, "--format", "jsonl", "-o", "-")
    assert json.loads(capsys.readouterr().out.splitlines()[0])["context"] == ["dorm"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["-o", "x.doc"], r"'\.doc' is none of .*\.graphml"),
        (["-o", "x.graphml", "--what", "rules"], r"none of \.jsonl, \.csv, \.parquet, \.ngram"),
        (["-o", "x", "--format", "gexf", "--what", "vectors"], "no format 'gexf' for vectors"),
        (["-o", "x.csv", "--vectors", "target"], "--vectors says nothing about vectors as csv"),
        (["-o", "x.jsonl", "--spreadsheet-safe"], "--spreadsheet-safe says nothing about rules as jsonl"),
        (["-o", "x.csv", "--order", "1"], "--order says nothing"),
        (["-o", "-", "--format", "npz"], "cannot go to stdout"),
        (["-o", "-"], "'no ending' is none of"),
    ],
)
def test_what_has_no_meaning_is_refused(tmp_path: Path, words: list[str], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        export(tmp_path / "not even there", *words)


def test_places_and_stores_that_do_not_fit_are_refused(store: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="create the folder first"):
        export(tmp_path / "not even there", "-o", tmp_path / "no" / "x.csv")
    save(tmp_path / "bare", EMBEDDING)
    with pytest.raises(InputError, match="without rules, so there is no network"):
        export(tmp_path / "bare", "-o", tmp_path / "x.gexf")
    with pytest.raises(InputError, match="there is no folder"):
        export(tmp_path / "missing", "-o", tmp_path / "x.csv")


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        export("--help")
    assert "example: honem export" in capsys.readouterr().out
