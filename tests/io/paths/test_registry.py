"""A new input format needs nothing but its registration."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import honem
from honem import ParameterError
from honem.cli import main
from honem.io.paths import EventLayout
from honem.io.paths.building import Labelled, Parsed
from honem.io.paths.cleaning import Batch
from honem.io.paths.registry import SequenceFormat, TableFormat, input_formats, register, unregister
from honem.io.paths.settings import Settings
from honem.io.paths.sources import Stream


@dataclass(frozen=True)
class LetterLayout:
    """One character per node; `backwards` reads each line from its end."""

    backwards: bool = False


def read_letters(stream: Stream, layout: LetterLayout) -> Iterator[Parsed]:
    lines = stream.read_all().decode().splitlines()
    lines = [line[::-1] if layout.backwards else line for line in lines]
    labels = tuple(dict.fromkeys("".join(lines)))
    tokens = np.array([labels.index(letter) for line in lines for letter in line], np.int32)
    lengths = np.array([len(line) for line in lines], np.int64)
    yield Labelled(labels, Batch(tokens, lengths), stream.source.shown), Counter(lines=len(lines))


def log_layout(settings: Settings) -> EventLayout:
    return EventLayout(entity="who", node="where")


def read_log(stream: Stream, layout: EventLayout) -> pa.Table:
    rows = [line.split("@") for line in stream.read_all().decode().splitlines()]
    return pa.table({"who": [who for who, _ in rows], "where": [where for _, where in rows]})


@pytest.fixture
def toys() -> Iterator[None]:
    letters = SequenceFormat(
        name="letters",
        extensions=(".letters",),
        description="one character per node",
        layouts=(LetterLayout,),
        layout=lambda settings: settings.layout(LetterLayout, "letters"),
        read=read_letters,
    )
    log = TableFormat(
        name="log",
        extensions=(".log",),
        description="who@where",
        layouts=(EventLayout,),
        layout=log_layout,
        read=read_log,
    )
    for format in (letters, log):
        register(format)
    yield
    for format in (letters, log):
        unregister(format)


def test_there_are_formats_to_register_beside() -> None:
    names = ["access-log", "arrow", "csv", "event-log", "jsonl", "ngram", "parquet", "text", "tsv", "xes"]
    assert [format.name for format in input_formats()] == names


@pytest.mark.usefixtures("toys")
def test_a_registered_format_of_sequences_is_used_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.letters"
    path.write_text("abc\ncb\n")
    corpus, report = honem.read_paths_with_report(path)
    assert list(corpus.sequences()) == [("a", "b", "c"), ("c", "b")]
    assert (report.lines, report.files, report.inputs[0].bytes) == (2, 1, 7)
    assert list(honem.read_paths(path, backwards=True).sequences()) == [("c", "b", "a"), ("b", "c")]  # type: ignore[call-arg]
    assert list(honem.read_paths(path, max_length=2).sequences()) == [("a", "b"), ("c",), ("c", "b")]
    with pytest.raises(ParameterError, match="weighted=True does not apply to letters"):
        honem.read_paths(path, weighted=True)
    (tmp_path / "x.txt").write_text("abc\ncb\n")
    for arguments in ([str(path)], [str(tmp_path / "x.txt"), "--format", "letters"]):
        assert main(["info", *arguments, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["nodes"] == 3
    with pytest.raises(SystemExit):
        main(["info", "--help"])
    assert "letters" in capsys.readouterr().out


@pytest.mark.usefixtures("toys")
def test_a_registered_format_of_tables_is_used_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("1.log", "x@a\ny@b\n"), ("2.log", "x@b\n")):
        (tmp_path / name).write_text(text)
    assert list(honem.read_paths(str(tmp_path / "*.log")).sequences()) == [("a", "b"), ("b",)]
    assert main(["info", str(tmp_path / "*.log"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sequences"] == 2
    (tmp_path / "3.csv").write_text("e,n\nx,y\n")
    with pytest.raises(ParameterError, match="cannot be read together"):
        honem.read_paths([tmp_path / "1.log", tmp_path / "3.csv"], entity="e", node="n")


@pytest.mark.usefixtures("toys")
def test_two_formats_cannot_share_a_name_or_extension() -> None:
    for name, extension in (("letters", ".other"), ("other", ".letters")):
        with pytest.raises(ParameterError, match="already the input format letters"):
            register(
                SequenceFormat(
                    name=name,
                    extensions=(extension,),
                    description="another toy",
                    layouts=(LetterLayout,),
                    layout=lambda settings: settings.layout(LetterLayout, "letters"),
                    read=read_letters,
                )
            )
