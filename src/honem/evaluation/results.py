"""The results of `honem evaluate` and `honem reproduce`, for the tables and curves of the page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from honem.errors import InputError
from honem.evaluation.records import Record
from honem.evaluation.reproduce.runs import FINISHED
from honem.evaluation.reproduce.tables import means_over_seeds
from honem.io.tables import Table


def read_results(folder: str | Path) -> list[list[Any]]:
    """Read the results in a folder of `honem evaluate` or `honem reproduce`.

    Parameters
    ----------
    folder : str or Path
        The folder; its file `results.csv` is read, or `cells.jsonl` if there is none.

    Returns
    -------
    list
        Rows of data set, task, method, dimension, score, metric, mean, deviation (or None) and number of seeds.

    Raises
    ------
    InputError
        If the folder has no results, or they cannot be read.
    """
    # A cell whose code or parameters changed is computed again and written after the old one, which it replaces.
    latest = {record[:-1]: record for record in _records(Path(folder))}
    return [
        [*key, value.mean, None if math.isnan(value.deviation) else value.deviation, value.seeds]
        for key, value in means_over_seeds(latest.values()).items()
        if math.isfinite(value.mean)
    ]


def _records(folder: Path) -> Iterator[Record]:
    table, cells = folder / "results.csv", folder / FINISHED
    if not (table.is_file() or cells.is_file()):
        raise InputError(
            f"{folder} holds neither {table.name} nor {FINISHED}; `honem evaluate -o {folder}` writes both"
        )
    try:
        if table.is_file():
            rows = [list(row.values()) for row in Table.read(table).columns.to_pylist()]
        else:
            lines = cells.read_text(encoding="utf-8").splitlines()
            rows = [record for line in lines for record in json.loads(line)["records"]]
        for dataset, task, method, dimension, seed, score, metric, value in rows:
            yield Record(dataset, task, method, int(dimension), int(seed), score, metric, float(value))
    except InputError:
        raise
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{table if table.is_file() else cells} is not a table of results: {error}") from None
