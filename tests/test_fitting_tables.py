"""`HONEM.fit` takes tables: the same model as from the corpus that `from_events` reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from honem import HONEM, CorpusError, ParameterError, from_events

COLUMNS: dict[str, list[Any]] = {
    "MMSI": [7, 8, 7, 7, 8, 8, 9, 9],
    "day": [3, 1, 1, 20, 2, 4, 5, 6],
    "port": ["Rome", "Bari", "Porto", "Bari", "Rome", "Bari", "Porto", "Rome"],
}
TABLES: list[Callable[[dict[str, list[Any]]], Any]] = [pd.DataFrame, pl.DataFrame, pa.table, pa.record_batch, dict]


@pytest.mark.parametrize("make", TABLES)
def test_a_table_gives_the_model_of_its_corpus(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    table = make(COLUMNS)
    expected = HONEM(2).fit(from_events(COLUMNS, entity="MMSI", time="day", node="port", max_gap=7))
    model = HONEM(2).fit(table, entity="MMSI", time="day", node="port", max_gap=7)
    assert model.embedding_.nodes == expected.embedding_.nodes == ("Porto", "Rome", "Bari")
    np.testing.assert_array_equal(model.embedding_.source, expected.embedding_.source)
    vectors = HONEM(2).fit_transform(table, entity="MMSI", time="day", node="port", max_gap=7)
    np.testing.assert_array_equal(vectors, expected.embedding_.source)


@pytest.mark.parametrize("make", TABLES)
def test_a_table_without_columns_is_asked_for_them(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    with pytest.raises(ParameterError, match="a table needs entity and node"):
        HONEM(2).fit(make(COLUMNS))


def test_a_column_of_lists_is_still_an_iterable_of_sequences() -> None:
    paths = [["a", "b"], ["b", "c"]]
    for column in (pd.Series(paths), pl.Series(paths)):
        assert HONEM(2).fit(column).embedding_.nodes == ("a", "b", "c")


def test_options_of_tables_need_a_table() -> None:
    with pytest.raises(ParameterError, match="entity is an option for tables, and list is not a table"):
        HONEM(2).fit([["a", "b"]], entity="MMSI")


def test_weights_of_a_table_are_a_column() -> None:
    with pytest.raises(CorpusError, match="name the column of weights of a DataFrame with weight="):
        HONEM(2).fit(pd.DataFrame(COLUMNS), entity="MMSI", node="port", sample_weight=[1] * 8)


def test_a_lazy_frame_must_be_collected() -> None:
    with pytest.raises(ParameterError, match=r"collect\(\) the LazyFrame first"):
        HONEM(2).fit(pl.LazyFrame(COLUMNS), entity="MMSI", node="port")
