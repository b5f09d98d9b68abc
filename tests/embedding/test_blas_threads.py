"""Rules, S and vectors have the same bits for any number of BLAS threads."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = """
import hashlib, warnings
import numpy as np
from honem import HONEM, Corpus
rng = np.random.default_rng(0)
corpus = Corpus.from_sequences((rng.zipf(1.3, size=(6000, 12)) % 700).tolist())
for preset in ("evidence", "weighted", "spatial", "spectral", "paper"):
    model = HONEM(16, preset=preset).fit(corpus)
    parts = (model.neighborhood_.matrix.data, model.proximity_.data, model.embedding_.source, model.embedding_.target)
    print(preset, *(hashlib.sha256(np.ascontiguousarray(part)).hexdigest() for part in parts))
"""


@pytest.fixture(scope="module")
def with_one_thread() -> str:
    return output_with_threads(1)


def output_with_threads(number: int) -> str:
    settings = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(number))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE], env={**os.environ, **settings}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("number", [2, 8])
def test_bits_do_not_depend_on_the_number_of_blas_threads(number: int, with_one_thread: str) -> None:
    assert output_with_threads(number) == with_one_thread
    assert len(with_one_thread.splitlines()) == 5
