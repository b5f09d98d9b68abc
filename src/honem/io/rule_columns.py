"""Rules as a table, without loss: one rule per row, nodes as numbers, and the parameters of the extraction."""

from __future__ import annotations

import json
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem.corpus import MAX_COUNT, Vocabulary
from honem.errors import InputError, ParameterError
from honem.rules import ExtractionParams, RuleTable
from honem.rules.criteria import NO_TESTS, Tests

if TYPE_CHECKING:
    import pyarrow as pa

PARAMS_KEY = b"honem.params"
TESTS_KEY = b"honem.tests"
PARAMS_OF_0_1_0 = {"criterion": "divergence"}


def rule_columns(rules: RuleTable) -> pa.Table:
    """Return a table with one row per rule; the columns context, targets and counts are lists."""
    import pyarrow as pa

    def lists(offsets: NDArray[Any], values: NDArray[Any]) -> pa.Array:
        return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(values))

    columns = {
        "context": lists(rules.context_offsets, rules.context_nodes),
        "targets": lists(rules.target_offsets, rules.targets),
        "counts": lists(rules.target_offsets, rules.counts),
        "divergence": rules.divergences,
        "evidence": rules.evidence,
        "q_value": rules.q_values,
        "accepted": rules.accepted,
    }
    if rules.own_scores is not None:
        columns["score"] = rules.own_scores
    return pa.table(columns).replace_schema_metadata(
        {
            PARAMS_KEY: json.dumps(rules.params.to_dict(), default=json_value),
            TESTS_KEY: json.dumps(rules.tests._asdict()),
        }
    )


def rules_of(table: pa.Table, vocabulary: Vocabulary, where: str) -> RuleTable:
    """Return the rules of such a table; raise InputError if it has other columns, or parameters that are not known."""
    import pyarrow as pa

    try:
        params = ExtractionParams(**PARAMS_OF_0_1_0 | json.loads(table.schema.metadata[PARAMS_KEY]))
        tests = _tests_of(table.schema.metadata.get(TESTS_KEY))
        columns = {name: _whole(name, table[name]) for name in table.column_names if name in _column_types()}
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
            evidence=_own_or_unknown(columns, "evidence"),
            q_values=_own_or_unknown(columns, "q_value"),
            accepted=_own(columns["accepted"]),
            tests=tests,
            own_scores=_own(columns["score"]) if "score" in columns else None,
        )
    except ParameterError as error:
        raise InputError(f"{where} holds rules that were extracted in a way that is not known here: {error}") from None
    except (pa.ArrowException, AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{where} does not hold rules: {type(error).__name__} {error}") from None
    if not np.array_equal(rules.target_offsets, _own(counts.offsets)):
        raise InputError(f"{where}: a rule has more targets than counts, or fewer")
    return rules


def _column_types() -> dict[str, pa.DataType]:
    """Return the type of each column."""
    import pyarrow as pa

    lists = {"context": pa.int32(), "targets": pa.int32(), "counts": pa.int64()}
    numbers = ("divergence", "evidence", "q_value", "score")
    return {
        **{name: pa.large_list(kind) for name, kind in lists.items()},
        **dict.fromkeys(numbers, pa.float64()),
        "accepted": pa.bool_(),
    }


def _whole(name: str, column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece and of its type; raise ValueError if a value is missing."""
    whole = column.cast(_column_types()[name]).combine_chunks()
    if whole.null_count or (name in ("context", "targets", "counts") and whole.values.null_count):
        raise ValueError(f"a value of {name} is missing")
    return whole


def _tests_of(stored: bytes | None) -> Tests:
    """Return the number of tests; none in stores of version 0.1.0."""
    tests = NO_TESTS if stored is None else Tests(**json.loads(stored))
    if not all(type(number) is int and 0 <= number <= MAX_COUNT for number in tests):
        raise ValueError(f"{tests} are not numbers of tests")
    return tests


def _own(column: pa.Array) -> NDArray[Any]:
    """Return a column as a writable array with its own memory, like those of an engine."""
    return np.array(column.to_numpy(zero_copy_only=False))


def _own_or_unknown(columns: dict[str, pa.Array], name: str) -> NDArray[Any]:
    """Return a column of numbers; NaN if there is none, as in stores of version 0.1.0."""
    return _own(columns[name]) if name in columns else np.full(len(columns["accepted"]), np.nan)


def json_value(value: Any) -> Any:
    """Return a value that JSON can represent: NumPy's scalars and arrays as numbers and lists, others as strings."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return float(value) if isinstance(value, Real) else str(value)
