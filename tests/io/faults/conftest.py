"""Processes to be killed, started in milliseconds."""

from __future__ import annotations

import multiprocessing
from multiprocessing.context import ForkServerContext

import pytest


@pytest.fixture(scope="session")
def processes() -> ForkServerContext:
    """Processes forked from one that has everything imported."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.io.faults.writing", "pandas", "pyarrow.parquet", "safetensors.numpy"])
    return context
