"""Engines are known by name before any of them is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from honem import ParameterError
from honem.rules.engines import ENGINES, make_engine
from honem.rules.engines.distributed import executors


def test_every_executor_is_an_engine() -> None:
    folder = Path(executors.__file__).parent
    modules = {path.stem for path in folder.iterdir() if not path.name.startswith("_")} - {"base"}
    assert modules == {"in_process", "spark"}
    assert list(ENGINES)[:4] == ["local", "reference", "in-process", "spark"]


def test_names_are_listed_without_importing_engines() -> None:
    code = "import sys; from honem.rules.engines import ENGINES; assert 'spark' in ENGINES; "
    code += "sys.exit(any(name in sys.modules for name in ('numba', 'pyspark', 'honem.rules.engines.distributed')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(("engine", "n_jobs"), [("in-process", 2), ("reference", 2), ("spark", 2), ("local", 0)])
def test_threads_that_an_engine_cannot_use_are_refused(engine: str, n_jobs: int) -> None:
    with pytest.raises(ParameterError, match="n_jobs"):
        make_engine(engine, n_jobs)
