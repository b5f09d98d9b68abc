"""Event logs of process mining: the column names that XES and pm4py share, and logs of pm4py in memory."""

from __future__ import annotations

from typing import Any, Unpack, cast

from honem.corpus import Corpus
from honem.io.paths.frames import from_events, is_table_like
from honem.io.paths.options import EventLayout, ReadOptions
from honem.io.paths.settings import Settings

CASE = "case:"
"""What the names of attributes of a whole case begin with."""
LOG_COLUMNS = {"entity": "case:concept:name", "time": "time:timestamp", "node": "concept:name"}


def log_layout(settings: Settings) -> EventLayout:
    """Return the layout of an event log: the columns of XES, unless others are named."""
    defaults = {name: column for name, column in LOG_COLUMNS.items() if name != "node" or not _is_on_grid(settings)}
    return settings.layout(EventLayout, "event logs", **defaults)


def _is_on_grid(settings: Settings) -> bool:
    return settings.given.get("grid") is not None


def from_pm4py(log: Any, **options: Unpack[ReadOptions]) -> Corpus:
    """Read the paths of cases from an event log of pm4py.

    Parameters
    ----------
    log : pandas.DataFrame, polars.DataFrame or pm4py.objects.log.obj.EventLog
        What ``pm4py.read_xes`` returns, or a table that ``pm4py.format_dataframe`` prepared.
    **options
        The options of `from_events`, with the same meanings. The columns have other defaults, listed below.

    Returns
    -------
    Corpus
        One sequence per case, of its activities sorted by time.

    Other Parameters
    ----------------
    entity : str, default="case:concept:name"
        Column of the case. Attributes of a case begin with ``case:``, as in pm4py.
    time : str, default="time:timestamp"
        Column to sort the events of a case by.
    node : str, default="concept:name"
        Column of the activity. Others show another side of the process, such as ``"org:resource"``.

    Raises
    ------
    ParameterError
        If an option is wrong.
    InputError
        If a column is missing or has wrong values.

    Examples
    --------
    >>> log = {
    ...     "case:concept:name": ["7", "7", "8"],
    ...     "time:timestamp": ["2024-01-02", "2024-01-01", "2024-01-01"],
    ...     "concept:name": ["check", "register", "register"],
    ... }
    >>> list(from_pm4py(log).sequences())
    [('register', 'check'), ('register',)]
    """
    columns = cast(ReadOptions, {**LOG_COLUMNS, **options})
    return from_events(log if is_table_like(log) else _columns_of(log, columns), **columns)


def _columns_of(log: Any, columns: ReadOptions) -> dict[str, list[Any]]:
    """Return the columns of a log that is a list of traces, each a list of events with its own attributes."""
    names = EventLayout(**{name: columns[name] for name in LOG_COLUMNS}).columns  # type: ignore[literal-required]
    rows = [
        [(trace.attributes if name.startswith(CASE) else event).get(name.removeprefix(CASE)) for name in names]
        for trace in log
        for event in trace
    ]
    return {name: [row[number] for row in rows] for number, name in enumerate(names)}
