"""Event tables: whatever the container and the order of its rows, the same corpus."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus
from honem.io.paths import from_events, from_events_with_report, read_paths, read_paths_with_report

NAMES = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ["NA", "null", "", " ", ",", '"', '""', "a\nb", "a\r\nb", "=cmd()", "<script>", "1", "01", "\u202eabc"]
)
VISITS = st.lists(
    st.tuples(st.integers(0, 3).map("ship {}".format), st.integers(-5, 5), NAMES), min_size=1, max_size=25
)
COLUMNS: Any = {"entity": "ship", "time": "day", "node": "port"}


def expected_paths(visits: list[tuple[str, int, str]]) -> list[tuple[str, ...]]:
    """Entities as they first appear, each with its visits sorted by time; Python's sort is stable."""
    entities = dict.fromkeys(entity for entity, _, _ in visits)
    return [
        tuple(node for _, _, node in sorted((v for v in visits if v[0] == entity), key=lambda visit: visit[1]))
        for entity in entities
    ]


def write_csv(table: pa.Table, path: Path, delimiter: str = ",") -> None:
    """By Python's own writer, every field in quotes."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(table.column_names)
    writer.writerows(zip(*table.to_pydict().values(), strict=True))
    path.write_bytes(text.getvalue().encode())


def write_stream(table: pa.Table, path: Path) -> None:
    """The streaming form of an Arrow file."""
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


FILES: dict[str, Callable[[pa.Table, Path], None]] = {
    "v.csv": write_csv,
    "v.tsv": lambda table, path: write_csv(table, path, "\t"),
    "v.parquet": pq.write_table,
    "v.feather": feather.write_feather,
    "v.arrow": write_stream,
}
OBJECTS: dict[str, Callable[[pa.Table], Any]] = {
    "arrow": lambda table: table,
    "batch": lambda table: table.combine_chunks().to_batches()[0],
    "pandas": lambda table: table.to_pandas(),
    "pandas categories": lambda table: table.to_pandas().astype({"ship": "category", "port": "category"}),
    "polars": pl.from_arrow,
    "polars categories": lambda table: pl.DataFrame(table).with_columns(pl.col("ship", "port").cast(pl.Categorical)),
    "dict": lambda table: table.to_pydict(),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a property."""
    return tmp_path_factory.mktemp("events")


@pytest.mark.parametrize("name", FILES)
@given(visits=VISITS)
def test_files_round_trip(name: str, visits: list[tuple[str, int, str]], folder: Path) -> None:
    ships, days, ports = zip(*visits, strict=True)
    table = pa.table({"more": days, "port": ports, "day": days, "ship": ships})
    FILES[name](table, folder / name)
    corpus, report = read_paths_with_report(folder / name, **COLUMNS)
    assert list(corpus.sequences()) == expected_paths(visits)
    assert list(corpus.vocabulary) == list(dict.fromkeys(node for path in expected_paths(visits) for node in path))
    assert report.rows == len(visits)


@pytest.mark.parametrize("kind", OBJECTS)
@given(visits=VISITS)
def test_objects_give_the_same(kind: str, visits: list[tuple[str, int, str]]) -> None:
    ships, days, ports = zip(*visits, strict=True)
    table = OBJECTS[kind](pa.table({"ship": ships, "day": days, "port": ports}))
    assert list(from_events(table, **COLUMNS).sequences()) == expected_paths(visits)


STAMPS = ["2009-04-01T10:00:00", "2009-04-01 16:00:00", "2009-04-01T22:00:01"]
TIMES: dict[str, Any] = {
    "ISO": STAMPS,
    "zones": ["2009-04-01T10:00:00Z", "2009-04-01T18:00:00+02:00", "2009-04-01T22:00:01Z"],
    "nanoseconds in text": [f"{stamp}.000000001" for stamp in STAMPS],
    "datetimes": [dt.datetime.fromisoformat(stamp) for stamp in STAMPS],
    "numpy": np.array(STAMPS, "datetime64[ns]"),
    "pandas": pd.to_datetime(pd.Series(STAMPS), format="ISO8601").dt.tz_localize("Europe/Rome"),
    "seconds": pa.array(np.array(STAMPS, "datetime64[s]")),
}


@pytest.mark.parametrize("kind", TIMES)
def test_a_gap_is_more_than_max_gap_in_any_unit(kind: str) -> None:
    table = {"e": ["x"] * 3, "t": TIMES[kind], "n": ["a", "b", "c"]}
    for gap in ("6h", "360min", 21600):
        corpus, report = from_events_with_report(table, entity="e", time="t", node="n", max_gap=gap)
        assert list(corpus.sequences()) == [("a", "b"), ("c",)]
        assert report.cuts_at_gaps == 1


def test_gaps_in_numbers_and_dates() -> None:
    numbers = {"e": ["x"] * 3, "t": [0.5, 2.0, 4.0], "n": ["a", "b", "c"]}
    assert from_events(numbers, entity="e", time="t", node="n", max_gap=1.5).n_sequences == 2
    dates = {"e": ["x"] * 3, "t": [dt.date(2009, 1, 1), dt.date(2009, 1, 3), dt.date(2009, 1, 6)], "n": ["a", "b", "c"]}
    assert list(from_events(dates, entity="e", time="t", node="n", max_gap="2d").sequences()) == [("a", "b"), ("c",)]


def test_without_time_the_rows_are_in_order() -> None:
    table = {"e": ["x", "y", "x"], "n": [3, 2, 1]}
    assert list(from_events(table, entity="e", node="n").sequences()) == [(3, 1), (2,)]


def test_ids_keep_their_type_in_tables_and_are_strings_from_text(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("e,n\n1,01\n1,1\n")
    assert list(read_paths(tmp_path / "v.csv", entity="e", node="n").vocabulary) == ["01", "1"]
    assert list(from_events({"e": [1, 1], "n": [1, 2]}, entity="e", node="n").vocabulary) == [1, 2]


def test_blank_lines_before_a_header_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("\n\ne,n\n\nx,a\nx,b\n")
    assert list(read_paths(tmp_path / "v.csv", entity="e", node="n").sequences()) == [("a", "b")]


def test_an_entity_goes_on_in_the_next_file(tmp_path: Path) -> None:
    (tmp_path / "2009-04.csv").write_text("ship,day,port\nA,1,Porto\n")
    (tmp_path / "2009-05.csv").write_text("day,port,ship\n3,Rome,A\n2,Bari,A\n")
    corpus = read_paths(str(tmp_path / "*.csv"), **COLUMNS)
    assert list(corpus.sequences()) == [("Porto", "Bari", "Rome")]


@pytest.mark.parametrize("weights", [[3, 5, 3], ["3", "5.0", "3"], [3.0, 5.0, 3.0]])
def test_a_weight_is_that_of_an_entity(weights: list[Any]) -> None:
    table = {"e": ["x", "y", "x"], "n": ["a", "b", "c"], "w": weights}
    corpus = from_events(table, entity="e", node="n", weight="w", max_length=1)
    assert list(corpus.sequences()) == [("a",), ("c",), ("b",)]
    assert corpus.weights.tolist() == [3, 3, 5]


def test_missing_rows_are_skipped_only_when_asked() -> None:
    frame = pd.DataFrame({"e": ["x", None, "x", "x"], "t": [1, 2, np.nan, 0], "n": ["a", "b", "c", "d"]})
    corpus, report = from_events_with_report(frame, entity="e", time="t", node="n", missing="skip")
    assert list(corpus.sequences()) == [("d", "a")]
    assert (report.rows, report.rows_skipped) == (4, 2)


def test_cells_of_a_grid_keep_their_centres(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("e,x,y\na,113.75,22.43\na,114.115,22.545\na,114.12,22.54\n")
    corpus, report = read_paths_with_report(
        tmp_path / "v.csv", entity="e", lon="x", lat="y", grid=0.01, grid_origin=(113.75, 22.43)
    )
    assert list(corpus.sequences()) == [("0_0", "11_36", "11_37")]
    assert report.coordinates is not None
    np.testing.assert_allclose(report.coordinates, [[113.755, 22.435], [114.115, 22.545], [114.125, 22.545]])


@given(
    points=st.lists(st.tuples(st.floats(-180, 360), st.floats(-90, 90)), min_size=1),
    side=st.sampled_from([0.01, 0.5, 1.0, 7.0]),
    origin=st.sampled_from([(-180.0, -90.0), (10.0, 45.0)]),
)
def test_a_position_is_in_its_cell(points: list[tuple[float, float]], side: float, origin: tuple[float, float]) -> None:
    lon, lat = zip(*points, strict=True)
    table = {"e": ["x"] * len(points), "lon": lon, "lat": lat}
    corpus, report = from_events_with_report(table, entity="e", lon="lon", lat="lat", grid=side, grid_origin=origin)
    assert report.coordinates is not None
    centres = report.coordinates[corpus.tokens]
    assert (np.abs(centres - np.array(points)) <= side / 2 + 1e-6).all()


@pytest.mark.parametrize("name", ["p.parquet", "p.feather"])
def test_lists_in_a_column(name: str, tmp_path: Path) -> None:
    paths = [["a", "b"], [], ["b", "c", "b"]]
    FILES[name.replace("p.", "v.")](pa.table({"path": paths, "n": [1, 2, 3]}), tmp_path / name)
    corpus = read_paths(tmp_path / name, field="path", weight="n")
    assert list(corpus.sequences()) == list(Corpus.from_sequences(paths).sequences())
    assert corpus.weights.tolist() == [1, 2, 3]


def test_zipped_tables(tmp_path: Path) -> None:
    import gzip

    table = pa.table({"e": ["x", "x"], "n": ["a", "b"]})
    pq.write_table(table, tmp_path / "v.parquet")
    (tmp_path / "w.parquet.gz").write_bytes(gzip.compress((tmp_path / "v.parquet").read_bytes()))
    (tmp_path / "u.csv.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfe;n\nx;a\nx;b\n"))
    files: dict[str, dict[str, Any]] = {"v.parquet": {}, "w.parquet.gz": {}, "u.csv.gz": {"delimiter": ";"}}
    for name, options in files.items():
        assert list(read_paths(tmp_path / name, entity="e", node="n", **options).sequences()) == [("a", "b")]
