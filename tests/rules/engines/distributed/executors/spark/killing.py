"""An extraction in which one task is killed in the middle: run as `python -m` with MASTER VICTIM FOLDER.

The first task that grows contexts writes down its process and waits; it is killed there, or the whole executor above it
is. What Spark then starts again finds the note and goes to its end. Printed is what was killed, and the later attempts.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from honem import ExtractionParams
from honem.evaluation.datasets import planted_paths
from honem.rules.engines import make_engine
from honem.rules.engines.distributed import SparkEngine, searching
from honem.rules.engines.distributed.growing import grow
from tests.comparing import assert_same_rules
from tests.rules.engines.distributed.sessions import SETTINGS, start_session

WAIT = 120


def grow_and_wait(folder: Path, grow: Any, packets: Any, task: Any) -> Iterator[Any]:
    """What a task does: the first one that comes so far stops for ever once it has all its windows."""
    from pyspark import TaskContext

    windows = list(packets)
    context = TaskContext.get()
    assert context is not None
    part, attempt = f"{context.stageId()}-{context.partitionId()}", context.taskAttemptId()
    note = json.dumps({"worker": os.getpid(), "daemon": os.getppid(), "part": part, "task": attempt})
    try:
        with (folder / "draft").open("x") as draft:
            draft.write(note)
        os.link(folder / "draft", folder / "victim")  # only when it is whole
        time.sleep(WAIT)
        raise AssertionError("nobody killed this task")
    except FileExistsError:
        (folder / f"{part}-{attempt}").touch()
    yield from grow(iter(windows), task)


def kill_when_noted(folder: Path, victim: str, killed: dict[str, Any]) -> None:
    """Wait for the note, and kill."""
    while not (folder / "victim").exists():
        time.sleep(0.02)
    killed |= json.loads((folder / "victim").read_text())
    process = killed["worker"] if victim == "worker" else parent_of(killed["daemon"])
    os.kill(process, signal.SIGKILL)


def parent_of(process: int) -> int:
    """Above Python's daemon stands the executor."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def main(master: str, victim: str, folder: Path) -> None:
    session = start_session(master, {**SETTINGS, "spark.executor.memory": "1g"})
    corpus = planted_paths(n_nodes=200, n_steps=100_000, length=21, contexts_per_order=20).corpus
    setattr(searching, "grow", lambda packets, task: grow_and_wait(folder, grow, packets, task))  # noqa: B010
    killed: dict[str, Any] = {}
    threading.Thread(target=kill_when_noted, args=(folder, victim, killed), daemon=True).start()
    found = SparkEngine(session, n_shards=4).extract_rules(corpus, ExtractionParams())
    assert_same_rules(found, make_engine("local").extract_rules(corpus, ExtractionParams()))
    again = [int(path.name.rpartition("-")[2]) for path in folder.glob(f"{killed['part']}-*")]
    print(json.dumps({**killed, "again": again, "rules": found.n_rules}))
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
