"""Records as tables: mean and deviation over seeds, rows and columns to print."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from honem.evaluation.records import Record


@dataclass(frozen=True)
class Value:
    """The mean of a number over seeds, and its standard deviation if there are several."""

    mean: float
    deviation: float
    seeds: int
    shown_form: str = ""

    def __str__(self) -> str:
        number = f"{self.mean:.3f}" if abs(self.mean) < 100 else f"{self.mean:,.0f}"
        return number if self.seeds < 2 else f"{number} ± {self.deviation:.3f}"


@dataclass(frozen=True)
class ReportTable:
    """Rows and columns of strings with a title; what follows a line break in a cell is small print."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [self.columns, tuple("---" for _ in self.columns), *self.rows]
        return "\n".join("| " + " | ".join(_in_markdown(cell) for cell in line) + " |" for line in lines)


def _in_markdown(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")


def means_over_seeds(records: Iterable[Record]) -> dict[tuple[str, str, str, int, str, str], Value]:
    """Return mean and deviation by (dataset, task, method, dimension, score, metric)."""
    values: dict[tuple[str, str, str, int, str, str], list[float]] = defaultdict(list)
    for record in records:
        key = (record.dataset, record.task, record.method, record.dimension, record.score, record.metric)
        values[key].append(record.value)
    return {key: value_over_seeds(numbers) for key, numbers in values.items()}


def value_over_seeds(numbers: Sequence[float], form: str = "") -> Value:
    """Return the mean and the sample standard deviation of one number per seed."""
    return Value(fmean(numbers), stdev(numbers) if len(numbers) > 1 else math.nan, len(numbers), form)


def comparison(title: str, values: Mapping[tuple[str, str], Value], highest_is_best: bool = True) -> ReportTable:
    """Return a table of methods (rows) and data sets (columns) with the best number of each column in bold."""
    methods, datasets = list(dict.fromkeys(m for m, _ in values)), list(dict.fromkeys(d for _, d in values))
    pick = max if highest_is_best else min
    best = {d: pick(values[m, d].mean for m in methods if (m, d) in values) for d in datasets}
    rows = [
        (method, *(_cell(values.get((method, dataset)), best[dataset]) for dataset in datasets)) for method in methods
    ]
    return ReportTable(title, ("method", *datasets), tuple(rows))


def bold_if(is_best: bool, text: str) -> str:
    """Return a text, in bold if it is the best."""
    return f"**{text}**" if is_best else text


def _cell(value: Value | None, best: float) -> str:
    if value is None:
        return "-"
    number = bold_if(value.mean == best, str(value))
    return f"{number}\n({value.shown_form})" if value.shown_form else number
