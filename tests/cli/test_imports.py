"""Commands load only the packages that they need: importing the others takes longer than most commands do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LOADED = """
import sys
from honem.cli.main import main
assert main(sys.argv[2:]) == 0
print("loaded:", *sorted(set(sys.argv[1].split(",")) & sys.modules.keys()))
"""


def loaded(packages: str, *arguments: str) -> list[str]:
    """Run a command in a process of its own, and return which of the packages it has imported."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LOADED, packages, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1].split()[1:]


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("imports") / "paths.txt"
    file.write_text("a b c\nb c d\nd a b\n" * 20)
    return file


def test_neighbors_loads_no_solver_and_no_tables(paths: Path) -> None:
    model = str(paths.parent / "model")
    unneeded = "pyspark,torch,matplotlib,networkx,gensim,igraph,polars,duckdb"
    assert loaded(unneeded, "embed", str(paths), "-o", model, "--dim", "2") == []
    assert loaded("scipy,sklearn,pandas,numba," + unneeded, "neighbors", model, "a") == []
