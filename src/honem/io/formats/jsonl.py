"""Rules as JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.rule_rows import TRUTH, Facts, Row, between, each_rule, number_or
from honem.io.formats.text import write_lines
from honem.io.labels import label_json

if TYPE_CHECKING:
    from honem._internal.path_like import PathLike
    from honem.rules import RuleTable


def rules_to_jsonl(rules: RuleTable, path: PathLike) -> None:
    """Write one JSON object per line, as `RuleTable.records` returns them; nodes that are tuples become lists."""
    write_lines(path, jsonl_lines(rules))


def jsonl_lines(rules: RuleTable) -> Iterator[str]:
    """Yield the lines of `rules_to_jsonl`.

    The text of each label, and of what the rows of a rule share, is made once: this is more than twice as fast as
    building one dict per row.
    """
    labels = [label_json(label) for label in rules.vocabulary.labels]
    for nodes, facts, rows in each_rule(rules):
        yield from lines_of_rule(labels, nodes, facts, rows)


def rule_lines_in_order(rules: RuleTable, numbers: Iterable[int]) -> Iterator[str]:
    """Yield the lines of some rules, in the order given."""
    labels = [label_json(label) for label in rules.vocabulary.labels]
    for number in numbers:
        for nodes, facts, rows in each_rule(between(rules, number, number + 1)):
            yield from lines_of_rule(labels, nodes, facts, rows)


def lines_of_rule(labels: Sequence[str], nodes: Sequence[int], facts: Facts, rows: Iterable[Row]) -> Iterator[str]:
    """Yield one line per target of a rule."""
    support, divergence, threshold, evidence, q_value, accepted = facts
    head = f'{{"context": [{", ".join([labels[node] for node in nodes])}], "target": '
    order = f', "order": {len(nodes)}, "count": '
    tail = (
        f', "support": {support}, "divergence": {divergence!r}, "threshold": {threshold!r}, '
        f'"evidence": {number_or("null", evidence)}, "q_value": {number_or("null", q_value)}, '
        f'"accepted": {TRUTH[accepted]}}}\n'
    )
    for target, count, probability in rows:
        yield f'{head}{labels[target]}{order}{count}, "probability": {probability!r}{tail}'


register(OutputFormat("jsonl", "rules", ".jsonl", "scripts", rules_to_jsonl))
