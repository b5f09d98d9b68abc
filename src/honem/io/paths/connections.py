"""Connections to databases: opened by URL, and queried in batches whatever their interface is.

A connection is one of DuckDB, of ADBC, of SQLAlchemy, or any other one of Python's DB-API 2.
"""

from __future__ import annotations

import re
import sqlite3
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa

from honem._internal.option_names import option
from honem.errors import HonemError, InputError, MissingDependencyError, ParameterError

BATCH_ROWS = 2**16
HIDDEN = "***"
PASSWORD = re.compile(r"(?<=://)([^/@:\s]*):([^/\s]*)@")
SECRET_PARAMETER = re.compile(r"(?i)([?&;\s]|^)((?:password|passwd|pwd|token|secret|motherduck_token)=)[^&;\s]*")
POSTGRES = ("psycopg", "psycopg2")

Parameters = Sequence[Any] | Mapping[str, Any]
Batches = Generator[pa.RecordBatch, None, None]


def without_password(url: str) -> str:
    """Return a URL as messages and manifests may show it.

    >>> without_password("postgresql://ann:s3:cr@t@db.example/shop?sslmode=require&password=x")
    'postgresql://ann:***@db.example/shop?sslmode=require&password=***'
    """
    hidden = PASSWORD.sub(rf"\1:{HIDDEN}@", url)
    return SECRET_PARAMETER.sub(rf"\1\2{HIDDEN}", hidden)


@contextmanager
def connected(database: Any) -> Iterator[Any]:
    """Open a URL or the path of a SQLite file for the time of the context; use a connection as it is."""
    if not isinstance(database, str):
        yield database
        return
    with _database_errors(f"{without_password(database)} cannot be opened", database):
        opened = _open(database)
    with opened as connection:
        yield connection


def _open(url: str) -> AbstractContextManager[Any]:
    scheme, separator, rest = url.partition("://")
    if not separator or scheme == "sqlite":
        return closing(_open_sqlite(rest.removeprefix("/") if separator else url))
    if scheme == "duckdb":
        place = rest.removeprefix("/") or ":memory:"
        duckdb = _require_module("duckdb", url)
        return closing(duckdb.connect(_existing(place), read_only=True) if rest else duckdb.connect(place))
    if scheme in ("postgresql", "postgres"):
        return closing(_postgres_driver(url).connect(url))
    return _open_with_sqlalchemy(url)


def _open_sqlite(place: str) -> sqlite3.Connection:
    # Read-only: a misspelled name must not make an empty database.
    return sqlite3.connect(f"file:{quote(_existing(place))}?mode=ro", uri=True)


def _existing(place: str) -> str:
    if not place or not Path(place).is_file():
        raise InputError(
            f"no such database file: {place!r}; {option('database')} is a file of SQLite or a URL such as "
            "sqlite:///shop.db, duckdb:///shop.duckdb or postgresql://user@host/name"
        )
    return place


def _postgres_driver(url: str) -> Any:
    installed = next((name for name in POSTGRES if find_spec(name) is not None), POSTGRES[0])
    return _require_module(installed, url)


def _require_module(name: str, url: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        install = "'psycopg[binary]'" if name == "psycopg" else name
        raise MissingDependencyError(
            f"{without_password(url)} needs the package {name}: pip install {install}"
        ) from None


def _open_with_sqlalchemy(url: str) -> AbstractContextManager[Any]:
    sqlalchemy = _require_module("sqlalchemy", url)
    try:
        return closing_engine(sqlalchemy.create_engine(url))
    except sqlalchemy.exc.NoSuchModuleError:
        scheme = url.partition("://")[0]
        raise ParameterError(
            f"{option('database')}: SQLAlchemy has no driver for {scheme}://; install the package that has it, or "
            "check the spelling"
        ) from None
    except ImportError as error:
        missing = error.name or "the driver"
        raise MissingDependencyError(f"{without_password(url)} needs the package {missing}") from None


@contextmanager
def closing_engine(engine: Any) -> Iterator[Any]:
    """Use an engine of SQLAlchemy, and release its connections afterwards."""
    try:
        yield engine
    finally:
        engine.dispose()


def query_batches(connection: Any, sql: str, parameters: Parameters | None = None) -> Batches:
    """Run a query and yield its rows as batches with at most `BATCH_ROWS` rows; errors are one line each."""
    with closing(_batches(connection, sql, parameters)) as batches:
        while True:
            with _database_errors("the query failed"):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch


def _batches(connection: Any, sql: str, parameters: Parameters | None) -> Batches:
    # Recognized by module names, so that no package is imported that is not in use.
    package = type(connection).__module__.split(".")[0]
    if package in ("_duckdb", "duckdb"):
        return _from_duckdb(connection, sql, parameters)
    if package == "sqlalchemy":
        return _from_sqlalchemy(connection, sql, parameters)
    if not hasattr(connection, "cursor"):
        raise ParameterError(
            "connection must be one of DB-API 2, ADBC, SQLAlchemy or DuckDB, or the URL of a database, "
            f"not {type(connection).__name__}"
        )
    return _from_cursor(connection, sql, parameters)


def _from_duckdb(connection: Any, sql: str, parameters: Parameters | None) -> Batches:
    relation = connection.sql(sql, params=parameters)
    if relation is None:
        raise _no_rows()
    # The name was another one before version 1.4.
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    yield from _from_reader(read(BATCH_ROWS))


def _from_reader(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a reader; one without rows first, so that the columns are known if there are no others."""
    yield pa.RecordBatch.from_pylist([], reader.schema)
    yield from reader


def _from_sqlalchemy(connection: Any, sql: str, parameters: Parameters | None) -> Batches:
    is_engine = not hasattr(connection, "exec_driver_sql")
    with connection.connect() if is_engine else nullcontext(connection) as opened:
        # The driver's own SQL: SQLAlchemy would take a colon for the name of a parameter.
        options = {"stream_results": True, "max_row_buffer": BATCH_ROWS}
        result = opened.exec_driver_sql(sql, parameters or (), execution_options=options)
        if not result.returns_rows:
            raise _no_rows()
        try:
            yield from _as_batches(lambda: result.fetchmany(BATCH_ROWS), list(result.keys()))
        finally:
            result.close()


def _from_cursor(connection: Any, sql: str, parameters: Parameters | None) -> Batches:
    with closing(_cursor(connection)) as cursor:
        # Not all drivers accept an empty tuple where there are no parameters.
        cursor.execute(*((sql,) if parameters is None else (sql, parameters)))
        if cursor.description is None:
            raise _no_rows()
        if hasattr(cursor, "fetch_record_batch"):  # of ADBC
            yield from _from_reader(cursor.fetch_record_batch())
            return
        yield from _as_batches(lambda: cursor.fetchmany(BATCH_ROWS), [column[0] for column in cursor.description])


def _cursor(connection: Any) -> Any:
    """Return a cursor that does not fetch all rows at once."""
    package = type(connection).__module__.split(".")[0]
    if package not in POSTGRES:
        return connection.cursor()
    # Only a named cursor stays on the server; outside a transaction it must outlive its statement.
    held = {"withhold": True} if connection.autocommit else {}
    return connection.cursor("honem_" + uuid.uuid4().hex, **held)


def _as_batches(fetch: Callable[[], Sequence[Sequence[Any]]], names: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield all rows as batches; one without rows if there are none, so that its columns are known."""
    rows = fetch()
    yield _as_batch(rows, names)
    while rows := fetch():
        yield _as_batch(rows, names)


def _as_batch(rows: Sequence[Sequence[Any]], names: list[str]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return pa.RecordBatch.from_arrays(
        [_as_array(values, name) for values, name in zip(columns, names, strict=True)], names=names
    )


def _as_array(values: Sequence[Any], name: str) -> pa.Array:
    if any(isinstance(value, uuid.UUID) for value in values):
        values = [None if value is None else str(value) for value in values]
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        kinds = sorted({type(value).__name__ for value in values if value is not None})
        raise InputError(
            f"column {name!r} of the query holds values of the types {', '.join(kinds[:5])}, which cannot be read "
            "together; convert it with CAST"
        ) from None
    except pa.ArrowNotImplementedError as error:
        raise InputError(f"column {name!r} of the query cannot be read ({error})") from None


def _no_rows() -> InputError:
    return InputError("the statement returned no rows; a query must be a SELECT")


@contextmanager
def _database_errors(what: str, url: str | None = None) -> Iterator[None]:
    """Turn any error of a driver into an InputError; drivers have no common class of errors."""
    try:
        yield
    except (HonemError, MemoryError):
        raise
    except Exception as error:
        reason = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise InputError(f"{what}: {without_secrets(reason, url):.300}") from None


def without_secrets(text: str, url: str | None) -> str:
    """Return a message of a driver without the passwords that the URL has."""
    shown = without_password(text)
    for secret in _secrets(url or ""):
        shown = shown.replace(secret, HIDDEN)
    return shown


def _secrets(url: str) -> list[str]:
    found = [match[2] for match in PASSWORD.finditer(url)]
    found += [match[0].partition("=")[2] for match in SECRET_PARAMETER.finditer(url)]
    # A password of one or two characters would hide letters anywhere.
    return [secret for written in found for secret in (written, unquote(written)) if len(secret) > 2]
