"""Queries give the same paths as a table in memory, whatever the connection; errors are one line without passwords."""

from __future__ import annotations

import datetime
import json
import sqlite3
import tracemalloc
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import honem
from honem import Corpus, InputError, MissingDependencyError, ParameterError
from honem.cli import main
from honem.io.paths import connections, databases, from_query_with_report
from honem.io.paths.connections import without_password, without_secrets
from honem.io.paths.options import ReadOptions
from tests.io.paths.postgres import running_server

COLUMNS: ReadOptions = {"entity": "who", "time": "seen", "node": "place"}
SELECT = "select * from visits"
VISITS = [(f"u{n % 7}", (n * 37) % 101, f"p{(n * n) % 11}") for n in range(500)]
SECRET = "hunter2"


def in_memory(rows: list[tuple[Any, Any, Any]]) -> Corpus:
    who, at, place = (list(column) for column in zip(*rows, strict=True))
    return honem.from_events({"who": who, "seen": at, "place": place}, **COLUMNS)


def assert_same(one: Corpus, other: Corpus) -> None:
    assert one.vocabulary.labels == other.vocabulary.labels
    assert np.array_equal(one.tokens, other.tokens)
    assert np.array_equal(one.offsets, other.offsets)


def fill(connection: Any, rows: list[tuple[Any, Any, Any]], mark: str = "?") -> None:
    cursor = connection.cursor()
    cursor.execute("create table visits (who text, seen bigint, place text)")
    cursor.executemany(f"insert into visits values ({mark}, {mark}, {mark})", rows)
    if isinstance(connection, sqlite3.Connection):
        connection.commit()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        fill(connection, VISITS)
    return tmp_path / "shop.db"


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.sampled_from("xyz")), min_size=1),
    st.integers(1, 5),
)
def test_a_query_is_a_table(rows: list[tuple[str, int, str]], batch: int) -> None:
    connection = sqlite3.connect(":memory:")
    fill(connection, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "BATCH_ROWS", batch)
        patch.setattr(databases, "JOINED", 2)
        assert_same(honem.from_query(connection, SELECT, **COLUMNS), in_memory(rows))


def test_urls_paths_and_parameters(shop: Path) -> None:
    for database in (str(shop), f"sqlite:///{shop}"):
        assert_same(honem.from_query(database, SELECT, **COLUMNS), in_memory(VISITS))
    options: ReadOptions = {**COLUMNS, "max_gap": 3}
    some = honem.from_query(str(shop), f"{SELECT} where who = ?", parameters=("u1",), **options)
    assert_same(some, honem.from_events(_table([row for row in VISITS if row[0] == "u1"]), **options))


def _table(rows: list[tuple[Any, Any, Any]]) -> dict[str, list[Any]]:
    return {name: [row[number] for row in rows] for number, name in enumerate(("who", "seen", "place"))}


def test_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        fill(connection, VISITS)
        assert_same(honem.from_query(connection, SELECT, **COLUMNS), in_memory(VISITS))
        with pytest.raises(InputError, match="no rows"):
            honem.from_query(connection, f"{SELECT} where seen < 0", **COLUMNS)
        with pytest.raises(InputError, match="has no column 'who'"):
            honem.from_query(connection, "select 1 as x", **COLUMNS)
    assert_same(honem.from_query(f"duckdb:///{tmp_path}/shop.duckdb", SELECT, **COLUMNS), in_memory(VISITS))


def test_sqlalchemy(shop: Path) -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy")
    engine = sqlalchemy.create_engine(f"sqlite:///{shop}")
    assert_same(honem.from_query(engine, SELECT, **COLUMNS), in_memory(VISITS))
    with engine.connect() as connection:
        assert_same(honem.from_query(connection, SELECT, **COLUMNS), in_memory(VISITS))
        assert connection.exec_driver_sql("select 1").scalar() == 1, "the connection is still open"
    with pytest.raises(ParameterError, match="no driver for nonsense://"):
        honem.from_query(f"nonsense://ann:{SECRET}@host", SELECT, **COLUMNS)


def test_adbc(shop: Path) -> None:
    dbapi = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with dbapi.connect(str(shop)) as connection:
        assert_same(honem.from_query(connection, SELECT, **COLUMNS), in_memory(VISITS))


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_server(tmp_path_factory.mktemp("postgres")) as url:
        yield url


@pytest.mark.slow
def test_postgresql(postgres: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    psycopg = pytest.importorskip("psycopg")
    ids = [uuid.UUID(int=n % 5) for n in range(300)]
    start = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    rows = [(ids[n], start + datetime.timedelta(hours=(n * 7) % 50), f"p{n % 13}") for n in range(300)]
    expected = in_memory([(str(who), at, place) for who, at, place in rows])
    with psycopg.connect(postgres) as connection:
        connection.execute("create table visits (who uuid, seen timestamptz, place text)")
        connection.cursor().executemany("insert into visits values (%s, %s, %s)", rows)
        connection.commit()
        assert_same(honem.from_query(connection, SELECT, **COLUMNS), expected)
        connection.rollback()
        connection.autocommit = True
        assert_same(honem.from_query(connection, SELECT, **COLUMNS), expected)
    assert_same(honem.from_query(postgres, SELECT, **COLUMNS), expected)

    command = [
        "embed",
        "--query",
        SELECT,
        "--database",
        postgres,
        "--entity",
        "who",
        "--time",
        "seen",
        "--node",
        "place",
    ]
    assert main([*command, "-o", str(tmp_path / "model"), "--preset", "evidence", "--dim", "2", "--no-next-step"]) == 0
    assert main(["info", "--query", "selec", *command[3:]]) == 2
    wrong = postgres.replace("s3cr", "wrong")
    assert main(["info", "--query", SELECT, "--database", wrong, *command[5:]]) == 2
    messages = capsys.readouterr().err
    assert "syntax error" in messages
    assert "password authentication failed" in messages
    for text in (messages, (tmp_path / "model" / "manifest.json").read_text()):
        assert "s3cr" not in text
        assert "wrong%20et" not in text
    manifest = json.loads((tmp_path / "model" / "manifest.json").read_text())
    assert manifest["facts"]["input"]["query"] == SELECT
    assert "honem:***@" in manifest["facts"]["input"]["inputs"][0]["name"]


@pytest.mark.slow
def test_postgresql_rows_stay_on_the_server(postgres: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    columns = "(n % 1000)::text as who, n as seen, repeat('place', 40) || n % 50 as place"
    rows = f"select {columns} from generate_series(1, {{}}) n"
    with psycopg.connect(postgres) as connection:
        honem.from_query(connection, rows.format(1000), **COLUMNS)
        tracemalloc.start()
        honem.from_query(connection, rows.format(400_000), **COLUMNS)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    # Fetched at once, the texts of the places alone would be 80 MB.
    assert peak < 70e6


@pytest.mark.parametrize(
    ("database", "sql", "options", "message"),
    [
        (":memory:", "selec", COLUMNS, 'the query failed: near "selec": syntax error'),
        (
            ":memory:",
            "select 1 as who, 2 as place",
            COLUMNS,
            "the query has no column 'seen'; its columns are 'who', 'place'",
        ),
        (":memory:", "create table x (y)", COLUMNS, "returned no rows; a query must be a SELECT"),
        (":memory:", "select 1 as who, 1 as seen, 2 as place where 0", COLUMNS, "the query returned no rows"),
        (":memory:", "select 1 as who, 1 as seen, 2 as place union select 'a', 1, 2", COLUMNS, "of the types int, str"),
        ("nowhere.db", SELECT, COLUMNS, "no such database file: 'nowhere.db'"),
    ],
)
def test_bad_queries(database: str, sql: str, options: ReadOptions, message: str) -> None:
    connection: Any = sqlite3.connect(database) if database == ":memory:" else database
    with pytest.raises(InputError, match=r"^[^\n]*$") as caught:
        honem.from_query(connection, sql, **options)
    assert message in str(caught.value)


def test_options_are_checked_before_the_query() -> None:
    wrong: list[tuple[ReadOptions, str]] = [
        ({"entity": "who"}, "needs the place"),
        ({**COLUMNS, "format": "csv"}, "option for files"),
        ({"entity": "who", "node": "place", "max_gap": "3d"}, "needs times"),
    ]
    for options, message in wrong:
        with pytest.raises(ParameterError, match=message):
            honem.from_query("nowhere.db", SELECT, **options)
    with pytest.raises(ParameterError, match="DB-API"):
        honem.from_query(7, SELECT, **COLUMNS)
    with pytest.raises(ParameterError, match="SQL"):
        honem.from_query("nowhere.db", " ", **COLUMNS)


def test_too_much(shop: Path) -> None:
    options: ReadOptions = {**COLUMNS, "max_bytes": 100}
    with pytest.raises(InputError, match="max_bytes = 100"):
        honem.from_query(str(shop), SELECT, **options)


def test_missing_drivers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> Any:
        raise ImportError(name=name)

    monkeypatch.setattr(connections, "import_module", nothing)
    monkeypatch.setattr(connections, "find_spec", lambda name: None)
    for url, package in (
        ("duckdb:///shop.duckdb", "duckdb"),
        (f"postgresql://ann:{SECRET}@host/shop", "psycopg"),
        (f"mysql://ann:{SECRET}@host/shop", "sqlalchemy"),
    ):
        with pytest.raises(MissingDependencyError, match=f"needs the package {package}: pip install") as caught:
            honem.from_query(url, SELECT, **COLUMNS)
        assert SECRET not in str(caught.value)


@settings(max_examples=50)
@given(st.text(st.characters(codec="ascii", exclude_characters="/ \n\r\t\x0b\x0c\x1c\x1d\x1e\x1f"), min_size=3))
def test_passwords_are_hidden(password: str) -> None:
    url = f"postgresql://ann:{password}@host:5432/shop?sslmode=require"
    assert without_password(url) == "postgresql://ann:***@host:5432/shop?sslmode=require"
    assert password not in without_secrets(f"cannot reach {url}", url).replace("***", "")
    assert password not in without_secrets(f"wrong password >{password}<", url).removeprefix("wrong password")


def test_secrets_in_parameters_are_hidden() -> None:
    assert without_password("duckdb:///md:x?motherduck_token=abc&a=1") == "duckdb:///md:x?motherduck_token=***&a=1"
    assert without_password("postgresql://ann@host/x") == "postgresql://ann@host/x"
    assert without_password("shop.db") == "shop.db"


def test_report(shop: Path) -> None:
    corpus, report = from_query_with_report(str(shop), SELECT, **COLUMNS)
    assert (report.rows, report.query, report.sequences) == (len(VISITS), SELECT, corpus.n_sequences)
    assert report.to_dict()["query"] == SELECT


def test_commands(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ["--entity", "who", "--time", "seen", "--node", "place"]
    asked = ["--query", SELECT, "--database", str(shop)]
    assert main(["rules", *asked, *columns, "-o", str(tmp_path / "rules.jsonl")]) == 0
    assert main(["network", *asked, *columns, "-o", str(tmp_path / "edges.csv")]) == 0
    for arguments, message in (
        ([*asked, *columns, "paths.txt"], "cannot be combined"),
        (["--query", SELECT, *columns], "must be given together"),
        (["--database", str(shop), "x.txt"], "must be given together"),
        ([*asked, "--entity", "nobody", "--node", "place"], "no column 'nobody'"),
    ):
        capsys.readouterr()
        assert main(["rules", *arguments]) == 2
        assert message in capsys.readouterr().err
