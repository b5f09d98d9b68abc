"""`honem export` writes what is requested, and refuses wrong options before it reads anything."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest

from honem import Corpus, Embedding, InputError, OutputError, ParameterError, extract_rules, node_profile
from honem.cli.export import add_command
from honem.io.formats.registry import OutputFormat, output_formats
from honem.io.store import save

CITY = Corpus.from_sequences([["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20)
EMBEDDING = Embedding(CITY.vocabulary, np.eye(5, 2), -np.eye(5, 2), np.ones(2))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    rules = extract_rules(CITY)
    save(tmp_path / "store", EMBEDDING, rules, profile=node_profile(rules, CITY.visit_counts()))
    return tmp_path / "store"


def export(*words: str | Path) -> None:
    parser = argparse.ArgumentParser()
    add_command(parser.add_subparsers())
    args = parser.parse_args(["export", *map(str, words)])
    args.run(args)


@pytest.mark.parametrize("format", output_formats(), ids=lambda format: f"{format.kind}-{format.name}")
def test_every_format_is_written(store: Path, tmp_path: Path, format: OutputFormat) -> None:
    export(store, "--what", format.kind, "--format", format.name, "-o", tmp_path / "named")
    export(store, "--what", format.kind, "-o", tmp_path / f"inferred{format.extension}")
    found = (tmp_path / f"inferred{format.extension}").read_bytes()
    # An npz contains the time.
    assert (tmp_path / "named").read_bytes() == found or format.name == "npz"
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
def test_the_content_is_inferred_from_the_extension(store: Path, tmp_path: Path, ending: str, beginning: str) -> None:
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


def test_a_profile_is_written_on_request_only(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export(store, "--what", "profile", "-o", "-")
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.startswith("node,visits,strength_in,strength_out")
    assert rows[1].startswith("downtown,40,40,40,2,2,1,1,0,0,0,0,0,2,0,0,")
    save(tmp_path / "old", EMBEDDING)
    with pytest.raises(InputError, match="old was saved without a profile; run `honem embed` again"):
        export(tmp_path / "old", "--what", "profile", "-o", tmp_path / "profile.csv")
    assert not (tmp_path / "profile.csv").exists()


def test_text_goes_to_stdout(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export(store, "--format", "jsonl", "-o", "-")
    assert json.loads(capsys.readouterr().out.splitlines()[0])["context"] == ["dorm"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["-o", "x.doc"], r"'\.doc', from which no format can be inferred; use one of .*\.graphml"),
        (
            ["-o", "x.graphml", "--what", "rules"],
            r"for rules can be inferred; use one of \.csv, \.jsonl, \.ngram, \.parquet",
        ),
        (["-o", "x", "--format", "gexf", "--what", "vectors"], "format must be one of .* for vectors, not 'gexf'"),
        (["-o", "x.csv", "--vectors", "target"], "vectors does not apply to vectors as csv"),
        (["-o", "x.jsonl", "--spreadsheet-safe"], "spreadsheet_safe does not apply to rules as jsonl"),
        (["-o", "x.csv", "--order", "1"], "order does not apply to vectors as csv"),
        (["-o", "-", "--format", "npz"], "npz cannot be written to stdout"),
        (["-o", "-"], "'-' has no extension"),
    ],
)
def test_what_has_no_meaning_is_refused(tmp_path: Path, words: list[str], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        export(tmp_path / "not even there", *words)


def test_places_and_stores_that_do_not_fit_are_refused(store: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="create the folder first"):
        export(tmp_path / "not even there", "-o", tmp_path / "no" / "x.csv")
    save(tmp_path / "bare", EMBEDDING)
    with pytest.raises(InputError, match="without rules, which are needed to write the network"):
        export(tmp_path / "bare", "-o", tmp_path / "x.gexf")
    with pytest.raises(InputError, match="there is no folder"):
        export(tmp_path / "missing", "-o", tmp_path / "x.csv")


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        export("--help")
    assert "example: honem export" in capsys.readouterr().out
