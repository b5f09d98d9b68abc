"""Tables and sequences in Python with odd columns: a fitted model, or one of honem's errors of one line."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from honem import HONEM, CorpusError, HonemError, InputError

TABLE = {"e": ["x", "x", "y", "y"], "t": [1, 2, 3, 4], "n": ["a", "b", "a", "c"]}
UTC = dt.UTC
ODD: dict[str, Any] = {
    "nothing": [None] * 4,
    "one missing": [None, "b", "a", "c"],
    "NaN": [float("nan")] * 4,
    "NA": [pd.NA, "b", "a", "c"],
    "NaT": [pd.NaT] * 4,
    "infinity": [1.0, float("inf"), 2, 3],
    "a mix": [1, "a", None, 2.5],
    "lists": [[1], [2], [3], [4]],
    "lists of lists": [[[1]]] * 4,
    "dicts": [{"a": 1}] * 4,
    "sets": [{1}] * 4,
    "bytes": [b"\xff"] * 4,
    "objects": [object()] * 4,
    "large numbers": [2**63 - 1, -(2**63), 2**63 - 1, 0],
    "larger numbers": [2**64] * 4,
    "the largest numbers": [10**30] * 4,
    "booleans": [True, False] * 2,
    "complex numbers": [1j] * 4,
    "decimals": [Decimal("1.5")] * 4,
    "dates": [dt.date(2024, 1, 1)] * 4,
    "zones": [dt.datetime(2024, 1, 1, tzinfo=UTC)] * 4,
    "a mix of zones": [dt.datetime(2024, 1, 1, tzinfo=UTC), dt.datetime(2024, 1, 1)] * 2,
    "the first year": [dt.datetime(1, 1, 1, tzinfo=UTC)] * 4,
    "the last year": [dt.datetime(9999, 12, 31, tzinfo=UTC)] * 4,
    "times of day": [dt.time(1)] * 4,
    "durations": [dt.timedelta(1)] * 4,
    "surrogates": ["\ud800"] * 4,
    "empty texts": [""] * 4,
    "two values": [1, 2],
    "one value": 5,
    "a text": "abcd",
    "a matrix": np.zeros((4, 2)),
    "no dimension": np.array(5),
    "tuples": [(1, 2)] * 4,
    "classes": [int] * 4,
}
NAMES: dict[str, Any] = {"entity": "e", "time": "t", "node": "n"}
TIME_OPTIONS: tuple[dict[str, Any], ...] = (
    {"time_unit": "s"},
    {"day_first": True},
    {"time_format": "%Y"},
    {"max_gap": "3d"},
    {"missing": "skip"},
)


def fits(table: Any, **options: Any) -> bool:
    """Fit a model, or return False if that is refused in one line."""
    try:
        HONEM(2, preset="paper").fit(table, **options)
    except HonemError as error:
        assert "\n" not in str(error), str(error)  # noqa: PT017
        return False
    return True


def as_frame(make: Any, columns: dict[str, Any]) -> Any:
    """Make a table of some library; what it cannot hold stays a dict."""
    try:
        return make(columns)
    except Exception:
        return columns


@pytest.mark.filterwarnings("ignore::honem.HonemWarning")
@pytest.mark.parametrize("make", [dict, pd.DataFrame, pa.table], ids=["dict", "pandas", "arrow"])
def test_odd_columns(make: Any) -> None:
    fitted = []
    for (name, values), place in ((odd, place) for odd in ODD.items() for place in "etn"):
        table = as_frame(make, TABLE | {place: values})
        try:
            fitted.append(fits(table, **NAMES))
            if place == "t":
                fitted += [fits(table, **NAMES, **options) for options in TIME_OPTIONS]
                fitted.append(fits(as_frame(make, TABLE | {"w": values}), **NAMES, weight="w"))
            if place == "n":
                fitted.append(fits(as_frame(make, {"p": values}), field="p"))
        except BaseException as error:
            error.add_note(f"{name} in column {place}")
            raise
    assert any(fitted)
    assert not all(fitted)


def test_numbers_that_do_not_fit_into_64_bits_are_refused() -> None:
    with pytest.raises(InputError, match="the columns must be of one length, and each of one type"):
        HONEM().fit(TABLE | {"t": [2**64] * 4}, **NAMES)


@pytest.mark.parametrize("given", [None, 5, 2.5, int, object()])
def test_what_is_no_sequence_of_sequences(given: Any) -> None:
    with pytest.raises(CorpusError, match="sequences must be an iterable of sequences"):
        HONEM().fit(given)
