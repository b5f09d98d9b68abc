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
        If the dates of sequences are not known.
    """
    require_one_of("every", every, get_args(Every))
    if corpus.times is None or corpus.times.ticks is None:
        raise CorpusError(
            "the dates of the sequences are not known; read an event table with dates, or use Corpus.with_times"
        )
    unit = next(unit for unit, ticks in TICKS.items() if ticks == corpus.times.ticks)
    began = corpus.times.starts.astype(f"datetime64[{unit}]").astype(f"datetime64[{UNITS[every]}]")
    for period in np.unique(began):
        yield str(period), renumbered(corpus.reweighted(np.where(began == period, corpus.weights, 0)))
