"""Spark against the local engine on one machine: time, memory, what is sent, and how each grows.

    python benchmarks/spark.py              # 1 and 10 million steps, some minutes
    python benchmarks/spark.py --large      # 100 million steps as well
    python benchmarks/spark.py --quick      # smaller everything, to see that it runs
    python benchmarks/spark.py --criterion divergence

Data: `planted_paths`, as in extract.py, in a Parquet file of integer ids. Both engines begin with the file and end with
the rule table; each run is a process of its own, with warm kernels. Memory is the highest sum of the resident sizes of
the process and all its children, of which Spark has many; shared pages count once for each. Spark runs on `local[N]`,
N the number of cores, with its own settings but for the memory of its JVM; the start of the session is told apart.
Sent: bytes written to shuffles, as Spark counts them. Work: the time of all tasks together.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

from honem import ExtractionParams
from honem._internal.threads import available_cores

MILLION = 1_000_000
CORES = available_cores()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--driver-memory", default="4g", help="of Spark's JVM (default 4g)")
    parser.add_argument("--criterion", default="significance", help="significance or divergence (default significance)")
    parser.add_argument("--measure", nargs=2, metavar=("ENGINE", "FILE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        engine, file = args.measure
        measure = measure_local if engine == "local" else measure_spark
        facts = measure(file, ExtractionParams(criterion=args.criterion))
        print(json.dumps(facts))
        return
    sizes = [MILLION // 10] if args.quick else [MILLION, 10 * MILLION, *([100 * MILLION] if args.large else [])]
    command = " ".join(["python", "benchmarks/spark.py", *sys.argv[1:]])
    print(f"`{command}`, Python {platform.python_version()}, {CORES} cores\n")
    print(
        "| steps | engine | seconds | of it read | peak memory | sent, bytes a step | work, s a million steps | rules |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for steps in sizes:
            file = write_paths(Path(folder), steps)
            for engine in ("local", "spark"):
                facts = measured_apart(engine, file, args.criterion, args.driver_memory)
                print(shown(steps, engine, facts), flush=True)
            file.unlink()


def write_paths(folder: Path, steps: int) -> Path:
    """Paths with planted dependencies in a Parquet file, in a process of its own that takes its memory with it."""
    file = folder / f"{steps}.parquet"
    code = (
        "import sys, pyarrow as pa, pyarrow.parquet as pq\n"
        "from honem.evaluation.datasets import planted_paths\n"
        "corpus = planted_paths(n_steps=int(sys.argv[1])).corpus\n"
        "labels = pa.array([int(label) for label in corpus.vocabulary.labels], pa.int32())\n"
        "paths = pa.LargeListArray.from_arrays(pa.array(corpus.offsets), labels.take(pa.array(corpus.tokens)))\n"
        "pq.write_table(pa.table({'path': paths}), sys.argv[2], row_group_size=max(10_000, corpus.n_sequences // 32))\n"
    )
    subprocess.run([sys.executable, "-c", code, str(steps), str(file)], check=True)
    return file


def measured_apart(engine: str, file: Path, criterion: str, driver_memory: str) -> dict[str, Any]:
    """One engine on one file: what it says of itself, and the memory it was seen to take."""
    environment = os.environ | {"PYSPARK_SUBMIT_ARGS": f"--driver-memory {driver_memory} pyspark-shell"}
    command = [sys.executable, __file__, "--criterion", criterion, "--measure", engine, str(file)]
    # A file, not a pipe: what Spark leaves behind for a moment would keep a pipe open.
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.DEVNULL)
        peak = PeakMemory(process.pid)
        failed = process.wait()
        memory = peak.stop()
        output.seek(0)
        if failed:
            raise SystemExit(f"{engine} failed on {file.name}")
        facts: dict[str, Any] = json.loads(output.read().splitlines()[-1])
    return facts | {"memory": memory}


class PeakMemory:
    """Watches a process and all that came of it."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak, self.done = pid, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self) -> None:
        while not self.done.wait(0.2):
            self.peak = max(self.peak, sum(resident(pid) for pid in descendants(self.pid)))

    def stop(self) -> int:
        self.done.set()
        self.thread.join()
        return self.peak


def descendants(pid: int) -> set[int]:
    """A process and all its children and theirs."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parents[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue  # it has ended meanwhile
    found, more = {pid}, {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - found
        found |= more
    return found


def resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def measure_local(file: str, params: ExtractionParams) -> dict[str, Any]:
    from honem import read_paths
    from honem.evaluation.datasets import planted_paths
    from honem.rules.engines import make_engine

    engine = make_engine("local")
    engine.extract_rules(planted_paths(100, 10_000).corpus, params)  # compiles, or loads, the kernels
    started = time.perf_counter()
    corpus = read_paths(file, field="path")
    read = time.perf_counter()
    rules = engine.extract_rules(corpus, params)
    return {"seconds": time.perf_counter() - started, "read": read - started, "rules": rules.n_rules}


def measure_spark(file: str, params: ExtractionParams) -> dict[str, Any]:
    from honem import Corpus
    from honem.rules.engines.distributed import SparkCorpus, SparkEngine, find_session

    began = time.perf_counter()
    session = find_session(f"local[{CORES}]")
    engine = SparkEngine(session)
    start = time.perf_counter() - began
    engine.extract_rules(Corpus.from_sequences([["a", "b", "c"], ["b", "c"]]), params)  # starts workers, loads kernels
    before = totals(session)
    started = time.perf_counter()
    with SparkCorpus.read(file, session) as corpus:
        read = time.perf_counter()
        rules = engine.extract_rules(corpus, params)
        seconds = time.perf_counter() - started
    spent = {name: value - before[name] for name, value in totals(session).items()}
    return {"seconds": seconds, "read": read - started, "rules": rules.n_rules, "start": start, **spent}


def totals(session: Any) -> dict[str, float]:
    """Bytes sent and seconds of all tasks so far, as Spark's own page tells them."""
    context = session.sparkContext
    time.sleep(1)  # the page is a little behind
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages?status=complete"
    with urllib.request.urlopen(address) as answer:
        stages = json.load(answer)
    return {
        "sent": sum(stage["shuffleWriteBytes"] for stage in stages),
        "work": sum(stage["executorRunTime"] for stage in stages) / 1000,
    }


def shown(steps: int, engine: str, facts: dict[str, Any]) -> str:
    name = engine if engine == "local" else f"Spark local[{CORES}] (started in {facts['start']:.0f} s)"
    sent = f"{facts['sent'] / steps:.1f}" if "sent" in facts else "-"
    work = f"{facts['work'] / steps * MILLION:.2f}" if "work" in facts else "-"
    return (
        f"| {steps:,} | {name} | {facts['seconds']:.1f} | {facts['read']:.1f} | {facts['memory'] / 2**30:.2f} GiB "
        f"| {sent} | {work} | {facts['rules']:,} |"
    )


if __name__ == "__main__":
    main()
