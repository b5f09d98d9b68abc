"""Paths from the result of a SQL query, read in batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from honem._internal.option_names import option
from honem._internal.progress import Progress
from honem.corpus import Corpus
from honem.errors import InputError, ParameterError
from honem.io.paths.building import CorpusBuilder
from honem.io.paths.cleaning import require_times
from honem.io.paths.options import EventLayout, JsonLayout, Limits, ReadOptions
from honem.io.paths.reading import build_from_table
from honem.io.paths.report import InputFile, ReadReport
from honem.io.paths.settings import Settings, table_layout

if TYPE_CHECKING:
    import pyarrow as pa

    from honem.io.paths.connections import Parameters

JOINED = 32
"""Batches after which their dictionaries are joined: names that occur in many batches are then held once."""
OF_FILES = ("format", "delimiter", "max_line_bytes", "max_expansion")
THE_QUERY = "the query"


def from_query(
    connection: Any, sql: str, *, parameters: Parameters | None = None, **options: Unpack[ReadOptions]
) -> Corpus:
    """Read paths from the result of a SQL query.

    Rows are fetched in batches. What is kept are the columns that are needed, with each name once.

    Parameters
    ----------
    connection : connection or str
        A connection of DB-API 2 (such as `sqlite3` or `psycopg`), ADBC, DuckDB or SQLAlchemy, or an engine of the
        latter. Or the URL of a database, or the path of a SQLite file, which is then opened for this query. A
        connection stays open.
    sql : str
        The query, with one row per visit or, if `field` is given, one row per sequence in a column of arrays.
    parameters : sequence or mapping, optional
        Values of the placeholders of the query, as the driver writes them.
    **options
        The options of `from_events`, with the same meanings and defaults: the columns, ``entity="user", time="visited",
        node="page"``, cleaning steps and limits.

    Returns
    -------
    Corpus

    Raises
    ------
    ParameterError
        If an option is wrong; raised before the query is run.
    InputError
        If the database cannot be opened, the query fails, or a column is missing or has wrong values. No message has
        the password of a URL.
    MissingDependencyError
        If the driver for a URL is not installed.

    Examples
    --------
    >>> import sqlite3
    >>> shop = sqlite3.connect(":memory:")
    >>> _ = shop.execute("create table visits (customer, at, page)")
    >>> _ = shop.execute("insert into visits values (7, 2, 'cart'), (7, 1, 'home'), (8, 1, 'home')")
    >>> corpus = from_query(shop, "select * from visits", entity="customer", time="at", node="page")
    >>> list(corpus.sequences())
    [('home', 'cart'), ('home',)]
    """
    return from_query_with_report(connection, sql, parameters=parameters, **options)[0]


def from_query_with_report(
    connection: Any,
    sql: str,
    *,
    parameters: Parameters | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadOptions],
) -> tuple[Corpus, ReadReport]:
    """Read paths from the result of a SQL query, and count everything that reading and cleaning did.

    Parameters
    ----------
    connection : connection or str
        A connection of DB-API 2, ADBC, SQLAlchemy or DuckDB, or the URL of a database.
    sql : str
        The query.
    parameters : sequence or mapping, optional
        Values of the placeholders of the query, as the driver writes them.
    progress : callable, optional
        Called as ``progress("reading rows", rows_read, 0)``.
    **options
        The options of `from_events`, with the same meanings and defaults.

    Returns
    -------
    corpus : Corpus
    report : ReadReport
        Its `query` is the SQL, and the name of its input the database, without the password.

    Raises
    ------
    ParameterError
        If an option is wrong; raised before the query is run.
    InputError
        If the database cannot be opened, the query fails, or a column is missing or has wrong values.
    MissingDependencyError
        If the driver for a URL is not installed.
    """
    from honem.io.paths.connections import connected, query_batches, without_password
    from honem.io.paths.tables import join_tables

    settings, layout = plan_query(sql, options)
    with connected(connection) as opened, closing(query_batches(opened, sql, parameters)) as batches:
        table = _collect(batches, layout.columns, settings.limits, progress)
    _, place = join_tables([table], [THE_QUERY])
    shown = without_password(connection) if isinstance(connection, str) else type(connection).__name__
    builder = CorpusBuilder(settings.cleaning, settings.limits)
    corpus, report = build_from_table(table, place, layout, builder, [InputFile(shown, table.nbytes, "")])
    return corpus, replace(report, query=sql)


def plan_query(sql: str, options: Mapping[str, Any]) -> tuple[Settings, EventLayout | JsonLayout]:
    """Check the options of `from_query` without running the query."""
    if not isinstance(sql, str) or not sql.strip():
        raise ParameterError(f"{option('query')} must be the text of a SQL query, not {sql!r:.60}")
    settings = Settings.of(options)
    for name in OF_FILES:
        if settings.given.get(name) is not None:
            raise ParameterError(f"{option(name)} is an option for files; it does not apply to a query")
    layout = table_layout(settings)
    if settings.cleaning.max_gap is not None:
        require_times(settings.cleaning.max_gap, layout.has_times)
    return settings, layout


def _collect(
    batches: Iterable[pa.RecordBatch], columns: tuple[str, ...], limits: Limits, progress: Progress | None
) -> pa.Table:
    """Return the wanted columns of all batches, with texts as numbers of a dictionary."""
    import pyarrow as pa

    from honem.io.paths.tables import require_column

    parts: list[pa.Table] = []
    n_rows = 0
    for number, batch in enumerate(batches, start=1):
        for name in columns:
            require_column(name, batch.schema.names, THE_QUERY)
        parts.append(pa.table({name: _encoded(batch.column(name)) for name in columns}))
        if number % JOINED == 0:
            parts = [_joined(parts)]
        n_rows += batch.num_rows
        size = sum(part.nbytes for part in parts)
        if limits.max_bytes is not None and size > limits.max_bytes:
            raise InputError(
                f"{THE_QUERY} returns more than {option('max_bytes')} = {limits.max_bytes} bytes; raise "
                f"{option('max_bytes')} if that is right"
            )
        if progress is not None:
            progress("reading rows", n_rows, 0)
    if not n_rows:
        raise InputError(f"{THE_QUERY} returned no rows; there is nothing to read")
    return _joined(parts)


def _encoded(column: pa.Array) -> pa.Array:
    from honem.io.paths.columns import is_text

    return column.dictionary_encode() if is_text(column.type) else column


def _joined(parts: list[pa.Table]) -> pa.Table:
    from honem.io.paths.tables import join_tables

    table, _ = join_tables(parts, [THE_QUERY])
    return table.unify_dictionaries()
