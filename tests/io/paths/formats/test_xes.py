"""Event logs: XES files, CSV with the columns of XES, and logs of pm4py; hostile XML is refused."""

from __future__ import annotations

import gzip
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import honem
from honem import InputError, ParameterError
from honem.cli import main

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=5)
LOGS = st.dictionaries(NAMES, st.lists(NAMES, min_size=1, max_size=5), min_size=1, max_size=5)


def written(key: str, value: str, kind: str = "string") -> str:
    return f"<{kind} key={quoteattr(key)} value={quoteattr(value)}/>"


def event(activity: str, minute: int) -> str:
    time = f"2024-01-01T09:{minute:02}:00.000+01:00"
    return f"<event>{written('concept:name', activity)}{written('time:timestamp', time, 'date')}</event>"


def xes(log: dict[str, list[str]]) -> str:
    traces = (
        f"<trace>{written('concept:name', case)}{''.join(event(name, at) for at, name in enumerate(names))}</trace>"
        for case, names in log.items()
    )
    return f'<?xml version="1.0" encoding="UTF-8"?><log>{written("concept:name", "all")}{"".join(traces)}</log>'


@given(LOGS)
def test_a_written_log_comes_back(tmp_path_factory: pytest.TempPathFactory, log: dict[str, list[str]]) -> None:
    path = tmp_path_factory.mktemp("xes") / "log.xes"
    path.write_text(xes(log), encoding="utf-8")
    assert list(honem.read_paths(path).sequences()) == [tuple(names) for names in log.values()]


def test_events_are_sorted_by_time_and_cut_at_gaps(tmp_path: Path) -> None:
    path = tmp_path / "log.xes.gz"
    log = f"<log><trace>{event('c', 50)}{event('b', 1)}{event('a', 0)}{written('concept:name', '1')}</trace></log>"
    path.write_bytes(gzip.compress(log.encode()))
    assert list(honem.read_paths(path).sequences()) == [("a", "b", "c")]
    assert list(honem.read_paths(path, max_gap="10min").sequences()) == [("a", "b"), ("c",)]


def test_only_attributes_of_the_event_itself_count(tmp_path: Path) -> None:
    path = tmp_path / "log.xes"
    inner = '<string key="x" value="y"><string key="concept:name" value="inner"/></string>'
    path.write_text(
        f'<xes:log xmlns:xes="x"><global scope="event">{written("concept:name", "UNKNOWN")}</global>'
        f"<trace>{written('concept:name', '1')}{event('a', 0).replace('</event>', inner + '</event>')}</trace>"
        "</xes:log>"
    )
    assert list(honem.read_paths(path).sequences()) == [("a",)]
    assert list(honem.read_paths(path, node="x").sequences()) == [("y",)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('<!DOCTYPE log [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><log>&b;</log>', "line 1: document type declarations"),
        ('<!DOCTYPE log SYSTEM "file:///etc/passwd"><log/>', "document type declarations"),
        ("<html></html>", "the outermost element is <html>, not <log>"),
        ("<log><trace>\n</log>", "line 2: not XES .mismatched tag"),
        ("<log><trace>", "not XES .no element found"),
        ("a b c\n", "not XES .syntax error"),
        ("<log></log>", "without a sequence"),
        (
            xes({"1": ["a"]}).replace("time:timestamp", "when"),
            "no attribute 'time:timestamp'; .*'when'",
        ),
        (xes({"1": ["a"]}).replace("2024-01-01T09", "soon"), "row 1: time:timestamp is 'soon"),
        (
            f"<log>{event('a', 0)}<trace>{written('concept:name', '1')}{event('b', 1)}</trace></log>",
            "row 1.*case:",
        ),
    ],
)
def test_what_is_not_a_log_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "log.xes").write_text(content)
    with pytest.raises(InputError, match=message):
        honem.read_paths(tmp_path / "log.xes")


def test_a_tag_that_never_ends_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "log.xes").write_text(f'<log x="{"a" * 2**22}')
    with pytest.raises(InputError, match="line 1: a tag is longer than max_line_bytes = 1000 bytes"):
        honem.read_paths(tmp_path / "log.xes", max_line_bytes=1000)


def test_csv_with_the_columns_of_xes(tmp_path: Path) -> None:
    text = "concept:name;case:concept:name;time:timestamp\nb;1;2024-01-02T00:00+00:00\na;1;2024-01-01T00:00+01:00\n"
    (tmp_path / "log.csv").write_text(text)
    corpus = honem.read_paths(tmp_path / "log.csv", format="event-log", delimiter=";")
    assert list(corpus.sequences()) == [("a", "b")]
    assert main(["info", str(tmp_path / "log.csv"), "--format", "event-log", "--delimiter", ";"]) == 0
    with pytest.raises(ParameterError, match="delimiter must be one ASCII character"):
        honem.read_paths(tmp_path / "log.csv", format="event-log", delimiter=";;")


def test_from_pm4py_takes_tables_and_options() -> None:
    log = pa.table(
        {"case:concept:name": ["1", "1"], "time:timestamp": [2, 1], "concept:name": ["b", "a"], "who": ["x", "y"]}
    )
    assert list(honem.from_pm4py(log).sequences()) == [("a", "b")]
    assert list(honem.from_pm4py(log, node="who").sequences()) == [("y", "x")]
    with pytest.raises(InputError, match="no column 'concept:name'"):
        honem.from_pm4py(log.drop_columns(["concept:name"]))


def test_parity_with_pm4py(tmp_path: Path) -> None:
    pm4py = pytest.importorskip("pm4py")
    path = tmp_path / "log.xes"
    path.write_text(xes({"1": ["a", "b", "c"], "2": ["a", "c"], "3": ["b"]}))
    frame = pm4py.read_xes(str(path))
    variants = pm4py.get_variants(frame)
    mine = honem.read_paths(path)
    for corpus in (mine, honem.from_pm4py(frame), honem.from_pm4py(pm4py.convert_to_event_log(frame))):
        assert sorted(corpus.sequences()) == sorted(mine.sequences()) == sorted(variants)
    pm4py.write_xes(frame, str(tmp_path / "again.xes"))
    assert list(honem.read_paths(tmp_path / "again.xes").sequences()) == list(mine.sequences())
