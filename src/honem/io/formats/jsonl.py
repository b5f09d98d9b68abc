"""Rules as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.rule_rows import TRUTH, each_rule, number_or
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
    for nodes, (support, divergence, threshold, evidence, q_value, accepted), rows in each_rule(rules):
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
