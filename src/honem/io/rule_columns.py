"""Rules in a table that gives them back exactly: a rule a row, nodes as numbers, and the options behind them."""

from __future__ import annotations

import json
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Vocabulary
from honem.errors import InputError
from honem.rules import ExtractionParams, RuleTable

if TYPE_CHECKING:
    import pyarrow as pa

PARAMS_KEY = b"honem.params"


def rule_columns(rules: RuleTable) -> pa.Table:
    """The columns context, targets and counts, which are lists, divergence and accepted."""
    import pyarrow as pa

    def lists(offsets: NDArray[Any], values: NDArray[Any]) -> pa.Array:
        return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(values))

    columns = {
        "context": lists(rules.context_offsets, rules.context_nodes),
        "targets": lists(rules.target_offsets, rules.targets),
        "counts": lists(rules.target_offsets, rules.counts),
        "divergence": rules.divergences,
        "accepted": rules.accepted,
    }
    return pa.table(columns).replace_schema_metadata({PARAMS_KEY: json.dumps(rules.params.to_dict(), default=plain)})


def rules_of(table: pa.Table, vocabulary: Vocabulary, where: str) -> RuleTable:
    """The rules of such a table."""
    try:
        params = ExtractionParams(**json.loads(table.schema.metadata[PARAMS_KEY]))
        columns = {name: table[name].combine_chunks() for name in table.column_names}
        context, targets, counts = columns["context"], columns["targets"], columns["counts"]
        rules = RuleTable(
            vocabulary=vocabulary,
            params=params,
            context_nodes=_own(context.values),
            context_offsets=_own(context.offsets),
            target_offsets=_own(targets.offsets),
            targets=_own(targets.values),
            counts=_own(counts.values),
            divergences=_own(columns["divergence"]),
            accepted=_own(columns["accepted"]),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{where} does not hold rules: {type(error).__name__} {error}") from None
    if not np.array_equal(rules.target_offsets, _own(counts.offsets)):
        raise InputError(f"{where}: a rule has more targets than counts, or fewer")
    for nodes in (rules.context_nodes, rules.targets):
        if len(nodes) and not 0 <= nodes.min() <= nodes.max() < len(vocabulary):
            raise InputError(f"{where}: a rule names a node that is not one of the {len(vocabulary)}")
    return rules


def _own(column: pa.Array) -> NDArray[Any]:
    """A column as an array like those of an engine: its own memory, writable."""
    return np.array(column.to_numpy(zero_copy_only=False))


def plain(value: Any) -> Any:
    """What JSON has no word for: NumPy's numbers and arrays as numbers and lists, anything else as text."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return float(value) if isinstance(value, Real) else str(value)
