"""Records to tables: mean and deviation over seeds, the better of a method's forms, rows and columns to print."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from honem.evaluation.records import Record


@dataclass(frozen=True)
class Value:
    """The mean of a number over seeds, and its deviation where there are several."""

    mean: float
    deviation: float
    seeds: int
    shown_form: str = ""

    def __str__(self) -> str:
        number = f"{self.mean:.3f}" if abs(self.mean) < 100 else f"{self.mean:,.0f}"
        return number if self.seeds < 2 else f"{number} ± {self.deviation:.3f}"


@dataclass(frozen=True)
class Table:
    """Rows and columns of strings, with what stands above them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def to_markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.columns, tuple("---" for _ in self.columns), *self.rows]
        return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def over_seeds(records: Iterable[Record]) -> dict[tuple[str, str, str, int, str, str], Value]:
    """Mean and deviation by (dataset, task, method, dimension, score, metric)."""
    values: dict[tuple[str, str, str, int, str, str], list[float]] = defaultdict(list)
    for record in records:
        key = (record.dataset, record.task, record.method, record.dimension, record.score, record.metric)
        values[key].append(record.value)
    return {key: _value(numbers) for key, numbers in values.items()}


def _value(numbers: Sequence[float], form: str = "") -> Value:
    return Value(fmean(numbers), stdev(numbers) if len(numbers) > 1 else math.nan, len(numbers), form)


def best_forms(
    records: Iterable[Record], task: str, metric: str, dimension: int | None = None
) -> dict[tuple[str, str], Value]:
    """By (method, dataset) the best mean of a metric over the method's forms: its options, and its scores.

    `deepwalk` and `deepwalk:directed=False` are two forms of one method; which one is shown, `shown_form` says.
    """
    best: dict[tuple[str, str], Value] = {}
    for (dataset, found_task, method, found_dimension, score, found_metric), value in over_seeds(records).items():
        if (found_task, found_metric) != (task, metric) or dimension not in (None, found_dimension):
            continue
        base, _, options = method.partition(":")
        form = ", ".join(filter(None, (options, score)))
        if (base, dataset) not in best or value.mean > best[base, dataset].mean:
            best[base, dataset] = Value(value.mean, value.deviation, value.seeds, form)
    return best


def comparison(title: str, values: dict[tuple[str, str], Value], highest_is_best: bool = True) -> Table:
    """Methods down, data sets across, the best of each column in bold."""
    methods, datasets = list(dict.fromkeys(m for m, _ in values)), list(dict.fromkeys(d for _, d in values))
    pick = max if highest_is_best else min
    best = {d: pick(values[m, d].mean for m in methods if (m, d) in values) for d in datasets}
    rows = []
    for method in methods:
        cells = []
        for dataset in datasets:
            value = values.get((method, dataset))
            text = "-" if value is None else f"{value} ({value.shown_form})" if value.shown_form else str(value)
            cells.append(f"**{text}**" if value is not None and value.mean == best[dataset] else text)
        rows.append((method, *cells))
    return Table(title, ("method", *datasets), tuple(rows))
