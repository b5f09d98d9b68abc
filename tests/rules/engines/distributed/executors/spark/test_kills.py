"""Tasks and executors that die are survived, and leave no trace in the rules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rules.engines.distributed.sessions import on_spark, require_spark

pytestmark = [on_spark, pytest.mark.slow]

ROOT = Path(__file__).parents[6]


@pytest.mark.parametrize(
    ("master", "victim"),
    [
        ("local[2,4]", "worker"),
        ("local-cluster[2,1,1024]", "worker"),
        ("local-cluster[2,1,1024]", "executor"),
    ],
)
def test_a_kill_in_the_middle_changes_nothing(tmp_path: Path, master: str, victim: str) -> None:
    require_spark()
    if not Path("/proc/self/stat").exists():
        pytest.skip("no /proc here: the executor above a worker is found there")
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "tests.rules.engines.distributed.executors.spark.killing",
        master,
        victim,
        str(tmp_path),
    ]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    facts = json.loads(done.stdout.splitlines()[-1])
    assert facts["rules"] > 200
    # The note was written by a task while it ran; its part of the stage was then done by a later one.
    assert facts["again"]
    assert min(facts["again"]) > facts["task"]
    assert not Path(f"/proc/{facts['worker']}").exists()
