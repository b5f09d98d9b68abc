"""Damaged and hostile input files: one line and exit code 2, or a result; no signal, no traceback, no hang."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from honem.errors import InputError, ParameterError
from honem.io.paths import read_paths
from tests.faults.harness import Runner, mutate, problems
from tests.faults.inputs import EVENT_OPTIONS, SAMPLES, as_file, as_stream, events, lists
from tests.faults.running import ROUNDS

QUICK_ROUNDS = 25


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    running = Runner()
    yield running
    running.close()


@pytest.mark.parametrize("kind", SAMPLES)
def test_damaged_files(kind: str, runner: Runner, tmp_path: Path) -> None:
    sample = SAMPLES[kind]()
    path = tmp_path / sample.name

    def damaged() -> Iterator[tuple[str, list[str]]]:
        for number in range(QUICK_ROUNDS * ROUNDS):
            path.write_bytes(mutate(sample.content, random.Random(f"{kind} {number}")))
            yield f"{kind}, mutation {number}", sample.command(path)

    path.write_bytes(sample.content)
    assert runner.run(sample.command(path)).code == 0
    assert not list(problems(runner, damaged()))


def test_an_offset_outside_the_file(runner: Runner, tmp_path: Path) -> None:
    # The last offset of a column of strings: Arrow would read two gigabytes behind it.
    content = as_file(events())
    names = events()["n"].chunk(0)[:20]
    offsets = np.cumsum([0, *(len(name.as_py().encode()) for name in names)]).astype("<i4").tobytes()
    assert content.count(offsets) == 1
    damaged = content.replace(offsets, offsets[:-4] + struct.pack("<i", 2**31 - 1))
    (tmp_path / "p.arrow").write_bytes(damaged)
    outcome = runner.run(["rules", str(tmp_path / "p.arrow"), *EVENT_OPTIONS])
    assert (outcome.code, outcome.problem) == (2, "")


def test_damaged_metadata_of_a_parquet_column(runner: Runner, tmp_path: Path) -> None:
    # Each byte of the metadata once: an exception in Arrow that Python does not see ends the process.
    sample = SAMPLES["Parquet lists"]()
    length = struct.unpack("<i", sample.content[-8:-4])[0]
    places = range(len(sample.content) - 8 - length, len(sample.content) - 8, 1 if ROUNDS > 1 else 5)
    path = tmp_path / sample.name

    def damaged() -> Iterator[tuple[str, list[str]]]:
        for place in places:
            content = bytearray(sample.content)
            content[place] ^= 1
            path.write_bytes(content)
            yield f"byte {place}", sample.command(path)

    assert not list(problems(runner, damaged()))


def test_a_file_that_lost_a_batch_is_not_read_as_a_shorter_one(tmp_path: Path) -> None:
    stream, whole = as_stream(events()), as_file(events())
    footer = whole[whole.rindex(stream[-8:]) :]  # from the end-of-stream marker on
    shorter = as_stream(events().slice(0, 40))
    (tmp_path / "p.arrow").write_bytes(b"ARROW1\0\0" + shorter[:-8] + footer)
    with pytest.raises(InputError, match="fewer record batches"):
        read_paths(tmp_path / "p.arrow", entity="e", node="n")


ROWS = 400_000
LONG = pa.array(["z" * 100_000])
FLAT = pa.table({"e": np.zeros(ROWS, np.int64), "n": np.zeros(ROWS, np.int64)})
REPEATED = pa.DictionaryArray.from_arrays(np.zeros(ROWS, np.int32), LONG)
ENCODED = pa.table({"e": REPEATED, "n": REPEATED})
LISTS = pa.table({"e": pa.array([[7] * ROWS])})


@pytest.mark.parametrize("table", [FLAT, ENCODED, LISTS], ids=["numbers", "long strings", "lists"])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_content_is_counted_where_it_is_compressed(table: Any, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"p.{kind}"
    if kind == "parquet":
        pq.write_table(table, path)
    else:
        feather.write_feather(table, path, compression="zstd", chunksize=ROWS)
    assert path.stat().st_size < 200_000
    options: dict[str, Any] = {"field": "e"} if table is LISTS else {"entity": "e", "node": "n"}
    with pytest.raises(InputError, match="more than max_bytes = 1000000 bytes"):
        read_paths(path, max_bytes=1_000_000, **options)
    assert len(read_paths(path, **options).tokens) == ROWS


def test_content_may_not_be_much_larger_than_the_file(tmp_path: Path) -> None:
    rows = 5_000_000
    table = pa.table({"e": np.zeros(rows, np.int64), "n": np.zeros(rows, np.int64)})
    pq.write_table(table, tmp_path / "p.parquet")
    with pytest.raises(InputError, match="max_expansion = 300 times its size"):
        read_paths(tmp_path / "p.parquet", entity="e", node="n")


def test_rows_that_take_no_memory_are_counted(tmp_path: Path) -> None:
    table = pa.table({"e": pa.nulls(10**9), "n": pa.nulls(10**9)})
    (tmp_path / "p.arrow").write_bytes(as_stream_at_once(table))
    with pytest.raises(InputError, match="max_expansion"):
        read_paths(tmp_path / "p.arrow", entity="e", node="n")


def test_views_of_the_same_bytes_are_counted(tmp_path: Path) -> None:
    views = np.zeros((1000, 4), np.int32)
    views[:, 0] = 10**6
    views[:, 1] = np.frombuffer(b"zzzz", np.int32)
    buffers = [None, pa.py_buffer(views), pa.py_buffer(b"z" * 10**6)]
    try:
        column = pa.Array.from_buffers(pa.string_view(), 1000, buffers)
    except ValueError:
        pytest.skip(f"pyarrow {pa.__version__} cannot make arrays of string views from buffers")
    (tmp_path / "p.arrow").write_bytes(as_stream_at_once(pa.table({"e": column, "n": column})))
    with pytest.raises(InputError, match="max_bytes = 10000000"):
        read_paths(tmp_path / "p.arrow", entity="e", node="n", max_bytes=10**7)


def as_stream_at_once(table: Any) -> bytes:
    """The table as an Arrow IPC stream of one batch."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("table", [lists().slice(0, 0), events().slice(0, 0)], ids=["lists", "events"])
def test_tables_without_rows(table: Any, tmp_path: Path) -> None:
    pq.write_table(table, tmp_path / "p.parquet")
    (tmp_path / "p.arrow").write_bytes(as_stream(table))
    options: Any = {"field": "p"} if "p" in table.column_names else {"entity": "e", "node": "n"}
    for name in ("p.parquet", "p.arrow"):
        with pytest.raises(InputError, match="without a sequence"):
            read_paths(tmp_path / name, **options)
        with pytest.raises(InputError, match=r"not lists of nodes|cannot be|without a sequence"):
            read_paths(tmp_path / name, field=table.column_names[-1])


def test_long_texts_are_no_times(tmp_path: Path) -> None:
    table = ENCODED.append_column("t", REPEATED)
    feather.write_feather(table, tmp_path / "p.feather", compression="zstd")
    with pytest.raises(InputError, match="column 't' holds a text of 100000 bytes"):
        read_paths(tmp_path / "p.feather", entity="e", node="n", time="t")


def test_dictionaries_may_repeat_values_and_hold_others(tmp_path: Path) -> None:
    nodes = pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays(pa.array([3, 1, 0, None], pa.int8()), pa.array(["a", "b", "x", "a"])),
            pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1], pa.int8()), pa.array(["b", "c", None])),
        ]
    )
    table = pa.table({"e": pa.chunked_array([[1, 1, 1, 1], [1, 1, 1, 1]]), "n": nodes})
    (tmp_path / "p.arrow").write_bytes(as_stream(table))
    corpus = read_paths(tmp_path / "p.arrow", entity="e", node="n", missing="skip")
    assert list(corpus.sequences()) == [("a", "b", "a", "b", "c", "c")]
    assert corpus.vocabulary.labels == ("a", "b", "c")


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (b"e,n," + b"x" * 200_000, "header cannot be read"),
        (b'e,n,"' + b"x\n" * 100_000, "quote"),
        (b'e,"n', "no column 'n'"),
        (b'e,"' + b"n" * 100_000, "no column 'n'"),
    ],
    ids=["long", "long and never closed", "never closed", "long name"],
)
def test_headers_of_csv_files(header: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_bytes(header + b"\n1,2,3\n")
    with pytest.raises(InputError, match=words) as caught:
        read_paths(tmp_path / "p.csv", entity="e", node="n")
    assert len(str(caught.value)) < 500


def test_long_quoted_fields_of_csv_files(tmp_path: Path) -> None:
    # Longer than what is read at once, with line ends inside.
    (tmp_path / "p.csv").write_bytes(b'e,n,z\n1,2,"' + b"some words\n" * 10**6 + b'"\n1,3,""\n')
    assert list(read_paths(tmp_path / "p.csv", entity="e", node="n").sequences()) == [("2", "3")]
    with pytest.raises(InputError, match=r"longer than max_line_bytes = 1000 bytes.*Raise max_line_bytes"):
        read_paths(tmp_path / "p.csv", entity="e", node="n", max_line_bytes=1000)


@pytest.mark.parametrize("delimiter", ['"', "\r", "\n", "\0"])
def test_delimiters_that_mean_something_else(delimiter: str, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_bytes(b"e,n\n1,2\n")
    with pytest.raises(ParameterError, match="delimiter cannot be"):
        read_paths(tmp_path / "p.csv", entity="e", node="n", delimiter=delimiter)
