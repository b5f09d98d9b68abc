"""Hostile event logs, access logs and written times: bounded time and memory, and one line that says what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from honem.errors import CorpusError, InputError, ParameterError
from honem.io.paths import read_paths
from honem.io.paths.frames import from_events
from honem.periods import split_by_period
from tests.faults.inputs import ACCESS_LOG, XES
from tests.faults.running import run, run_process

EVENT = '<event><string key="concept:name" value="a"/><date key="time:timestamp" value="2024-01-01"/></event>'
ENTITY = '<!DOCTYPE log [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><log>&b;</log>'
EXTERNAL = '<!DOCTYPE log SYSTEM "file:///etc/passwd"><log/>'
TABLE = {"e": ["x", "x"], "n": ["a", "b"]}
COLUMNS: dict[str, Any] = {"entity": "e", "node": "n", "time": "t"}


def log_of(*events: str, case: str = "1") -> str:
    """A log of one case."""
    return f'<log><trace><string key="concept:name" value="{case}"/>{"".join(events)}</trace></log>'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (ENTITY, "DOCTYPE"),
        (EXTERNAL, "DOCTYPE"),
        ("<log>&other;</log>", "undefined entity"),
        (log_of(EVENT.replace('"a"', '"&#0;"')), "invalid character number"),
        ("<html/>", "not <log>"),
        ("<log>", "no element found"),
        (log_of(EVENT) * 2, "junk after document element"),
        ("<a>" * 10**5, "not <log>"),
    ],
)
def test_what_is_no_xes(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "p.xes").write_text(content)
    with pytest.raises(InputError, match=words):
        read_paths(tmp_path / "p.xes")


@pytest.mark.parametrize(
    "encoding", ["unheard-of", "utf-7", "rot13", "idna", "hex", "shift_jis", "undefined", "x" * 500]
)
def test_encodings_that_xes_files_name(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "p.xes").write_bytes(XES.replace(b"UTF-8", encoding.encode()))
    with pytest.raises(InputError, match="its encoding cannot be read") as caught:
        read_paths(tmp_path / "p.xes")
    assert len(str(caught.value)) < 400
    (tmp_path / "p.xes").write_bytes(XES.decode().replace("UTF-8", "UTF-16").encode("utf-16"))
    assert read_paths(tmp_path / "p.xes").n_sequences == 9


def test_a_long_name_of_a_case_is_kept_once(tmp_path: Path) -> None:
    # A copy of the name for each event would be 5 GB.
    (tmp_path / "p.xes").write_text(log_of(EVENT * 5000, case="z" * 10**6))
    limited = ("sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh")
    done = run_process("rules", str(tmp_path / "p.xes"), "--threads", "1", prefix=limited).check()
    assert "1 sequence, 5,000 tokens" in done.stderr
    assert not done.is_refusal


def test_events_inside_many_other_elements(tmp_path: Path) -> None:
    depth = 50_000
    (tmp_path / "p.xes").write_text(f"<log>{'<a>' * depth}{EVENT * depth}{'</a>' * depth}</log>")
    with pytest.raises(InputError, match="no attribute 'case:concept:name'"):
        read_paths(tmp_path / "p.xes")


def test_tags_and_contents_of_xes_are_limited(tmp_path: Path) -> None:
    (tmp_path / "p.xes").write_text(log_of(EVENT.replace('"a"', f'"{"a" * 5_000_000}"')))
    with pytest.raises(InputError, match="a tag is longer than max_line_bytes = 1000"):
        read_paths(tmp_path / "p.xes", max_line_bytes=1000)
    with pytest.raises(InputError, match="max_bytes = 1000000"):
        read_paths(tmp_path / "p.xes", max_bytes=10**6)


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"10/Oct", b"31/Feb"), (b"Oct", b"Foo"), (b":13:", b":25:"), (b"-0700", b"-9999"), (b"GET /page", b"- ")],
)
def test_lines_of_access_logs_that_are_none(old: bytes, new: bytes, tmp_path: Path) -> None:
    (tmp_path / "p.log").write_bytes(ACCESS_LOG.replace(old, new, 1))
    with pytest.raises(InputError, match=r"line 1 is not a line of an access log|row 1 has no value"):
        read_paths(tmp_path / "p.log", format="access-log")
    assert len(read_paths(tmp_path / "p.log", format="access-log", missing="skip").tokens) == 29


@pytest.mark.parametrize("format", ["", "%", "%Q", "%s", "%d%d", "%Y" * 200, "x", "%Y\0", "%Y\ud800", 5, b"%Y"])
def test_formats_of_times_are_checked_before_files_are_read(format: Any) -> None:
    with pytest.raises(ParameterError, match="time_format must be a format"):
        read_paths("no such file.csv", time_format=format, **COLUMNS)


@pytest.mark.parametrize(
    "time", ["0001-01-01 00 +1400", "9999-12-31 23 -1400", "2024-02-31 00 +0000", "9" * 5000, "٢٠٢٤"]
)
def test_times_that_do_not_exist(time: str) -> None:
    with pytest.raises(InputError, match=r"row 1: t is .* not a time of"):
        from_events({**TABLE, "t": [time, time]}, time_format="%Y-%m-%d %H %z", **COLUMNS)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("time", [-(2**63), 2**63 - 1, 1e300, -1e300, 1e18])
def test_periods_of_times_that_are_no_dates(time: float, unit: Any) -> None:
    corpus = from_events({**TABLE, "t": [time, time]}, time_unit=unit, **COLUMNS)
    try:
        ((name, part),) = split_by_period(corpus, "month")
    except CorpusError as error:
        assert "is the unit of the times right" in str(error)  # noqa: PT017
    else:
        assert (name, part.n_sequences) in {("2001-09", 1), ("2262-04", 1), ("33658-09", 1)}


def test_snapshots_of_hostile_times_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("e,t,n\nx,1e300,a\nx,1e300,b\ny,5,a\ny,6,b\n")
    command = ("snapshots", tmp_path / "p.csv", "--entity", "e", "--node", "n", "--time", "t", "--time-unit", "s")
    assert run(*command, "-o", tmp_path / "series").is_refusal
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv"]
