"""Access logs: visitors, pages with and without query strings, sessions; and logs that are read as words."""

from __future__ import annotations

from pathlib import Path

import pytest

import honem
from honem import InputError
from honem.cli import main

COMBINED = '{host} - {user} [{time}] "GET {target} HTTP/1.1" 200 512 "https://a.example/?q=\\"x\\"" "{agent}"\n'


def line(target: str, time: str, host: str = "10.0.0.1", user: str = "-", agent: str = "Fox 1") -> str:
    return COMBINED.format(target=target, time=time, host=host, user=user, agent=agent)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "access.log"
    path.write_text(
        line("/shop?item=2", "31/Dec/2024:23:59:00 +0000")
        + line("/", "01/Jan/2025:00:58:00 +0100")
        + line("/help#top", "01/Jan/2025:00:01:00 +0000", agent="Other 2")
        + line("/cart?x=1", "01/Jan/2025:09:00:00 +0000", user="ann b")
    )
    return path


def test_visitors_pages_and_sessions(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read = honem.read_paths(log, format="access-log")
    assert list(read.sequences()) == [("/", "/shop", "/cart"), ("/help",)]
    cut = honem.read_paths(log, format="access-log", max_gap="30min")
    assert list(cut.sequences()) == [("/", "/shop"), ("/cart",), ("/help",)]
    kept = honem.read_paths(log, format="access-log", node="target", entity="host")
    assert list(kept.sequences()) == [("/", "/shop?item=2", "/help#top", "/cart?x=1")]
    assert main(["info", str(log), "--format", "access-log", "--max-gap", "30min"]) == 0


def test_common_logs_have_no_agent_so_the_visitor_is_the_host(tmp_path: Path) -> None:
    text = '10.0.0.1 - - [01/Jan/2025:00:00:00 +0000] "GET /a HTTP/1.0" 200 -\n'
    (tmp_path / "x").write_text(text + text.replace("/a", "/b"))
    assert list(honem.read_paths(tmp_path / "x", format="access-log").sequences()) == [("/a", "/b")]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("a b c\n", "line 2 is not a line of an access log"),
        (line("/", "01/Jan/2025:00:00:00 +0000").replace("GET / HTTP/1.1", "-"), "row 2.*page"),
    ],
)
def test_other_lines_are_errors_or_skipped(tmp_path: Path, bad: str, message: str) -> None:
    (tmp_path / "x").write_text(line("/a", "01/Jan/2025:00:00:00 +0000") + bad)
    with pytest.raises(InputError, match=message):
        honem.read_paths(tmp_path / "x", format="access-log")
    corpus, report = honem.read_paths_with_report(tmp_path / "x", format="access-log", missing="skip")
    assert list(corpus.sequences()) == [("/a",)]
    assert report.rows_skipped == 1


def test_a_day_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(line("/a", "31/Feb/2025:00:00:00 +0000"))
    with pytest.raises(InputError, match="line 1 is not a line of an access log"):
        honem.read_paths(tmp_path / "x", format="access-log")


def test_an_access_log_read_as_words_is_questioned(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=r"looks like an access log.*format='access-log'.*format='text'"):
        honem.read_paths(log)
    assert main(["info", str(log)]) == 2
    assert "--format access-log" in capsys.readouterr().err
    assert honem.read_paths(log, delimiter=" ", empty="skip").n_sequences == 4


def test_a_virtual_host_in_front_is_not_the_visitor(tmp_path: Path) -> None:
    rest = '- - [10/Oct/2024:13:55:36 +0000] "GET /shop HTTP/2.0" 200 5 "-" "Browser"\n'
    hosts = ["www.example.com:443 192.0.2.7", "2001:db8::1", "fe80::1%eth0", "www.example.com:80 2001:db8::1"]
    (tmp_path / "access.log").write_text("".join(f"{host} {rest}" for host in hosts))
    corpus = honem.read_paths(tmp_path / "access.log", format="access-log", node="host", entity="agent")
    assert list(corpus.sequences()) == [("192.0.2.7", "2001:db8::1", "fe80::1%eth0", "2001:db8::1")]
