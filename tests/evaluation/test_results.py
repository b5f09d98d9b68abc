"""Results of an evaluation, read back from its folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from honem import InputError
from honem.evaluation.results import read_results


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds neither results\.csv nor cells\.jsonl"):
        read_results(tmp_path)


def test_results_are_read_from_either_file(tmp_path: Path) -> None:
    header = "dataset,task,method,dimension,seed,score,metric,value"
    (tmp_path / "results.csv").write_text(f"{header}\nd,t,m,8,0,s,map,0.5\nd,t,m,8,1,s,map,0.7\n", encoding="utf-8")
    ((*key, mean, deviation, seeds),) = read_results(tmp_path)
    assert (key, mean, seeds) == (["d", "t", "m", 8, "s", "map"], pytest.approx(0.6), 2)
    assert deviation == pytest.approx(np.std([0.5, 0.7], ddof=1))
    (tmp_path / "results.csv").unlink()
    (tmp_path / "cells.jsonl").write_text('{"records": [["d", "t", "m", 8, 0, "s", "map", 0.5]]}\n', encoding="utf-8")
    assert read_results(tmp_path) == [["d", "t", "m", 8, "s", "map", 0.5, None, 1]]


def test_a_cell_that_was_computed_again_replaces_the_old_one(tmp_path: Path) -> None:
    lines = [json.dumps({"records": [["d", "t", "m", 8, 0, "s", "map", value]]}) for value in (0.5, 0.9)]
    (tmp_path / "cells.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert read_results(tmp_path) == [["d", "t", "m", 8, "s", "map", 0.9, None, 1]]
