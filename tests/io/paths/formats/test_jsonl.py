"""JSON lines: what was written is read back, numbers and strings told apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus
from honem.io.paths import read_paths, read_paths_with_report

NODES = (
    st.text(st.characters(codec="utf-8"), max_size=8) | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a property."""
    return tmp_path_factory.mktemp("json")


@given(paths=st.lists(st.lists(NODES), min_size=1), ascii_only=st.booleans())
def test_round_trip(paths: list[list[str | int | float]], ascii_only: bool, folder: Path) -> None:
    text = "\r\n".join(json.dumps(path, ensure_ascii=ascii_only) for path in paths)
    (folder / "p.jsonl").write_bytes(text.encode())
    corpus = read_paths(folder / "p.jsonl")
    assert list(corpus.sequences()) == list(Corpus.from_sequences(paths).sequences())


def test_one_and_its_name_are_two_nodes(tmp_path: Path) -> None:
    (tmp_path / "p.ndjson").write_text('[1, "1", 1.0]\n\n')
    corpus, report = read_paths_with_report(tmp_path / "p.ndjson")
    assert list(corpus.vocabulary) == [1, "1"]
    assert (report.lines, report.blank_lines) == (2, 1)


def test_objects_with_a_field_and_a_weight(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": 1, "path": ["a", "b"], "n": 3}\n{"path": ["b"], "n": 2.0}\n')
    corpus = read_paths(tmp_path / "p.jsonl", field="path", weight="n")
    assert list(corpus.sequences()) == [("a", "b"), ("b",)]
    assert corpus.weights.tolist() == [3, 2]
