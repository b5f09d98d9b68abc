"""Rules as JSON lines, CSV, Parquet and n-grams: one row a (context, target)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

from honem._internal.validation import require_whole
from honem.io.atomic import PathLike, check_file_place
from honem.io.formats.names import CONTROLS, csv_cell, csv_cells, escaper, names_of
from honem.io.formats.text import STDOUT, format_of, output, write_lines
from honem.io.labels import label_json
from honem.rules import RuleTable

COLUMNS = ("context", "target", "order", "count", "probability", "support", "divergence", "threshold", "accepted")
ROWS_AT_ONCE = 1 << 16
TRUTH = {True: "true", False: "false"}

Facts: TypeAlias = tuple[int, float, float, bool]
"""Support, divergence, threshold, and whether it was accepted."""
Row: TypeAlias = tuple[int, int, float]
"""Target, count, probability."""


def write_rules(rules: RuleTable, path: PathLike) -> None:
    """Write rules in the format that the ending says; `-` is JSON lines on stdout."""
    _writer_for(path)(rules, path)


def check_rules_path(path: PathLike) -> None:
    """Refuse, before any work is done, a path that `write_rules` could not write."""
    _writer_for(path)
    if os.fspath(path) != STDOUT:
        check_file_place(path)


def _writer_for(path: PathLike) -> Callable[[RuleTable, PathLike], None]:
    return to_jsonl if os.fspath(path) == STDOUT else format_of(path, FORMATS)


def to_jsonl(rules: RuleTable, path: PathLike) -> None:
    """One JSON object a line, as `RuleTable.records` gives them; tuples that are nodes become lists."""
    write_lines(path, jsonl_lines(rules))


def jsonl_lines(rules: RuleTable) -> Iterator[str]:
    """The lines of `to_jsonl`.

    The text of a label, and what a rule's rows share, is made once: this is more than twice as fast as a dict a row.
    """
    labels = [label_json(label) for label in rules.vocabulary.labels]
    for nodes, (support, divergence, threshold, accepted), rows in _each(rules):
        head = f'{{"context": [{", ".join([labels[node] for node in nodes])}], "target": '
        order = f', "order": {len(nodes)}, "count": '
        tail = (
            f', "support": {support}, "divergence": {divergence!r}, "threshold": {threshold!r}, '
            f'"accepted": {TRUTH[accepted]}}}\n'
        )
        for target, count, probability in rows:
            yield f'{head}{labels[target]}{order}{count}, "probability": {probability!r}{tail}'


def to_csv(rules: RuleTable, path: PathLike, *, spreadsheet_safe: bool = False) -> None:
    """A header and a row a (context, target); the context is a JSON list, oldest first."""
    write_lines(path, csv_lines(rules, spreadsheet_safe))


def csv_lines(rules: RuleTable, spreadsheet_safe: bool = False) -> Iterator[str]:
    """The lines of `to_csv`."""
    labels = [label_json(label) for label in rules.vocabulary.labels]
    targets = csv_cells(names_of(rules.vocabulary.labels), spreadsheet_safe)
    yield ",".join(COLUMNS) + "\n"
    for nodes, (support, divergence, threshold, accepted), rows in _each(rules):
        context = csv_cell(f"[{', '.join([labels[node] for node in nodes])}]")
        tail = f"{support},{divergence!r},{threshold!r},{TRUTH[accepted]}\n"
        for target, count, probability in rows:
            yield f"{context},{targets[target]},{len(nodes)},{count},{probability!r},{tail}"


def to_parquet(rules: RuleTable, path: PathLike) -> None:
    """The table of `RuleTable.to_arrow`, made and written some rules at a time."""
    import pyarrow.parquet as pq

    with output(path) as file:
        parts = _parts(rules)
        first = next(parts).to_arrow()
        with pq.ParquetWriter(file, first.schema, compression="zstd") as writer:
            writer.write_table(first)
            for part in parts:
                writer.write_table(part.to_arrow())


def to_ngrams(rules: RuleTable, path: PathLike, *, order: int | None = None) -> None:
    """Each context with its target and its count, as pathpy reads them: `a,b,c,12`; of one order or of all.

    A name with a comma or a control character is escaped (see `honem.io.formats.names`).
    """
    if order is not None:
        require_whole("order", order, least=1)
        rules = rules.by_order(order)
    write_lines(path, _ngram_lines(rules))


def _ngram_lines(rules: RuleTable) -> Iterator[str]:
    escape = escaper("," + CONTROLS)
    names = [escape(name) for name in names_of(rules.vocabulary.labels)]
    for nodes, _, rows in _each(rules):
        context = ",".join([names[node] for node in nodes])
        for target, count, _ in rows:
            yield f"{context},{names[target]},{count}\n"


def _each(rules: RuleTable) -> Iterator[tuple[list[int], Facts, Iterable[Row]]]:
    """The nodes, the facts and the rows of each rule; Python's lists of them are made a part at a time."""
    for part in _parts(rules):
        nodes, columns = part.context_nodes.tolist(), (part.targets, part.counts, part.probabilities)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        facts = (part.supports, part.divergences, part.thresholds, part.accepted)
        each_fact = zip(*(fact.tolist() for fact in facts), strict=True)
        offsets = zip(pairwise(part.context_offsets.tolist()), pairwise(part.target_offsets.tolist()), strict=True)
        for ((first, last), (start, stop)), fact in zip(offsets, each_fact, strict=True):
            yield nodes[first:last], fact, rows[start:stop]


def _parts(rules: RuleTable) -> Iterator[RuleTable]:
    """The table cut into tables of about `ROWS_AT_ONCE` rows; at least one, if an empty one."""
    start = 0
    while start < rules.n_rules or start == 0:
        last_row = rules.target_offsets[start] + ROWS_AT_ONCE
        stop = max(start + 1, int(rules.target_offsets.searchsorted(last_row, side="right")) - 1)
        yield _between(rules, start, min(stop, rules.n_rules))
        start = stop


def _between(rules: RuleTable, start: int, stop: int) -> RuleTable:
    """The rules start, ..., stop - 1, without copying their columns."""
    nodes = slice(rules.context_offsets[start], rules.context_offsets[stop])
    rows = slice(rules.target_offsets[start], rules.target_offsets[stop])
    return RuleTable(
        vocabulary=rules.vocabulary,
        params=rules.params,
        context_nodes=rules.context_nodes[nodes],
        context_offsets=rules.context_offsets[start : stop + 1] - rules.context_offsets[start],
        target_offsets=rules.target_offsets[start : stop + 1] - rules.target_offsets[start],
        targets=rules.targets[rows],
        counts=rules.counts[rows],
        divergences=rules.divergences[start:stop],
        accepted=rules.accepted[start:stop],
    )


FORMATS: dict[str, Callable[[RuleTable, PathLike], None]] = {
    ".jsonl": to_jsonl,
    ".csv": to_csv,
    ".parquet": to_parquet,
    ".ngram": to_ngrams,
}
