"""Times as they are written: formats of strptime, the day first, epochs in a unit."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import Corpus, InputError, ParameterError, from_events
from honem.cli import main

MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)).map(lambda moment: moment.replace(microsecond=0))


def read(times: list[Any], **options: Any) -> Corpus:
    columns = {"e": ["x"] * len(times), "t": times, "n": list(range(len(times)))}
    return from_events(columns, entity="e", time="t", node="n", **options)


def micros(moments: list[datetime]) -> list[int]:
    return [int(np.datetime64(moment, "us").astype(np.int64)) for moment in (min(moments), max(moments))]


@pytest.mark.parametrize(
    "format", ["%d.%m.%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p", "%Y%m%d%H%M%S", "%d %b %Y %H:%M:%S.%f"]
)
@given(moments=st.lists(MOMENTS, min_size=1, max_size=5))
def test_a_format_reads_what_strftime_writes(format: str, moments: list[datetime]) -> None:
    # Some C libraries write the year 999 without its zero; these years have four digits.
    times = read([moment.strftime(format) for moment in moments], time_format=format).times
    assert times is not None
    assert [times.starts[0], times.ends[0]] == micros(moments)
    assert times.ticks == 10**6


@given(moments=st.lists(MOMENTS, min_size=1, max_size=5), mark=st.sampled_from("./-"))
def test_day_first(moments: list[datetime], mark: str) -> None:
    written = [f"{one.day}{mark}{one.month}{mark}{one.year} {one.hour}:{one:%M:%S}" for one in moments]
    times = read(written, day_first=True).times
    assert times is not None
    assert [times.starts[0], times.ends[0]] == micros(moments)


def test_day_first_without_a_time_and_with_fractions() -> None:
    times = read(["1.2.2024", "01.02.2024 00:00:00.25", "1.2.2024T0:01"], day_first=True).times
    assert times is not None
    assert times.ends[0] - times.starts[0] == 60 * 10**6


def test_offsets_are_converted_to_utc() -> None:
    corpus = read(["10/Oct/2000:13:55:36 -0700", "10/Oct/2000:20:00:00 +0000"], time_format="%d/%b/%Y:%H:%M:%S %z")
    assert list(corpus.sequences()) == [(1, 0)]


@pytest.mark.parametrize(("unit", "step"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
@pytest.mark.parametrize("kind", [int, float, str])
def test_a_unit_makes_durations_of_gaps(unit: Any, step: int, kind: Any) -> None:
    start = 1_600_000_000
    corpus = read([kind((start + second) * step) for second in (0, 60, 121)], time_unit=unit, max_gap="60s")
    assert list(corpus.sequences()) == [(0, 1), (2,)]
    assert corpus.times is not None
    assert corpus.times.ticks == step


@pytest.mark.parametrize(
    ("times", "options", "words"),
    [
        (["31.12.2024", "2024-12-31"], {"day_first": True}, ["row 2", "'2024-12-31'", "begins with the day"]),
        (["31.12.2024", "31.02.2024"], {"day_first": True}, ["row 2", "'31.02.2024'"]),
        (["31.12.2024", "12:00"], {"time_format": "%d.%m.%Y"}, ["row 2", "'12:00'", "time_format='%d.%m.%Y'"]),
        (["31.12.2024"], {}, ["row 1", "day_first", "time_format"]),
    ],
)
def test_errors_name_the_row(times: list[str], options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InputError) as error:
        read(times, **options)
    assert all(word in str(error.value) for word in words), error.value


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"time_unit": "days"}, ["time_unit", "'days'"]),
        ({"time_unit": "s"}, ["time_unit", "holds dates"]),
        ({"time_format": "ISO"}, ["time_format", "strptime"]),
        ({"time_format": "%Y", "day_first": True}, ["time_format", "day_first", "combined"]),
    ],
)
def test_wrong_options(options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ParameterError) as error:
        read(["2024-12-31"], **options)
    assert all(word in str(error.value) for word in words), error.value


def test_the_words_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "v.csv"
    file.write_text("e,t,n\nx,1230768000,a\nx,1230768060,b\nx,1240000000,b\n")
    columns = ["--entity", "e", "--time", "t", "--node", "n", "--max-gap", "30d"]
    assert main(["info", str(file), *columns]) == 2
    assert "state its unit, e.g. --time-unit s" in capsys.readouterr().err
    assert main(["info", str(file), *columns, "--time-unit", "s"]) == 0
    assert "1 cut at gaps in time" in capsys.readouterr().err
