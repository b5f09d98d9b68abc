"""The examples of the page "When one machine is not enough" print what it shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from honem import Corpus, extract_rules
from honem.io.store import load
from tests.docs.pages import DOCS, lay_out, run_examples
from tests.rules.engines.distributed.sessions import on_spark, require_spark, shared_session

PAGE = DOCS / "when-one-machine-is-not-enough.md"


@pytest.mark.slow
@on_spark
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_examples(tmp_path: Path) -> None:
    shared_session()
    assert run_examples(PAGE, lay_out(PAGE, tmp_path)) > 10


@on_spark
@pytest.mark.slow
def test_the_job_with_spark_submit(tmp_path: Path) -> None:
    require_spark()
    lay_out(PAGE, tmp_path)
    trips = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20
    pq.write_table(pa.table({"trip": trips}), tmp_path / "trips.parquet")
    submit = Path(sys.executable).parent / "spark-submit"
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [submit, "--master", "local[2]", "job.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rules = load(tmp_path / "vectors").rules
    assert rules is not None
    assert rules.n_rules == extract_rules(Corpus.from_sequences(trips)).n_rules
