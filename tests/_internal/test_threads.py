"""n_jobs becomes a number of threads."""

from __future__ import annotations

import os

import pytest

from honem import ParameterError
from honem._internal.threads import available_cores, count_threads


def test_the_default_is_all_cores_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5}, raising=False)
    assert (available_cores(), count_threads(None), count_threads(-1)) == (3, 3, 3)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1


def test_a_number_of_threads_is_taken_as_it_is() -> None:
    assert [count_threads(n_jobs) for n_jobs in (1, 64)] == [1, 64]


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, True, "all"])
def test_anything_else_is_refused(n_jobs: object) -> None:
    with pytest.raises(ParameterError, match="n_jobs must be"):
        count_threads(n_jobs)  # type: ignore[arg-type]
