"""Small tables: read the same way from CSV, TSV and Parquet, or refused with the file and the line."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import InputError, ParameterError, Vocabulary
from honem.io.tables import NodeTable, Table

PORTS = 'id,name,Lon,latitude\n7,"Falkenberg, SE",12.49,56.897\n8,,NA,\n9,"Say ""hi""\nthere",1e1,-2\n'


def written(folder: Path, content: str | bytes, name: str = "labels.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def check_ports(table: NodeTable) -> None:
    assert table.nodes == ("7", "8", "9")
    assert table.facts == ("name", "Lon", "latitude")
    assert table.labels("name") == {"7": "Falkenberg, SE", "9": 'Say "hi"\nthere'}
    vocabulary = Vocabulary((9, "elsewhere", 7, "8"))
    longitudes, latitudes = table.coordinates(vocabulary)
    np.testing.assert_array_equal(longitudes, [10, np.nan, 12.49, np.nan])
    np.testing.assert_array_equal(latitudes, [-2, np.nan, 56.897, np.nan])
    assert table.texts_for(vocabulary, "Lon") == ["1e1", "", "12.49", "NA"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("labels.csv", PORTS),
        ("labels.csv", "\ufeff" + PORTS),
        ("labels.csv", PORTS.rstrip("\n")),
        ("labels.csv", PORTS + "\n   \n,,,\n"),
        ("labels.csv.gz", gzip.compress(PORTS.encode())),
        ("labels.csv", gzip.compress(PORTS.encode())),
        ("labels", PORTS),
    ],
    ids=["plain", "byte order mark", "no last line end", "blank rows", "gzip", "gzip by content", "no extension"],
)
def test_a_table_is_read(tmp_path: Path, name: str, content: str | bytes) -> None:
    check_ports(NodeTable.read(written(tmp_path, content, name)))


@pytest.mark.parametrize("name", ["labels.tsv", "labels.txt", "labels"])
def test_columns_are_separated_by_tabs(tmp_path: Path, name: str) -> None:
    table = NodeTable.read(written(tmp_path, 'id\tname\n7\tFalkenberg, SE\r\n8\t12" pipe\n', name))
    assert table.labels("name") == {"7": "Falkenberg, SE", "8": '12" pipe'}


def test_parquet_is_read_like_text(tmp_path: Path) -> None:
    columns = {
        "id": pa.array([7, 8, 9]),
        "kind": pa.array(["a", None, "a"]).dictionary_encode(),
        "lon": pa.array([12.5, None, 0.0]),
        "lat": pa.array(["1", "nan", "2"]),
    }
    pq.write_table(pa.table(columns), tmp_path / "labels.parquet")
    table = NodeTable.read(tmp_path / "labels.parquet")
    assert table.nodes == (7, 8, 9)
    assert table.labels("kind") == {"7": "a", "9": "a"}
    longitudes, latitudes = table.coordinates(Vocabulary(("7", 8, 9)))
    np.testing.assert_array_equal(longitudes, [12.5, np.nan, 0])
    np.testing.assert_array_equal(latitudes, [1, np.nan, 2])


@given(
    rows=st.lists(
        st.tuples(*[st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=4)] * 2),
        min_size=1,
        max_size=6,
        unique_by=lambda row: row[0],
    ).filter(lambda rows: all(any(field.strip() for field in row) for row in rows))
)
def test_what_the_csv_module_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    for name, delimiter in (("labels.csv", ","), ("labels.tsv", "\t")):
        path = tmp_path_factory.mktemp("tables") / name
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, delimiter=delimiter).writerows([("node", "label"), *rows])
        table = NodeTable.read(path)
        assert list(zip(table.nodes, table.texts("label"), strict=True)) == rows


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", r"labels\.csv is empty"),
        ("\ufeff", "is empty"),
        ("\n \n", "is empty"),
        ("id,kind\n", "has no rows"),
        ("id\n7\n", "needs two or more columns, the node first, but has 1: 'id'"),
        ("id;kind\n7;a\n", "has 1: 'id;kind'; separate columns by commas"),
        ("id,kind,kind\n7,a,b\n", "more than one column is called 'kind'"),
        ("id,kind\n7,a\n\n8\n", "line 4: the header has 2 fields, this row has 1"),
        ("id,kind\n7,a,b\n", "line 2: the header has 2 fields, this row has 3"),
        ('id,kind\n7,"a\nb"\n8,a\n7,b\n', "line 5: the node '7' occurs twice, first in .*line 2"),
        ('id,kind\n7,a\n8,"b\n9,c\n', "line 3: a quote .* is opened and never closed"),
        ('id,kind\n7,"a" b\n', "line 2: .* expected after .* contains quotes"),
        (f"id,{'k' * 140_000}\n7,a\n", "line 1: a field is longer than 131,072 characters"),
        (f"id,kind\n7,{'k' * 140_000}\n", "line 2: a field is longer than 131,072 characters"),
        (b"id,kind\n7,\xff\n", "line 2, byte 3 of the line: 0xff is not valid UTF-8"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        NodeTable.read(written(tmp_path, content))


@pytest.mark.parametrize("name", ["nothing.csv", "nothing.parquet"])
def test_a_file_that_is_not_there_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=f"{name} cannot be read"):
        NodeTable.read(tmp_path / name)


def test_a_row_without_a_node_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["7", None], "kind": ["a", "b"]}), tmp_path / "labels.parquet")
    with pytest.raises(InputError, match=r"labels\.parquet, row 2: there is no node"):
        NodeTable.read(tmp_path / "labels.parquet")


def test_a_column_that_is_not_numeric_is_refused_where_numbers_are_needed(tmp_path: Path) -> None:
    table = NodeTable.read(written(tmp_path, 'id,lon,lat\n"a\nb",1,2\n8,"48,85",2\n'))
    with pytest.raises(InputError, match=r"labels\.csv, line 4: '48,85' in column 'lon' is not a number"):
        table.coordinates(Vocabulary(("8",)))


def test_unknown_columns_and_unknown_nodes_are_refused(tmp_path: Path) -> None:
    table = NodeTable.read(written(tmp_path, "id,kind\n7,a\n"))
    for name in ("size", "id"):
        with pytest.raises(ParameterError, match=rf"labels\.csv has no column '{name}'; it has kind"):
            table.labels(name)
    with pytest.raises(ParameterError, match="no column lat or latitude; it has lon"):
        NodeTable.of({"lon": {"7": 1}}).coordinates(Vocabulary(("7",)))
    with pytest.raises(ParameterError, match=r"none of the 2 nodes: it has nodes such as '7', the data has 'A'"):
        table.texts_for(Vocabulary(("A", "B")), "kind")
    with pytest.raises(InputError, match="the table of labels has no rows"):
        NodeTable.of({"kind": {}})


def test_a_table_need_not_be_about_nodes(tmp_path: Path) -> None:
    table = Table.read(written(tmp_path, "task,value\nlinks,0.5\nlinks,0.7\n", "results.csv"))
    assert (table.texts("task"), table.numbers("value").tolist()) == (["links", "links"], [0.5, 0.7])
    assert Table.read(written(tmp_path, "task,value\n")).texts("task") == []
