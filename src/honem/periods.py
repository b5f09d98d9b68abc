"""Periods: the sequences of a corpus by the day, month or year in which they began."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import numpy as np

from honem._internal.validation import require_one_of
from honem.corpus import Corpus
from honem.errors import CorpusError
from honem.forgetting import renumbered
from honem.sequence_times import TICKS

Every = Literal["day", "month", "year"]
UNITS = {"day": "D", "month": "M", "year": "Y"}
FIRST_SECOND, LAST_SECOND = (int(np.datetime64(day, "s").astype(np.int64)) for day in ("0000-01-01", "10000-01-01"))
"""Years of four digits: names of periods sort by time, and all units can hold them but nanoseconds."""


def split_by_period(corpus: Corpus, every: Every) -> Iterator[tuple[str, Corpus]]:
    """Yield each period in which sequences began, such as "2024-05", and its sequences, earliest first.

    Parameters
    ----------
    corpus : Corpus
        The sequences, with dates.
    every : {"day", "month", "year"}
        The length of periods, in the time zone of the dates.

    Yields
    ------
    name : str
    corpus : Corpus
        The sequences that began in this period, with only the nodes that they visit.

    Raises
    ------
    CorpusError
        If the dates of sequences are not known, or one has not a year of four digits.
    """
    require_one_of("every", every, get_args(Every))
    if corpus.times is None or corpus.times.ticks is None:
        raise CorpusError(
            "the dates of the sequences are not known; read an event table with dates, or use Corpus.with_times"
        )
    unit = next(unit for unit, ticks in TICKS.items() if ticks == corpus.times.ticks)
    seconds = corpus.times.starts / corpus.times.ticks
    # The least whole number of 64 bits is no date in NumPy.
    is_number = corpus.times.starts > np.iinfo(np.int64).min
    if not (is_number & (seconds >= FIRST_SECOND) & (seconds < LAST_SECOND)).all():
        raise CorpusError("a sequence began before the year 0 or after 9999; is the unit of the times right?")
    began = corpus.times.starts.astype(f"datetime64[{unit}]").astype(f"datetime64[{UNITS[every]}]")
    for period in np.unique(began):
        yield str(period), renumbered(corpus.reweighted(np.where(began == period, corpus.weights, 0)))
