"""Rules as n-grams, as pathpy reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from honem._internal.validation import require_whole
from honem.io.formats.names import CONTROLS, escaper, names_of
from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.rule_rows import each_rule
from honem.io.formats.text import write_lines

if TYPE_CHECKING:
    from honem._internal.path_like import PathLike
    from honem.rules import RuleTable


def rules_to_ngrams(rules: RuleTable, path: PathLike, *, order: int | None = None) -> None:
    """Write each context with its target and count, `a,b,c,12`; `order` restricts the file to rules of one order.

    Commas and control characters in names are escaped (see `honem.io.formats.names`).
    """
    if order is not None:
        require_whole("order", order, least=1)
        rules = rules.by_order(order)
    write_lines(path, _ngram_lines(rules))


def _ngram_lines(rules: RuleTable) -> Iterator[str]:
    escape = escaper("," + CONTROLS)
    names = [escape(name) for name in names_of(rules.vocabulary.labels)]
    for nodes, _, rows in each_rule(rules):
        context = ",".join([names[node] for node in nodes])
        for target, count, _ in rows:
            yield f"{context},{names[target]},{count}\n"


register(OutputFormat("ngram", "rules", ".ngram", "pathpy", rules_to_ngrams, options=("order",)))
