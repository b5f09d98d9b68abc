"""honem snapshots, and the drift of the series it writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from honem import HONEM, Corpus, CorpusError, ParameterError
from honem.periods import split_by_period
from tests.cli.running import Run

TABLE = ("--entity", "who", "--time", "when", "--node", "where")
EMBED = ("--dim", 3, "--preset", "evidence")


@pytest.fixture
def calls(tmp_path: Path) -> str:
    """Visits of three months; in the third, who comes from a goes elsewhere. In the fourth, nobody moves."""
    rows, who = ["who,when,where"], 0
    for month, end in (("05", "c"), ("06", "c"), ("07", "f")):
        for path in [["a", "b", end]] * 30 + [["d", "b", "e"]] * 30:
            who += 1
            rows += [f"{who},2024-{month}-{day:02},{node}" for day, node in enumerate(path, start=1 + who % 20)]
    (tmp_path / "calls.csv").write_text("\n".join([*rows, "999,2024-08-01,a"]) + "\n")
    return "calls.csv"


def test_a_series_is_written_and_its_changes_are_found(run: Run, calls: str, tmp_path: Path) -> None:
    done = run("snapshots", calls, *TABLE, "--every", "month", "-o", "series", *EMBED)
    assert done.returncode == 0, done.stderr
    assert "left out 2024-08" in done.stderr
    assert sorted(place.name for place in tmp_path.glob("*/*")) == ["2024-05", "2024-06", "2024-07"]
    june = HONEM.load(tmp_path / "series" / "2024-06")
    expected = HONEM(3, preset="evidence").fit([["a", "b", "c"]] * 30 + [["d", "b", "e"]] * 30)
    assert june.rules_.counts.tolist() == expected.rules_.counts.tolist()
    assert june.embedding_.rotation is not None
    steps = json.loads(run("drift", "series", "--json").stdout)["series"]
    assert [(step["from"], step["to"]) for step in steps] == [("2024-05", "2024-06"), ("2024-06", "2024-07")]
    assert steps[0]["rules"] == []
    assert ["a", "b"] in [rule["context"] for rule in steps[1]["rules"]]
    assert "2024-06 to 2024-07: " in run("drift", "series").stdout
    assert run("snapshots", calls, *TABLE, "-o", "series", *EMBED).returncode == 2
    assert run("drift", "series/2024-05").returncode == 2
    assert run("drift", ".").returncode == 2


def test_nothing_is_left_after_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "calls.csv").write_text(
        "who,when,where\n1,2024-05-01,a\n1,2024-05-02,b\n2,2024-06-01,x\n2,2024-06-02,y\n"
    )
    done = run("snapshots", "calls.csv", *TABLE, "-o", "series", *EMBED)
    assert done.returncode == 2
    assert "no node in common" in done.stderr
    assert [place.name for place in tmp_path.iterdir()] == ["calls.csv"]


def test_periods_begin_with_the_calendar() -> None:
    days = np.array(["2023-12-31T23:59", "2024-01-01T00:00", "2024-01-31", "1969-12-31"], "datetime64[ms]")
    corpus = Corpus.from_sequences([["a", "b"], ["c", "a"], ["b", "c"], ["z", "a"]]).with_times(days)
    found = {name: list(part.sequences()) for name, part in split_by_period(corpus, "month")}
    assert found == {
        "1969-12": [("z", "a")],
        "2023-12": [("a", "b")],
        "2024-01": [("c", "a"), ("b", "c")],
    }
    assert [name for name, _ in split_by_period(corpus, "year")] == ["1969", "2023", "2024"]
    with pytest.raises(CorpusError, match="dates of the sequences are not known"):
        list(split_by_period(Corpus.from_sequences([["a", "b"]]).with_times([3]), "day"))
    with pytest.raises(ParameterError, match="every"):
        list(split_by_period(corpus, "moon"))  # type: ignore[arg-type]
