"""Paths that are already in memory: tables of pandas, polars or Arrow, dicts of columns, and corpora to clean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.io.paths.building import CorpusBuilder, Labelled
from honem.io.paths.cleaning import Batch, require_times
from honem.io.paths.options import Cleaning, ReadOptions
from honem.io.paths.reading import build_from_table, finish
from honem.io.paths.report import ReadReport
from honem.io.paths.settings import Settings, field_names, table_layout


def from_events(table: Any, **options: Unpack[ReadOptions]) -> Corpus:
    """Read paths from a table in memory.

    Parameters
    ----------
    table : pandas.DataFrame, polars.DataFrame, pyarrow.Table, object with an Arrow C stream, or dict of columns
        Table with one row per visit or, if `field` is given, one row per sequence in a column of lists.
    **options
        Columns, cleaning steps and limits; listed below. Cleaning steps are applied in the order in which they are
        listed.

    Returns
    -------
    Corpus

    Other Parameters
    ----------------
    field : str, optional
        Column of lists of nodes. Default: none, the table has one row per visit.
    entity : str, optional
        Column of who moves; each entity becomes one sequence. Required for a table with one row per visit.
    time : str, optional
        Column to sort the visits of an entity by. Default: the rows of an entity stay in their order.
    time_format : str, optional
        Format of written times in the codes of `datetime.strptime`, such as "%d.%m.%Y %H:%M". Default: numbers, ISO
        dates or timestamps.
    time_unit : {"s", "ms", "us", "ns"}, optional
        Unit of numeric times, which are then counted from 1970, so that `max_gap` may have a unit of its own. Default:
        numbers of an unknown unit.
    day_first : bool, default=False
        Whether written times begin with the day: 31/12/2024, 31.12.2024 or 31-12-2024, with or without a time of day.
    node : str, optional
        Column of the place visited. Required for a table with one row per visit unless `lon`, `lat` and `grid` are
        given.
    weight : str, optional
        Column of the weight of the sequence; in a table with one row per visit, the same on all rows of an
        entity. Default: weight 1.
    lon, lat : str, optional
        Columns of longitude and latitude, in degrees, for `grid`.
    grid : float or str, optional
        Cells that become nodes: their side in degrees, at least 1e-9 (0.01), or in metres ("500m", "2km"), an H3
        resolution ("h3:8") or a length of geohashes ("geohash:6"). Cells in degrees and metres are named
        `row_column`; rows are counted northwards and columns eastwards from `grid_origin`.
    grid_origin : tuple of float, default=(-180.0, -90.0)
        Longitude and latitude of the corner of cell `0_0`, for cells in degrees and metres.
    missing : {"error", "skip"}, default="error"
        What to do with a row that lacks a value in one of these columns. Skipped rows are counted.
    lowercase : bool, default=False
        Convert names to lower case.
    max_gap : str or float, optional
        Cut a sequence where more than this time passes between two visits: "90s", "30min", "6h", "2d", "1w", or a
        number in the unit of the time column (seconds for timestamps). Default: no cuts.
    back_token : str, optional
        Node that marks a back-click. Requires `back`. Default: none.
    back : {"drop", "replay"}, optional
        How to resolve a back-click: drop the page that was left, or repeat the page that was returned to.
    collapse_repeats : bool, default=False
        Count a node that follows itself once.
    max_length : int, optional
        Cut sequences into pieces of at most this many nodes. Default: no limit.
    min_length : int, optional
        Remove sequences with fewer nodes than this. Default: keep all.
    min_entities : int, optional
        Cut sequences so that every run of nodes that is left is one of at least this many entities, or of as many
        sequences where no column of entities is read. Nodes of fewer entities are removed, times are not kept, and
        equal sequences become one with a weight. Default: no cuts.
    max_nodes : int, default=20_000_000
        Largest number of distinct nodes; more raise CorpusError.

    Raises
    ------
    ParameterError
        If an option is wrong.
    InputError
        If a column is missing or has wrong values.

    Examples
    --------
    >>> calls = {"ship": ["A", "B", "A"], "day": [2, 1, 1], "port": ["Rome", "Bari", "Porto"]}
    >>> list(from_events(calls, entity="ship", time="day", node="port").sequences())
    [('Porto', 'Rome'), ('Bari',)]
    """
    return from_events_with_report(table, **options)[0]


def from_events_with_report(table: Any, **options: Unpack[ReadOptions]) -> tuple[Corpus, ReadReport]:
    """Read paths from a table in memory, and count everything that reading and cleaning did.

    Parameters
    ----------
    table : pandas.DataFrame, polars.DataFrame, pyarrow.Table, object with an Arrow C stream, or dict of columns
        Table with one row per visit or, if `field` is given, one row per sequence in a column of lists.
    **options
        The options of `from_events`, with the same meanings and defaults.

    Returns
    -------
    corpus : Corpus
    report : ReadReport

    Raises
    ------
    ParameterError
        If an option is wrong.
    InputError
        If a column is missing or has wrong values.
    """
    from honem.io.paths.tables import as_table

    settings = Settings.of(options)
    layout = table_layout(settings)
    if settings.cleaning.max_gap is not None:
        require_times(settings.cleaning.max_gap, layout.has_times)
    builder = CorpusBuilder(settings.cleaning, settings.limits)
    return build_from_table(as_table(table, layout.columns), lambda row: f"row {row + 1}", layout, builder)


def is_table_like(given: object) -> bool:
    """Return whether an object is a data frame, lazy or not, an Arrow table or a dict of columns.

    A column of lists, such as a Series of polars, also has an Arrow C stream, but it is an iterable of sequences.
    """
    # Attributes of the class: a lazy frame computes, and warns, when its columns are accessed.
    return isinstance(given, Mapping) or hasattr(type(given), "columns")


def clean_corpus(corpus: Corpus, **options: Unpack[ReadOptions]) -> tuple[Corpus, ReadReport]:
    """Apply cleaning steps to a corpus.

    Parameters
    ----------
    corpus : Corpus
        The corpus, which is not changed.
    **options
        Cleaning steps, listed below in the order in which they are applied. `max_gap` is not available, because a
        corpus has no times of single nodes.

    Returns
    -------
    corpus : Corpus
        A new corpus, without times.
    report : ReadReport
        What each step did.

    Other Parameters
    ----------------
    lowercase : bool, default=False
        Convert names to lower case.
    back_token : str, optional
        Node that marks a back-click. Requires `back`. Default: none.
    back : {"drop", "replay"}, optional
        How to resolve a back-click: drop the page that was left, or repeat the page that was returned to.
    collapse_repeats : bool, default=False
        Count a node that follows itself once.
    max_length : int, optional
        Cut sequences into pieces of at most this many nodes. Default: no limit.
    min_length : int, optional
        Remove sequences with fewer nodes than this. Default: keep all.
    min_entities : int, optional
        Cut sequences so that every run of nodes that is left is one of at least this many entities, or of as many
        sequences where no column of entities is read. Nodes of fewer entities are removed, times are not kept, and
        equal sequences become one with a weight. Default: no cuts.

    Raises
    ------
    ParameterError
        If an option is wrong or is not a cleaning step.
    CorpusError
        If no sequence is left.

    Examples
    --------
    >>> corpus = Corpus.from_sequences([["a", "a", "b"], ["c"]])
    >>> cleaned, report = clean_corpus(corpus, collapse_repeats=True, min_length=2)
    >>> list(cleaned.sequences()), report.repeats_collapsed, report.sequences_too_short
    ([('a', 'b')], 1, 1)
    """
    for name in options:
        if name not in field_names(Cleaning):
            raise ParameterError(
                f"{name} is not a cleaning step; the steps are {', '.join(sorted(field_names(Cleaning)))}"
            )
    settings = Settings.of(options)
    builder = CorpusBuilder(settings.cleaning, settings.limits)
    batch = Batch(corpus.tokens, corpus.lengths, corpus.weights, entities=corpus.entities)
    builder.add(Labelled(corpus.vocabulary.labels, batch, "corpus"))
    return finish(builder)
