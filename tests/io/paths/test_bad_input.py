"""Every bad input is one line that names the place, the value and the way out."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from honem.errors import CorpusError, InputError, ParameterError
from honem.io.paths import from_events, read_paths, sources

NGRAM: dict[str, Any] = {"delimiter": ",", "weighted": True}
EVENTS: dict[str, Any] = {"entity": "e", "time": "t", "node": "n"}
BOMB = gzip.compress(b"a b\n" * 2**19, 9)

BAD_FILES = {
    "empty": ("p.txt", b"", {}, ["p.txt", "empty"]),
    "empty gzip": ("p.txt.gz", b"", {}, ["p.txt.gz", "empty"]),
    "gzip of nothing": ("p.txt.gz", gzip.compress(b""), {}, ["p.txt.gz", "without a sequence"]),
    "only a BOM": ("p.txt", b"\xef\xbb\xbf", {}, ["without a sequence"]),
    "only blank lines": ("p.txt", b"\n \t\n\n", {}, ["without a sequence", "3 blank lines"]),
    "invalid UTF-8": ("p.txt", b"a b\nc \xff\xfe d\n", {}, ["line 2", "byte 3 of the line", "0xff", "UTF-8"]),
    "cut character": ("p.txt", b"a b\nc \xc3", {}, ["line 2", "byte 3 of the line", "0xc3"]),
    "joined only by the separator": ("p.txt", b"a \xc3 \xa9\n", {}, ["line 1", "byte 3"]),
    "latin-1 in a header": ("p.txt", b"caf\xe9\na b\n", {"header": 1}, ["line 1", "byte 4", "0xe9"]),
    "UTF-16": ("p.txt", "a b".encode("utf-16"), {}, ["line 1", "byte 1", "UTF-16"]),
    "cut gzip": ("p.txt.gz", gzip.compress(b"a b c\n" * 999)[:-9], {}, ["p.txt.gz", "gzip", "cut short"]),
    "damaged gzip": ("p.txt.gz", gzip.compress(b"a b\n")[:-8] + bytes(8), {}, ["gzip", "damaged"]),
    "cut zstd": ("p.txt.zst", zstandard.compress(b"a b c\n" * 999)[:-3], {}, ["zstd", "cut short"]),
    "named .gz, not gzip": ("p.txt.gz", b"a b\n", {}, ["not gzip", "rename"]),
    "named .gz, but zstd": ("p.txt.gz", zstandard.compress(b"a b\n"), {}, ["zstd", "rename"]),
    "weight 0": ("p.txt", b"a,b,1\na,0\n", NGRAM, ["line 2", "'0'", "positive whole number"]),
    "negative weight": ("p.txt", b"a,b,1\n\nb,-3\n", NGRAM, ["line 3", "'-3'"]),
    "fractional weight": ("p.txt", b"a,b,2.5\n", NGRAM, ["line 1", "'2.5'"]),
    "no weight": ("p.txt", b"# x\na,b,1\na,b,c\n", {**NGRAM, "comment": "#"}, ["line 3", "'c'"]),
    "weight in hexadecimal": ("p.txt", b"a,b,0x1F\n", NGRAM, ["'0x1F'"]),
    "huge weight": ("p.txt", b"a,b,1\na,b,9223372036854775808\n", NGRAM, ["line 2", "9223372036854775808"]),
    "enormous weight": ("p.txt", b"a,b,99999999999999999999999\n", NGRAM, ["line 1"]),
    "weight and no node": ("p.txt", b"a,1\n7\n", NGRAM, ["line 2", "needs a node"]),
    "empty field": ("p.txt", b"a,b\na,,b\n", {"delimiter": ","}, ["line 2", "','", "empty='skip'"]),
    "delimiter at the end": ("p.txt", b"a,b,\n", {"delimiter": ","}, ["line 1"]),
    "long line": (
        "p.txt",
        b"a b\n" + b"x" * 101 + b"\nc\n",
        {"max_line_bytes": 100},
        ["line 2", "max_line_bytes = 100"],
    ),
    "long last line": ("p.txt", b"a b\n" + b"x" * 150, {"max_line_bytes": 100}, ["line 2", "max_line_bytes = 100"]),
    "too many bytes": ("p.txt", b"a b\n" * 100, {"max_bytes": 300}, ["max_bytes = 300"]),
    "too many nodes": ("p.txt", b"a b c d\n", {"max_nodes": 3}, ["line 1", "max_nodes = 3"]),
    "bomb": ("p.txt.gz", BOMB, {}, ["max_expansion = 300", str(len(BOMB))]),
    "nothing left": (
        "p.txt",
        b"a b\nc\n",
        {"min_length": 3},
        ["left no sequence", "2 sequences shorter than min_length"],
    ),
    "not JSON": ("p.jsonl", b'["a"]\n["b"\n', {}, ["line 2", "column 5", "not JSON"]),
    "JSON string": ("p.jsonl", b'"abc"\n', {}, ["line 1", "list of nodes", '"abc"']),
    "JSON object": ("p.jsonl", b'{"path": ["a"]}\n', {}, ["line 1", "object", "'path'"]),
    "JSON without the field": ("p.jsonl", b'{"path": []}\n', {"field": "x"}, ["line 1", "'x'", "'path'"]),
    "JSON list for an object": ("p.jsonl", b'["a"]\n', {"field": "x"}, ["line 1", "not an object"]),
    "JSON null": ("p.jsonl", b'["a", null]\n', {}, ["line 1", "string or a number", "null"]),
    "JSON true": ("p.jsonl", b"[1, true]\n", {}, ["line 1", "true"]),
    "JSON in JSON": ("p.jsonl", b'["a", ["b"]]\n', {}, ["line 1", '["b"]']),
    "JSON NaN": ("p.jsonl", b"[NaN]\n", {}, ["line 1", "NaN"]),
    "JSON too deep": ("p.jsonl", b"[" * 100_000 + b"\n", {}, ["line 1", "JSON"]),
    "half a character": ("p.jsonl", b'["a", "\\ud800"]\n', {}, ["line 1", "surrogate"]),
    "JSON weight": ("p.jsonl", b'{"p": ["a"], "w": 0.5}\n', {"field": "p", "weight": "w"}, ["line 1", "0.5"]),
    "JSON weight true": ("p.jsonl", b'{"p": ["a"], "w": true}\n', {"field": "p", "weight": "w"}, ["line 1", "true"]),
    "no such column": ("p.csv", b"e,t,x\n1,2,3\n", EVENTS, ["no column 'n'", "'e', 't', 'x'"]),
    "two columns of a name": ("p.csv", b"e,t,n,n\n1,2,3,4\n", EVENTS, ["more than one column 'n'"]),
    "only a header": ("p.csv", b"e,t,n\n", EVENTS, ["without a sequence"]),
    "empty CSV": ("p.csv", b"", EVENTS, ["empty"]),
    "missing node": ("p.csv", b"e,t,n\nx,1,a\nx,2,\n", EVENTS, ["row 2", "'n'", "missing='skip'"]),
    "missing entity": ("p.csv", b"e,t,n\n,1,a\n", EVENTS, ["row 1", "'e'"]),
    "missing time": ("p.csv", b"e,t,n\nx,,a\n", EVENTS, ["row 1", "'t'"]),
    "not a time": ("p.csv", b"e,t,n\nx,1,a\nx,yesterday,b\nx,3,c\n", EVENTS, ["row 2", "'yesterday'"]),
    "date among numbers": ("p.csv", b"e,t,n\nx,1,a\nx,2,b\nx,2009-01-01,c\n", EVENTS, ["row 3", "'2009-01-01'"]),
    "zone only here": ("p.csv", b"e,t,n\nx,2009-01-01T10:00,a\nx,2009-01-01T10:00Z,c\n", EVENTS, ["row 2", "Z"]),
    "ragged CSV": ("p.csv", b"e,t,n\nx,1,a\nx,2,b,c\n", EVENTS, ["p.csv", "3", "columns"]),
    "open quote": ("p.csv", b'e,t,n\nx,1,"a\nx,2,b\n', EVENTS, ["p.csv", "never closed"]),
    "time that is no number": ("p.csv", b"e,t,n\nx,1.5,a\nx,nan,b\n", EVENTS, ["row 2", "nan", "finite"]),
    "clock without a day": ("p.csv", b"e,t,n\nx,10:00,a\n", EVENTS, ["row 1", "'10:00'", "ISO date"]),
    "CSV not UTF-8": ("p.csv", b"e,t,n\nx,1,\xff\n", EVENTS, ["line 2", "byte 5 of the line", "0xff"]),
    "weights differ": ("p.csv", b"e,t,n,w\nx,1,a,2\nx,2,b,3\n", {**EVENTS, "weight": "w"}, ["row 2", "'x'", "3", "2"]),
    "weight of a row": ("p.csv", b"e,t,n,w\nx,1,a,0\n", {**EVENTS, "weight": "w"}, ["row 1", "'0'"]),
    "unit of plain numbers": ("p.csv", b"e,t,n\nx,1,a\n", {**EVENTS, "max_gap": "6h"}, ["max_gap", "numeric", "unit"]),
    "not Parquet": ("p.parquet", b"PAR1 no", EVENTS, ["p.parquet", "parquet"]),
    "empty Parquet": ("p.parquet", b"", EVENTS, ["empty"]),
    "not Arrow": ("p.arrow", b"hello", EVENTS, ["p.arrow", "arrow"]),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_file(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Small bombs are quicker to defuse.
    monkeypatch.setattr(sources, "EXPANSION_FREE", 2**20)
    name, data, options, words = BAD_FILES[case]
    (tmp_path / name).write_bytes(data)
    with pytest.raises((InputError, CorpusError, ParameterError)) as caught:
        read_paths(tmp_path / name, **options)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message, message


BAD_OPTIONS = [
    ({"colour": "red"}, ["'colour'", "delimiter", "max_gap"]),
    ({"format": "xml"}, ["'xml'", "'text'", "'jsonl'"]),
    ({"delimiter": ""}, ["delimiter"]),
    ({"delimiter": "\n"}, ["delimiter", r"'\n'"]),
    ({"comment": ""}, ["comment"]),
    ({"header": -1}, ["header", "-1"]),
    ({"empty": "drop"}, ["empty", "'skip'", "'drop'"]),
    ({"min_length": 0}, ["min_length", "0"]),
    ({"max_length": 1.5}, ["max_length", "1.5"]),
    ({"back_token": "<"}, ["back_token", "'replay'"]),
    ({"back": "drop"}, ["back_token"]),
    ({"back_token": "<", "back": "forth"}, ["'forth'", "'drop'"]),
    ({"max_gap": "6 moons"}, ["'6 moons'", "min"]),
    ({"max_gap": -1}, ["max_gap", "-1"]),
    ({"max_gap": "6h"}, ["max_gap='6h'", "time column"]),
    ({"max_nodes": 0}, ["max_nodes"]),
    ({"max_bytes": "1G"}, ["max_bytes", "'1G'"]),
    ({"missing": "skip"}, ["missing", "text"]),
    ({"weight": "w"}, ["weight", "text"]),
    ({"entity": "e", "node": "n"}, ["entity", "format"]),
    ({"format": "csv"}, ["entity", "node"]),
    ({"format": "csv", "entity": "e"}, ["node", "lon"]),
    ({"format": "csv", "entity": "e", "node": "n", "grid": 0.1}, ["node", "grid"]),
    ({"format": "csv", "entity": "e", "lon": "x", "lat": "y", "grid": 0}, ["grid"]),
    ({"format": "csv", "entity": "e", "node": "n", "delimiter": "::"}, ["delimiter", "'::'"]),
    ({"format": "csv", "entity": "e", "node": "n", "id_column": True}, ["id_column", "event tables"]),
    ({"format": "jsonl", "weight": "w"}, ["weight", "field"]),
    ({"format": "jsonl", "delimiter": ","}, ["delimiter", "JSON lines"]),
]


@pytest.mark.parametrize(("options", "words"), BAD_OPTIONS, ids=str)
def test_bad_option(options: dict[str, Any], words: list[str], tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_bytes(b"e,n,x,y\n1,2,3,4\n")
    with pytest.raises(ParameterError) as caught:
        read_paths(tmp_path / "p.txt", **options)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such file: .*nowhere\.txt"):
        read_paths(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match="is a folder"):
        read_paths(tmp_path)
    with pytest.raises(InputError, match="no file matches"):
        read_paths(str(tmp_path / "*.txt"))
    with pytest.raises(OSError, match="no such file"):
        read_paths("nowhere.txt")


def test_what_is_no_path() -> None:
    for source in ([], [["a", "b"]], "", 7):
        with pytest.raises(ParameterError):
            read_paths(source)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="only once"):
        read_paths(["-", "-"])


def test_tables_and_lines_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("[1]")
    (tmp_path / "b.csv").write_text("e,n\n1,2\n")
    with pytest.raises(ParameterError, match="cannot be read together"):
        read_paths(str(tmp_path / "*"), entity="e", node="n")


def test_an_error_of_a_later_chunk_names_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from honem.io.paths import lines

    monkeypatch.setattr(lines.read_line_chunks, "__defaults__", (64,))
    (tmp_path / "p.txt").write_bytes(b"a,b,1\n" * 1000 + b"a,b,x\n" + b"a,b,1\n" * 1000)
    with pytest.raises(InputError, match="line 1001: the weight 'x'"):
        read_paths(tmp_path / "p.txt", **NGRAM)


def test_rows_of_several_files_are_named_by_their_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("e,n\n1,2\n1,3\n")
    (tmp_path / "b.csv").write_text("e,n\n1,2\n1,\n")
    with pytest.raises(InputError, match=r"b\.csv, row 2 has no value in column 'n'"):
        read_paths(str(tmp_path / "*.csv"), entity="e", node="n")


def test_a_parquet_file_may_not_grow_over_max_bytes(tmp_path: Path) -> None:
    pq.write_table(pa.table({"e": ["x"] * 10**6, "n": ["y"] * 10**6}), tmp_path / "p.parquet", use_dictionary=False)
    with pytest.raises(InputError, match="max_bytes = 100000 bytes"):
        read_paths(tmp_path / "p.parquet", entity="e", node="n", max_bytes=100_000)


def test_bad_tables_in_python() -> None:
    with pytest.raises(ParameterError, match="not int"):
        from_events(7, entity="e", node="n")
    with pytest.raises(ParameterError, match="not list"):
        from_events([["a", "b"]], entity="e", node="n")
    with pytest.raises(ParameterError, match="collect"):
        from_events(pl.LazyFrame({"e": [1], "n": [2]}), entity="e", node="n")
    with pytest.raises(InputError, match="the table: empty"):
        from_events(pa.table({"e": pa.array([], "str"), "n": pa.array([], "str")}), entity="e", node="n")
    with pytest.raises(InputError, match="one length"):
        from_events({"e": ["x", "y"], "n": ["a"]}, entity="e", node="n")
    with pytest.raises(InputError, match="'n' holds values of type list"):
        from_events({"e": ["x"], "n": [["a"]]}, entity="e", node="n")
    with pytest.raises(InputError, match="'t' cannot be read as 64-bit"):
        from_events({"e": ["x"], "n": ["a"], "t": np.array([2**63], np.uint64)}, entity="e", time="t", node="n")
    with pytest.raises(InputError, match="each of one type"):
        from_events({"e": ["x", 1], "n": ["a", "b"]}, entity="e", node="n")
    with pytest.raises(InputError, match=r"no column 'n'; its columns are 'e'"):
        from_events({"e": [1]}, entity="e", node="n")
    with pytest.raises(InputError, match=r"row 2: lat is 113\.9, not between -90 and 90"):
        from_events({"e": [1, 1], "lon": [22.5, 22.5], "lat": [22.5, 113.9]}, entity="e", lon="lon", lat="lat", grid=1)
    with pytest.raises(InputError, match="row 1: lon is inf"):
        from_events({"e": [1], "lon": [float("inf")], "lat": [1.0]}, entity="e", lon="lon", lat="lat", grid=1)
    with pytest.raises(InputError, match="not numbers"):
        from_events({"e": [1], "t": [True], "n": [1]}, entity="e", time="t", node="n")
    with pytest.raises(InputError, match="not lists of nodes"):
        from_events({"p": ["a b"]}, field="p")
    with pytest.raises(InputError, match="row 2: a node in column 'p' is missing"):
        from_events({"p": [["a"], ["b", None]]}, field="p")
    with pytest.raises(InputError, match="row 2 has no value in column 'p'"):
        from_events({"p": [["a"], None]}, field="p")
