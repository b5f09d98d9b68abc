"""honem update: files, stdin in batches, and what is left when the process is killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from honem import HONEM
from tests.cli.running import Run
from tests.comparing import assert_same_matrix

FIRST = "a b c\n" * 6 + "d b e\n" * 6
LINES = [f"{start} b {end}\n" for start, end in (("a", "c"), ("d", "e"), ("x", "c"), ("e", "a"), ("c", "d"))] * 40
EMBED = ("--dim", 2, "--preset", "evidence", "--no-next-step")


@pytest.fixture
def model(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "first.txt").write_text(FIRST)
    assert run("embed", "first.txt", "-o", "model", *EMBED).returncode == 0
    return tmp_path / "model"


def paths_of_model(folder: Path) -> list[str]:
    paths = HONEM.load(folder)._paths
    assert paths is not None
    return [" ".join(map(str, sequence)) + "\n" for sequence in paths.sequences()]


def test_an_updated_store_is_that_of_all_paths(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("".join(LINES))
    (tmp_path / "all.txt").write_text(FIRST + "".join(LINES))
    done = run("update", "model", "more.txt", "-o", "other", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["movement"]["n_nodes"] == 5
    assert json.loads(done.stdout)["sequences"] == 12 + len(LINES)
    assert paths_of_model(model) == FIRST.splitlines(keepends=True)
    assert run("embed", "all.txt", "-o", "expected", *EMBED).returncode == 0
    found, expected = HONEM.load(tmp_path / "other"), HONEM.load(tmp_path / "expected")
    assert found.rules_.counts.tobytes() == expected.rules_.counts.tobytes()
    assert_same_matrix(found.proximity_, expected.proximity_)
    assert run("update", "model", "more.txt", "-o", "other").returncode == 2
    assert run("update", "model", "more.txt").returncode == 0
    assert len(paths_of_model(model)) == 12 + len(LINES)


def test_stdin_is_read_in_batches(run: Run, model: Path) -> None:
    done = run("update", "model", "-", "--batch", 90, stdin="".join(LINES))
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if "added" in line] == [
        "model: added 90 sequences; 102 now",
        "model: added 90 sequences; 192 now",
        "model: added 20 sequences; 212 now",
    ]
    assert paths_of_model(model) == [*FIRST.splitlines(keepends=True), *LINES]


def test_a_bad_batch_leaves_those_before_it(run: Run, model: Path) -> None:
    done = run("update", "model", "-", "--batch", 2, "--weighted", stdin="a b 3\nb c 1\na b x\n")
    assert done.returncode == 2
    assert "stdin, batch 2" in done.stderr
    assert len(paths_of_model(model)) == 14


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--entity", "who", "--node", "where", "--format", "csv"), "needs the whole input"),
        (("--batch", 0), "at least 1"),
    ],
)
def test_bad_options(run: Run, model: Path, options: tuple[object, ...], message: str) -> None:
    done = run("update", "model", "-", *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_store_without_paths_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "first.txt").write_text(FIRST)
    assert run("embed", "first.txt", "-o", "model", *EMBED, "--no-update").returncode == 0
    done = run("update", "model", "first.txt")
    assert done.returncode == 2
    assert "does not hold the paths" in done.stderr


def killed_after(model: Path, n_batches: int, pause: float, size: int) -> int:
    """Start an update from stdin, and kill it some time after so many batches; return how many it had reported."""
    command = [sys.executable, "-m", "honem", "update", str(model), "-", "--batch", str(size)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write("".join(LINES).encode())
        process.stdin.flush()
        n_reported = 0
        while n_reported < n_batches:
            n_reported += b"added" in process.stderr.readline()
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)
        n_reported += process.stderr.read().count(b"added")
        process.stdin.close()
    return n_reported


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize("pause", [0.0, 0.011, *(pytest.param(n / 250, marks=pytest.mark.slow) for n in range(1, 25))])
def test_committed_batches_survive_kill_9(model: Path, pause: float) -> None:
    size = 5
    n_reported = killed_after(model, 2, pause, size)
    found = paths_of_model(model)[12:]
    assert found == LINES[: len(found)]
    assert len(found) % size == 0
    # A batch may be saved, but not reported yet.
    assert n_reported * size <= len(found) <= (n_reported + 1) * size
    expected = HONEM(2, preset="evidence").fit([line.split() for line in FIRST.splitlines() + LINES[: len(found)]])
    assert HONEM.load(model).rules_.counts.tobytes() == expected.rules_.counts.tobytes()


def test_the_window_of_the_command(run: Run, tmp_path: Path) -> None:
    rows = ["who,when,where", *(f"{day},2024-05-{day:02}T0{hour}:00,{node}" for day in range(1, 21)
                                for hour, node in enumerate((f"n{day % 4}", "hub", f"n{day % 3}")))]  # fmt: skip
    (tmp_path / "first.csv").write_text("\n".join(rows[:31]) + "\n")
    (tmp_path / "more.csv").write_text("\n".join([rows[0], *rows[31:]]) + "\n")
    table = ("--entity", "who", "--time", "when", "--node", "where")
    assert run("embed", "first.csv", *table, "-o", "model", "--dim", 2, "--preset", "evidence").returncode == 0
    done = run("update", "model", "more.csv", *table, "--window", "7d")
    assert done.returncode == 0, done.stderr
    assert "added 10 sequences; 8 now" in done.stderr
    assert run("update", "model", "more.csv", *table, "--window", "7 moons").returncode == 2
    assert run("embed", "first.csv", *table, "-o", "other", "--half-life", "7 moons").returncode == 2
    plain = run("update", "model", "first.csv", *table, "--half-life", "3d", "--json")
    assert plain.returncode == 0, plain.stderr
    assert json.loads(plain.stdout)["sequences"] < 8
    found = HONEM.load(tmp_path / "model")
    assert (found.half_life, found.window) == ("3d", "7d")
    assert found._known_paths().n_sequences == 8
