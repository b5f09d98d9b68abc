"""Reading text: tokens a second against `str.split` and a dict, and the memory it takes.

    python benchmarks/read.py            # 10 million tokens, about a minute
    python benchmarks/read.py --large    # 100 million tokens as well, with peak memory; about two minutes more
    python benchmarks/read.py --quick    # a tenth of everything, to see that it runs

Data: lines of 10 nodes, names such as `n4711`, drawn so that few are common and most are rare. The comparison reads the
same lines into the same three things: a list of names, tokens as 32-bit integers, the length of each line. Each is the
best of three, in one process; memory is measured in a process of its own, as its highest resident size less the one
after the imports.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import subprocess
import sys
import tempfile
import time
from array import array
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from honem.io.paths import read_paths

LINE = 10
BLOCK = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--measure", metavar="FILE", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        measure(args.measure)
        return
    millions = 1 if args.quick else 10
    print(f"`{' '.join(['python', 'benchmarks/read.py', *sys.argv[1:]])}`, Python {platform.python_version()}\n")
    with tempfile.TemporaryDirectory() as folder:
        against_split_and_dict(Path(folder), millions)
        if args.large:
            peak_memory(Path(folder), [millions, 10 * millions])


def against_split_and_dict(folder: Path, millions: int) -> None:
    """Speed, plain and gzip, with few and with many names."""
    print("| file | distinct nodes | `str.split` + dict, tokens/s | read_paths, tokens/s | times as fast |")
    print("|---|---|---|---|---|")
    for nodes in (5_000, 100_000):
        plain = write_paths(folder / f"{nodes}.txt", millions, nodes)
        zipped = folder / f"{nodes}.txt.gz"
        zipped.write_bytes(gzip.compress(plain.read_bytes(), 6))
        for path in (plain, zipped):
            ours, theirs = best_of(read_paths, path), best_of(split_and_dict, path)
            rates = [f"{millions / seconds:.1f} million" for seconds in (theirs, ours)]
            print(
                f"| {millions} million tokens, {path.suffix} | {nodes:,} | {' | '.join(rates)} | {theirs / ours:.1f} |"
            )
        zipped.unlink()
    print()


def peak_memory(folder: Path, sizes: list[int]) -> None:
    """Memory in a process of its own: tokens and offsets, names, one chunk."""
    print("| tokens | file | seconds | tokens/s | the corpus itself | highest memory | above the corpus |")
    print("|---|---|---|---|---|---|---|")
    for millions in sizes:
        path = write_paths(folder / "large.txt", millions, 100_000)
        facts = json.loads(subprocess.check_output([sys.executable, __file__, "--measure", str(path)]))
        corpus, peak = facts["corpus"] / 1e6, facts["peak"] / 1e6
        print(
            f"| {millions} million | {path.stat().st_size / 1e6:.0f} MB | {facts['seconds']:.1f} | "
            f"{millions / facts['seconds']:.1f} million | {corpus:.0f} MB | {peak:.0f} MB | {peak - corpus:.0f} MB |"
        )


def measure(path: str) -> None:
    """Read once and print what it took."""
    import pyarrow.compute  # noqa: F401  # imported by the reader; here so that it counts as the start

    before = resident("VmRSS")
    start = time.perf_counter()
    corpus = read_paths(path)
    seconds = time.perf_counter() - start
    peak = resident("VmHWM") - before
    arrays = corpus.tokens.nbytes + corpus.offsets.nbytes + corpus.weights.nbytes
    print(json.dumps({"seconds": seconds, "peak": peak, "corpus": arrays}))


def resident(which: str) -> int:
    """Bytes in memory now (VmRSS) or at most so far (VmHWM); Linux only."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{which}:"))


def split_and_dict(path: Path) -> Any:
    """The loop that anyone would write."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    tokens, lengths = array("i"), array("q")
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for line in file:
            nodes = line.split()
            tokens.extend(map(numbers.__getitem__, nodes))
            lengths.append(len(nodes))
    return list(numbers), np.asarray(tokens), np.asarray(lengths)


def best_of(read: Callable[[Path], Any], path: Path, times: int = 3) -> float:
    """The shortest of several times, in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        read(path)
        taken.append(time.perf_counter() - start)
    return min(taken)


def write_paths(path: Path, millions: int, nodes: int) -> Path:
    """Lines of names; the square makes some of them common and most of them rare."""
    random = np.random.default_rng(0)
    names = [f"n{number}" for number in range(nodes)]
    with path.open("w") as file:
        for _ in range(millions):
            drawn = (nodes * random.random((BLOCK // LINE, LINE)) ** 2).astype(int)
            file.writelines(" ".join(names[node] for node in line) + "\n" for line in drawn.tolist())
    return path


if __name__ == "__main__":
    main()
