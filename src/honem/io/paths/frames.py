"""What is already in Python: tables of pandas, polars or Arrow, dicts of columns, and any corpus to be cleaned."""

from __future__ import annotations

from typing import Any, Unpack

from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.io.paths.building import CorpusBuilder, Labelled
from honem.io.paths.cleaning import Batch
from honem.io.paths.options import Cleaning, ReadOptions, Settings, names_of
from honem.io.paths.reading import build_from_table, finish, table_layout
from honem.io.paths.report import ReadReport


def from_events(table: Any, **options: Unpack[ReadOptions]) -> Corpus:
    """The corpus in a table with one row a visit; options are the fields of EventLayout, Cleaning and Limits.

    The table is one of pandas, polars or Arrow, anything else that hands out an Arrow stream, or a dict of columns.
    With `field` in place of `entity` it has one row a sequence, in a column of lists.

    >>> calls = {"ship": ["A", "B", "A"], "day": [2, 1, 1], "port": ["Rome", "Bari", "Porto"]}
    >>> list(from_events(calls, entity="ship", time="day", node="port").sequences())
    [('Porto', 'Rome'), ('Bari',)]
    """
    return from_events_with_report(table, **options)[0]


def from_events_with_report(table: Any, **options: Unpack[ReadOptions]) -> tuple[Corpus, ReadReport]:
    """As `from_events`, with the counts of everything that reading and cleaning did."""
    from honem.io.paths.tables import as_table

    settings = Settings.of(options)
    layout = table_layout(settings)
    builder = CorpusBuilder(settings.cleaning, settings.limits)
    return build_from_table(as_table(table, layout.columns), lambda row: f"row {row + 1}", layout, builder)


def clean_corpus(corpus: Corpus, **options: Unpack[ReadOptions]) -> tuple[Corpus, ReadReport]:
    """The corpus after the steps of Cleaning that are asked for, and what they did.

    >>> corpus = Corpus.from_sequences([["a", "a", "b"], ["c"]])
    >>> cleaned, report = clean_corpus(corpus, collapse_repeats=True, min_length=2)
    >>> list(cleaned.sequences()), report.repeats_collapsed, report.sequences_too_short
    ([('a', 'b')], 1, 1)
    """
    for name in options:
        if name not in names_of(Cleaning):
            raise ParameterError(f"{name} is no cleaning step; those are {', '.join(sorted(names_of(Cleaning)))}")
    settings = Settings.of(options)
    builder = CorpusBuilder(settings.cleaning, settings.limits)
    builder.add(Labelled(corpus.vocabulary.labels, Batch(corpus.tokens, corpus.lengths, corpus.weights), "corpus"))
    return finish(builder)
