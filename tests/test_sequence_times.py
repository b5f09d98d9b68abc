"""When sequences began and ended: given, read from event tables, and kept where sequences are chosen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, from_events, read_paths
from honem.errors import CorpusError
from honem.io.paths import clean_corpus
from honem.sequence_times import SequenceTimes

TRIPS = Corpus.from_sequences([["a", "b"], ["b", "c"], ["c"]])


def bounds(corpus: Corpus) -> list[tuple[float, float]]:
    assert corpus.times is not None
    return list(zip(corpus.times.starts.tolist(), corpus.times.ends.tolist(), strict=True))


def test_times_are_numbers_or_dates() -> None:
    assert bounds(TRIPS.with_times([1, 3, 2], [4, 3, 5])) == [(1, 4), (3, 3), (2, 5)]
    assert bounds(TRIPS.with_times([0.5, 1.5, 1.0])) == [(0.5, 0.5), (1.5, 1.5), (1.0, 1.0)]
    days = ["2024-01-01", "2024-01-02", "2024-01-04"]
    for dates in (
        np.array(days, "datetime64[D]"),
        np.array(days, "datetime64[ns]"),
        list(map(datetime.fromisoformat, days)),
    ):
        times = TRIPS.with_times(dates).times  # type: ignore[arg-type]
        assert times is not None
        assert times.ticks is not None
        assert (np.diff(times.starts) // times.ticks).tolist() == [86_400, 2 * 86_400]
    mixed = SequenceTimes.of(np.array(days, "datetime64[s]"), np.array(days, "datetime64[ms]"))
    assert mixed.ticks == 1000
    assert mixed.starts.tolist() == mixed.ends.tolist()


@pytest.mark.parametrize(
    ("starts", "ends", "words"),
    [
        ([1, 2], None, "2 times for 3 sequences"),
        ([1, 2, 3], [1, 2], "3 start times and 2 end times"),
        ([1, 2, 3], [1, 1, 3], "sequence 2 ends before it begins"),
        ([1.0, np.nan, 2.0], None, "finite numbers or dates"),
        (np.array(["2024", "NaT", "2024"], "datetime64[s]"), None, "the time of sequence 2 is missing"),
        (["soon", "later", "never"], None, "must be numbers or dates, not \\['soon', 'later'"),
        (np.array(["2024"] * 3, "datetime64[s]"), [1, 2, 3], "both be dates, or both be numbers"),
        ([[1, 2, 3]], None, r"one number per sequence, not of shape \(1, 3\)"),
        (5, None, "one number per sequence"),
        (np.ones(3, "datetime64[s]").reshape(3, 1).astype(object), None, "one number per sequence"),
        ({"a": 1}, None, "must be numbers or dates, not {'a': 1}"),
        ([1, [2], 3], None, "must be numbers or dates, not \\[1, \\[2\\], 3\\]"),
        ([1, 2, 2**64], None, "does not fit into 64 bits"),
        ([2**63, -1, 0], None, "does not fit into 64 bits"),
        ([2**53 + 1, 0.5, 2**53], None, r"above 2\^53 must all be whole numbers"),
        (np.ma.masked_array([1, 2, 3], [False, True, False]), None, "the time of sequence 2 is missing"),
        (np.ma.masked_array(np.ones(3, "datetime64[s]"), [False, False, True]), None, "time of sequence 3 is missing"),
        ([datetime(2024, 1, 1), 5, 6], None, "must be numbers or dates"),
        ([1, None, 3], None, "must be numbers or dates"),
        (np.array([True, False, True], object), None, "must be numbers or dates"),
        ([datetime(2024, 1, 1, tzinfo=UTC), *[datetime(2024, 1, 1)] * 2], None, "all have a time zone, or none"),
        (["2024-01-01T00:00:00Z"] * 3, None, "must be numbers or dates"),
        (np.array([1, 2, 2**63], np.uint64), None, "must be at most 9223372036854775807, not 9223372036854775808"),
        (np.array([1, 2, "1e400"], np.longdouble), None, "finite numbers or dates"),
        ([1, 2, 2**53 + 1], [1.5, 2.5, 2.0**53], r"above 2\^53 must all be whole numbers"),
        (np.array([1, 2, 10**17], "datetime64[Y]"), None, "too far from 1970 to be counted in seconds"),
        (np.array(["3000"] * 3, "datetime64[s]"), np.array(["2200"] * 3, "datetime64[ns]"), "use a longer one"),
    ],
)
def test_times_that_make_no_sense_are_refused(starts: object, ends: object, words: str) -> None:
    with pytest.raises(CorpusError, match=words) as refused:
        TRIPS.with_times(starts, ends)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("unit", ["10ms", "ns", "7ns", "h", "2D"])
def test_dates_of_every_unit_keep_their_order(unit: str) -> None:
    times = TRIPS.with_times(np.array([3, 1, 2], f"datetime64[{unit}]")).times
    assert times is not None
    assert np.argsort(times.starts).tolist() == [1, 2, 0]


def test_numbers_in_an_array_of_objects_are_no_dates() -> None:
    for numbers in ([2**60 + 1, 2**60, 3], [0.5, 2, 3]):
        times = SequenceTimes.of(np.array(numbers, object))
        assert (times.starts.tolist(), times.ticks) == (numbers, None)


@pytest.mark.filterwarnings("error")
def test_dates_with_time_zones_are_compared_in_utc() -> None:
    east = datetime(2024, 1, 1, 5, tzinfo=timezone(timedelta(hours=5)))
    for dates in ([east, datetime(2024, 1, 1, tzinfo=UTC)], pd.Series([east, east]).dt.tz_convert("Europe/Berlin")):
        times = SequenceTimes.of(dates)  # type: ignore[arg-type]
        assert times.starts.tolist() == [1_704_067_200 * 10**6] * 2


def test_picoseconds_become_nanoseconds() -> None:
    times = SequenceTimes.of(np.array([5000, 7999], "datetime64[ps]"))
    assert (times.starts.tolist(), times.ticks) == ([5, 7], 10**9)


def test_whole_numbers_and_fractions_are_compared_as_fractions() -> None:
    times = SequenceTimes.of([1, 2], [1.5, 2.0])
    assert times.starts.dtype == times.ends.dtype == np.float64


@pytest.mark.parametrize("values", [[1, 2, 3], np.array([1.0, np.nan, 2.0]), np.array(["a"] * 3), np.ones(3, np.int8)])
def test_times_made_by_hand(values: Any) -> None:
    with pytest.raises(CorpusError, match="times of sequences must be"):
        SequenceTimes(values, values)
    with pytest.raises(CorpusError, match="times must be SequenceTimes"):
        Corpus(TRIPS.vocabulary, TRIPS.tokens, TRIPS.offsets, TRIPS.weights, values)


VISITS = st.lists(
    st.tuples(st.sampled_from("xyz"), st.integers(-50, 50), st.sampled_from("abc")), min_size=1, max_size=30
)


@given(VISITS, st.sampled_from(["number", "date"]), st.booleans())
def test_event_tables_keep_the_first_and_last_time_of_each_path(
    visits: list[tuple[str, int, str]], kind: str, cleaned: bool
) -> None:
    frame = pd.DataFrame(visits, columns=["who", "when", "where"])
    if kind == "date":
        frame["when"] = pd.to_datetime(frame["when"], unit="s").astype("datetime64[ms]")
    options = {"max_gap": 10, "max_length": 3, "min_length": 1} if cleaned else {}
    corpus = from_events(frame, entity="who", time="when", node="where", **options)  # type: ignore[arg-type]
    assert corpus.times is not None
    ticks = corpus.times.ticks or 1
    assert (corpus.times.ticks is None) == (kind == "number")
    expected = []
    for who in dict.fromkeys(name for name, _, _ in visits):
        times = sorted(when for name, when, _ in visits if name == who)
        pieces: list[list[int]] = []
        for when in times:
            if not pieces or (cleaned and when - pieces[-1][-1] > 10):
                pieces.append([])
            pieces[-1].append(when)
        size = 3 if cleaned else len(times)
        expected += [
            (piece[start] * ticks, piece[start : start + size][-1] * ticks)
            for piece in pieces
            for start in range(0, len(piece), size)
        ]
    assert bounds(corpus) == expected


def test_times_follow_the_sequences() -> None:
    corpus = TRIPS.with_times([1, 3, 2], [4, 3, 5])
    assert bounds(corpus.reweighted(np.array([0, 2, 1]))) == [(3, 3), (2, 5)]
    assert clean_corpus(corpus, min_length=2)[0].times is None
    assert TRIPS.times is None


def test_paths_without_a_time_column_have_no_times(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("who,where\nx,a\nx,b\n")
    assert read_paths(tmp_path / "p.csv", entity="who", node="where").times is None
    (tmp_path / "p.txt").write_text("a b\n")
    assert read_paths(tmp_path / "p.txt").times is None
