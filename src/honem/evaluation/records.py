"""Records of an evaluation: one row per number, with its data set, method, score and seed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from honem._internal.optional_packages import require_package

if TYPE_CHECKING:
    import pandas as pd


class Measure(NamedTuple):
    """One number about one fitted method; `score` says how pairs were scored, or which vectors were features."""

    score: str
    metric: str
    value: float


class Record(NamedTuple):
    """One number about one method on one data set: a row of every table."""

    dataset: str
    task: str
    method: str
    dimension: int
    seed: int
    score: str
    metric: str
    value: float


SEEDLESS = [name for name in Record._fields if name not in ("seed", "value")]


def to_frame(records: Iterable[Record]) -> pd.DataFrame:
    """Return the records as a tidy frame with one column per field.

    Raises
    ------
    MissingDependencyError
        If pandas is not installed.

    Examples
    --------
    >>> to_frame([Record("trips", "link_prediction", "HONEM", 8, 0, "source.target", "map", 0.5)]).shape
    (1, 8)
    """
    pandas = require_package("pandas", "pandas", "a table of results")
    frame: pd.DataFrame = pandas.DataFrame.from_records(list(records), columns=list(Record._fields))
    return frame


def over_seeds(records: Iterable[Record]) -> pd.DataFrame:
    """Return mean, sample standard deviation (missing for one seed) and number of seeds of every number, in order."""
    groups = to_frame(records).groupby(SEEDLESS, sort=False)["value"]
    return groups.agg(mean="mean", deviation="std", seeds="count").reset_index()
