"""Files that do not look like paths are questioned, in one line that names the option; `format="text"` reads them."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

import honem
from honem import InputError
from honem.io.paths.lines import LineChunk
from honem.io.paths.questioning import question_lines

STRANGE = {
    "user,time,page\n1,2,a\n1,3,b\n": r"has ',' between values.*format='csv', entity and node.*delimiter=','",
    "user,time,page\n1,2024-01-01 10:00,a\n1,2024-01-01 11:00,b\n": "format='csv'",
    "u;t;p\n1;2;x\n1;3;y\n": "delimiter=';'",
    "a,b,c\nb,c\nc,d,e\n": "delimiter=','",
    "ship\tday\tport\nA\t1\tRome\nA\t2\tBari\n": "columns ship, day, port; read it with format='tsv'",
    "<!DOCTYPE html>\n<html></html>\n": "web page",
    "<?xml version='1.0'?>\n<log/>\n": "format='xes'",
    '{"path": ["a"]}\n': "format='jsonl'",
    '["a", "b"]\n': "format='jsonl'",
    '{\n  "a": 1\n}\n': "JSON document",
    "a b\0c\n": "binary",
    "".join(f"a{n} b{n}\n" for n in range(50)): "list of edges: every path has two nodes",
    "".join(f"a{n} b{n} {n}\n" for n in range(50)): "list of edges with weights; read it with weighted",
}
USUAL = (
    "a b c\nb c d\n",
    "a\nb\nc\n",
    "[start] [middle] end\n[start] end\n",
    "<start> a b\n<start> b\n",
    "Rome,Italy Paris,France\nParis,France Rome,Italy Bari,Italy\nBari,Italy Rome,Italy\n",
    "1 2 3\n4 5 6\n" * 40,
    "home shop\n" * 60,
    "7\t8\t9\n7\t8\t9\n7\t8\t9\n",
)


@pytest.mark.parametrize("text", STRANGE)
def test_strange_files(text: str, tmp_path: Path) -> None:
    (tmp_path / "paths.txt").write_text(text)
    with pytest.raises(InputError, match=STRANGE[text]) as caught:
        honem.read_paths(tmp_path / "paths.txt")
    assert "\n" not in str(caught.value)
    assert "format='text'" in str(caught.value)
    assert honem.read_paths(tmp_path / "paths.txt", format="text").n_sequences > 0


@pytest.mark.parametrize("text", USUAL)
def test_usual_files(text: str, tmp_path: Path) -> None:
    (tmp_path / "paths.txt").write_text(text)
    assert honem.read_paths(tmp_path / "paths.txt").n_sequences > 0


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"PAR1\x15\x04", "format='parquet'"), (b"PK\3\4\x14", "a zip file"), (b"SQLite format 3\0", "SQLite.*database")],
)
def test_files_that_are_no_text(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "paths").write_bytes(content)
    with pytest.raises(InputError, match=message):
        honem.read_paths(tmp_path / "paths")


def test_real_paths_are_not_questioned() -> None:
    if "HONEM_DATA" not in os.environ:
        pytest.skip("HONEM_DATA names no folder of real paths")
    files = list(Path(os.environ["HONEM_DATA"]).glob("*/paths.txt.gz"))
    for file in files:
        with gzip.open(file) as content:
            question_lines(LineChunk(content.read(2**20), 1, file.name))
