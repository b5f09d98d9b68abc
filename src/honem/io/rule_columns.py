"""Rules as a table, without loss: one rule per row, nodes as numbers, and the parameters of the extraction."""

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
    """Return a table with the columns context, targets and counts, which are lists, divergence and accepted."""
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
    return pa.table(columns).replace_schema_metadata(
        {PARAMS_KEY: json.dumps(rules.params.to_dict(), default=json_value)}
    )


def rules_of(table: pa.Table, vocabulary: Vocabulary, where: str) -> RuleTable:
    """Return the rules of such a table; raise InputError if they are not about the nodes of a vocabulary."""
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
    """Return a column as a writable array with its own memory, like those of an engine."""
    return np.array(column.to_numpy(zero_copy_only=False))


def json_value(value: Any) -> Any:
    """Return a value that JSON can represent: NumPy's scalars and arrays as numbers and lists, others as strings."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return float(value) if isinstance(value, Real) else str(value)
