"""Paths that are already in memory: tables of pandas, polars or Arrow, dicts of columns, and corpora to clean."""

from __future__ import annotations

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
        Fields of `EventLayout` (or `JsonLayout` for one row per sequence), `Cleaning` and `Limits` in
        `honem.io.paths`, such as `entity`, `time`, `node`, `max_gap`.

    Returns
    -------
    Corpus

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
        Fields of `EventLayout` (or `JsonLayout`), `Cleaning` and `Limits`, as for `from_events`.

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


def clean_corpus(corpus: Corpus, **options: Unpack[ReadOptions]) -> tuple[Corpus, ReadReport]:
    """Apply cleaning steps to a corpus.

    Parameters
    ----------
    corpus : Corpus
        The corpus, which is not changed.
    **options
        Fields of `honem.io.paths.Cleaning`, such as `lowercase`, `collapse_repeats`, `max_length`, `min_length`.

    Returns
    -------
    corpus : Corpus
        A new corpus.
    report : ReadReport
        What each step did.

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
    builder.add(Labelled(corpus.vocabulary.labels, Batch(corpus.tokens, corpus.lengths, corpus.weights), "corpus"))
    return finish(builder)
