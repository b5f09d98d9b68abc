"""Results on stdout, messages on stderr, and the facts that commands report."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honem._internal.words import CONTROLS
from honem.cli.streams import can_show, show
from honem.errors import OutputError
from honem.node_names import NamedNode, name_alone

if TYPE_CHECKING:
    from honem.corpus import Corpus
    from honem.rules import RuleTable
    from honem.rules.engines.distributed import SparkCorpus

NAME_WIDTH = 22


def print_json(facts: Mapping[str, Any]) -> None:
    """Print a result for scripts.

    Control characters, and what stdout cannot represent, are escaped. JSON has no infinity and no NaN: they are null.
    Nodes that have names are given by both: `node` and `name`, `context` and `context_names`.
    """
    known = _without_odd_numbers(_with_names(facts))
    text = json.dumps(known, indent=2, ensure_ascii=False)
    if can_show(text):
        print(CONTROLS.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text))
    else:
        print(json.dumps(known, indent=2))


def _with_names(value: Any) -> Any:
    """Return JSON values with the labels of named nodes instead, and their names under a key beside."""
    if isinstance(value, Mapping):
        known: dict[Any, Any] = {}
        for key, inner in value.items():
            known[key] = _with_names(inner)
            if _is_named(inner):
                known[_key_of_names(key)] = _each(inner, name_alone)
        return known
    if isinstance(value, list | tuple):
        return [_with_names(inner) for inner in value]
    return value.node if isinstance(value, NamedNode) else value


def _is_named(value: Any) -> bool:
    """Return whether a value is a named node, or a list of them or of lists of them."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(_is_named, value))
    return isinstance(value, NamedNode)


def _each(value: Any, change: Callable[[NamedNode], str]) -> Any:
    return [_each(inner, change) for inner in value] if isinstance(value, list | tuple) else change(value)


def _key_of_names(key: str) -> str:
    return {"node": "name", "nodes": "names"}.get(key, f"{key}_names")


def _without_odd_numbers(value: Any) -> Any:
    """Return JSON values with None for numbers that are not finite."""
    if isinstance(value, Mapping):
        return {name: _without_odd_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_odd_numbers(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_facts(facts: Mapping[str, object]) -> None:
    """Print one line per fact, with the values aligned."""
    show("\n".join(f"{name:{NAME_WIDTH}}{value}" for name, value in facts.items()))


@contextmanager
def errors_about(flag: str) -> Iterator[None]:
    """Put the flag of an output option before errors about its value."""
    try:
        yield
    except OutputError as error:
        raise OutputError(f"{flag} {error}") from None


def check_output_folder(path: str) -> None:
    """Raise OutputError unless a folder can be created, or files be written to it if it exists."""
    place = Path(path).absolute()
    existing = next(folder for folder in (place, *place.parents) if folder.exists())
    if not existing.is_dir():
        raise OutputError(f"{path} cannot be written: {existing} is not a folder; choose another name")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise OutputError(f"{path} cannot be written: the folder {existing} is read-only; choose another place")


def corpus_facts(corpus: Corpus | SparkCorpus) -> dict[str, Any]:
    """Return the sizes of a corpus."""
    return {
        "sequences": corpus.n_sequences,
        "steps": corpus.n_steps,
        "weighted_steps": corpus.n_weighted_steps,
        "nodes": corpus.n_nodes,
    }


def rule_facts(table: RuleTable) -> dict[str, Any]:
    """Return the number of rules by order."""
    accepted = table.select(table.accepted)
    return {
        "max_order": table.max_order,
        "rules": table.n_rules,
        "rules_by_order": table.rules_by_order,
        "accepted_by_order": accepted.rules_by_order,
        "tested_contexts": table.tests.n_tested,
    }


def shown_orders(table: RuleTable) -> str:
    """Return the number of rules by order as text."""
    return ", ".join(f"{order}: {amount:,}" for order, amount in table.rules_by_order.items()) or "none"
