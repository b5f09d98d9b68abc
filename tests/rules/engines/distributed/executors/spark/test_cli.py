"""`honem ... --engine spark`, as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from honem.cli import main
from honem.evaluation.datasets import planted_paths
from honem.io.store import load
from tests.comparing import rules_as_dict
from tests.rules.engines.distributed.sessions import MASTER, on_spark, require_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = on_spark

ON_SPARK = ["--engine", "spark", "--master", MASTER]


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The paper's example, five times over, alone in a folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "paths.txt"
    file.write_text("A C D E A C D B C E\n" * 5)
    return file


def run_apart(*arguments: object) -> subprocess.CompletedProcess[str]:
    """`honem` in a process of its own, which starts its own session."""
    require_spark()
    command = [sys.executable, "-m", "honem", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def rows_of(lines: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Rules as written, by context and target."""
    rows = [json.loads(line) for line in lines.splitlines()]
    return {(*row.pop("context"), row.pop("target")): row for row in rows}


def assert_same_store(found: Path, expected: Path) -> None:
    """The same rules, and the same scores of all pairs, by label."""
    one, other = load(found), load(expected)
    assert one.rules is not None
    assert other.rules is not None
    assert rules_as_dict(one.rules) == rules_as_dict(other.rules)
    scores = []
    for embedding in (one.embedding, other.embedding):
        order = [embedding.vocabulary.id(label) for label in sorted(embedding.vocabulary, key=str)]
        assert embedding.target is not None
        scores.append((embedding.source @ embedding.target.T)[np.ix_(order, order)])
    np.testing.assert_allclose(scores[0], scores[1], rtol=0, atol=1e-8)


def test_the_store_is_that_of_the_local_engine(
    spark: SparkSession, paths: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["embed", str(paths), "--dim", "3", "-o", "here"]) == 0
    assert main(["embed", str(paths), "--dim", "3", "-o", "there", *ON_SPARK]) == 0
    assert "5 sequences, 5 nodes" in capsys.readouterr().err
    assert_same_store(Path("there"), Path("here"))
    manifest = json.loads(Path("there/manifest.json").read_text())
    assert manifest["parameters"]["engine"] == "spark"


@pytest.mark.slow
def test_rules_are_those_of_the_local_engine(
    spark: SparkSession, paths: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = []
    for engine in ([], ON_SPARK):
        assert main(["rules", str(paths), "--max-order", "3", *engine]) == 0
        written.append(rows_of(capsys.readouterr().out))
    here, there = written
    assert there.keys() == here.keys()
    for key, row in there.items():
        assert row == pytest.approx(here[key])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--engine", "spark", "--header", "1"],
            "--header does not apply to --engine spark, which supports --format",
        ),
        (["--engine", "spark", "--collapse-repeats"], "clean the paths before, or with Spark itself"),
        (["--master", "local[2]"], "--master local[2] applies only to --engine spark"),
        ([*ON_SPARK, "--threads", "2"], "--threads 2 does not apply to --engine spark"),
        ([*ON_SPARK, "--estimate"], "--estimate measures the local engine; leave out --engine spark"),
        (["--engine", "spark", "--master", "local[3]"], "'local[2]' is running in this process, not on 'local[3]'"),
        ([*ON_SPARK, "--delimiter", "E"], "missing (null)"),
    ],
)
def test_what_is_not_for_spark_is_refused_in_a_line(
    spark: SparkSession, paths: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert main(["embed", str(paths), "-o", "out", *options]) == 2
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("honem: error: ")
    assert words in last
    assert os.listdir() == [paths.name]


def test_a_missing_file_is_told_in_a_line(spark: SparkSession, paths: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command, output in (("embed", "out"), ("rules", "out.csv")):
        assert main([command, "nowhere.txt", "-o", output, *ON_SPARK]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("honem: error: nowhere.txt: [PATH_NOT_FOUND]")
        assert os.listdir() == [paths.name]


@pytest.mark.slow
def test_a_process_of_its_own_starts_a_session_and_ends_with_it(paths: Path) -> None:
    done = run_apart("embed", paths, "--dim", 3, "-o", "there", *ON_SPARK)
    assert done.returncode == 0, done.stderr
    assert main(["embed", str(paths), "--dim", "3", "-o", "here"]) == 0
    assert_same_store(Path("there"), Path("here"))
    missing = run_apart("rules", "nowhere.txt", "-o", "out.csv", *ON_SPARK)
    assert missing.returncode == 2
    assert missing.stderr.splitlines()[-1].startswith("honem: error: nowhere.txt: ")
    assert "Traceback" not in missing.stderr
    unknown = run_apart("rules", paths, "-o", "out.csv", "--engine", "spark", "--master", "nonsense")
    assert unknown.returncode == 2
    assert "Spark did not start on nonsense" in unknown.stderr.splitlines()[-1]
    assert sorted(os.listdir()) == ["here", "paths.txt", "there"]


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_behind(paths: Path) -> None:
    require_spark()
    corpus = planted_paths(n_nodes=500, n_steps=500_000).corpus
    paths.write_text("".join(" ".join(map(str, path)) + "\n" for path in corpus.sequences()))
    options = ["--criterion", "divergence", "--tau", "0.1"]
    command = [sys.executable, "-m", "honem", "embed", str(paths), "-o", "out", *options, *ON_SPARK]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stderr is not None
        # Told when all is read, with the long part still to come.
        said = next(line for line in process.stderr if "sequences" in line)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(60) == 130, said + rest
    assert "honem: interrupted" in rest.splitlines()  # Spark complains of it too
    assert os.listdir() == [paths.name]
