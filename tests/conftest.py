"""Shared fixtures: the engines, and the real data where it is at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("brief", max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HONEM_HYPOTHESIS", "quick"))

REAL_DATA = Path(os.environ.get("HONEM_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real path data; tests that need it are skipped where there is none."""
    if not REAL_DATA.is_dir():
        pytest.skip("no real data here: point HONEM_DATA to the folder")
    return REAL_DATA
