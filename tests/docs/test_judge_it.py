"""The commands of the page "Judge it" run as they are written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from honem.evaluation import TASKS
from honem.evaluation.datasets import REAL_DATA, city_trips, load_real
from honem.evaluation.reproduce.items import ITEMS

PAGE = (Path(__file__).parents[2] / "docs" / "judge-it.md").read_text(encoding="utf-8")
COMMANDS = [line[2:] for line in PAGE.splitlines() if line.startswith("$ honem")]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "HONEM_DATA"}
    told = command.replace("honem", f"{sys.executable} -m honem", 1)
    return subprocess.run(told, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_evaluate(tmp_path: Path) -> None:
    trips = ("\t".join(map(str, trip)).replace(" ", "_") for trip in city_trips(2000).corpus.sequences())
    (tmp_path / "paths.txt").write_text("\n".join(trips))
    done = run(COMMANDS[0], tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "results" / "summary.csv").exists()


def test_the_table_is_what_the_tasks_say() -> None:
    rows = []
    for command, task in TASKS.items():
        metrics = ", ".join(f"`{metric}`" for metric in task.main_metrics)
        direction = "higher" if task.higher_is_better else "lower"
        judges = ", ".join(task.judges)
        rows.append(f"| `{command}` | {task.summary} | {judges} | {metrics} ({direction} is better) |")
    assert [line for line in PAGE.splitlines() if line.startswith("| `")] == rows


def test_the_table_of_items_is_the_registry() -> None:
    rows = PAGE.partition("| item | what it shows |")[2].partition("\n\n")[0].splitlines()[2:]
    assert [row.split(" | ")[0].strip("| ") for row in rows] == list(ITEMS)


def test_the_table_of_data_sets_is_what_the_loaders_load(real_data: Path) -> None:
    rows = PAGE.partition("| name | paths | labels |")[2].partition("\n\n")[0].splitlines()[2:]
    listed = {name: labels for name, _, labels in (row.strip("| ").split(" | ") for row in rows)}
    assert listed.keys() == set(REAL_DATA)
    for name, labels in listed.items():
        data = load_real(name, real_data)
        marked = [f"{label} (counted)" if label in data.counted else label for label in data.labels]
        assert labels == (", ".join(marked) or "none")


@pytest.mark.slow
def test_reproduce(tmp_path: Path) -> None:
    done = run(COMMANDS[1], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "generated data" in done.stderr
    assert (tmp_path / "report" / "report.html").exists()
