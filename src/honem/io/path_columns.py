"""The paths of a model as a table, one sequence per row, so that a stored model can be updated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honem.corpus import Corpus, Vocabulary
from honem.errors import CorpusError, InputError
from honem.sequence_times import TICKS, SequenceTimes

if TYPE_CHECKING:
    import pyarrow as pa

TICKS_KEY, ENTITIES_KEY = b"ticks", b"min_entities"


def path_columns(corpus: Corpus) -> pa.Table:
    """Return the node numbers and the weight of each sequence, and its times if the corpus has them."""
    import pyarrow as pa

    columns = {"path": pa.LargeListArray.from_arrays(corpus.offsets, corpus.tokens), "weight": corpus.weights}
    if corpus.times is not None:
        columns |= {"start": corpus.times.starts, "end": corpus.times.ends}
    known = {TICKS_KEY: None if corpus.times is None else corpus.times.ticks, ENTITIES_KEY: corpus.min_entities}
    metadata = {key: str(value) for key, value in known.items() if value is not None}
    return pa.table(columns).replace_schema_metadata(metadata)


def paths_of(table: pa.Table, vocabulary: Vocabulary, shown: str) -> Corpus:
    """Return the corpus that `path_columns` described; raise InputError if the table holds something else."""
    try:
        paths = table.column("path").combine_chunks()
        if any(column.null_count for column in (*table.columns, paths.values)):
            raise ValueError("a value is missing")
        return Corpus(
            vocabulary,
            paths.flatten().to_numpy().copy(),
            np.concatenate(([0], np.cumsum(paths.value_lengths().to_numpy()))).astype(np.int64),
            table.column("weight").to_numpy().copy(),
            _times_of(table),
            min_entities=_min_entities_of(table),
        )
    except (AttributeError, KeyError, TypeError, ValueError, CorpusError) as error:
        raise InputError(f"{shown} does not hold the paths of {len(vocabulary)} nodes: {error}") from None


def _min_entities_of(table: pa.Table) -> int | None:
    least = (table.schema.metadata or {}).get(ENTITIES_KEY)
    return None if least is None else int(least)


def _times_of(table: pa.Table) -> SequenceTimes | None:
    if "start" not in table.column_names:
        return None
    ticks = (table.schema.metadata or {}).get(TICKS_KEY)
    if ticks is not None and int(ticks) not in TICKS.values():
        raise ValueError(f"{ticks!r} is no unit of time")
    starts, ends = (table.column(name).to_numpy().copy() for name in ("start", "end"))
    kinds = {starts.dtype, ends.dtype}
    if kinds not in ({np.dtype(np.int64)}, {np.dtype(np.float64)}) or not np.isfinite([starts, ends]).all():
        raise ValueError("times are not finite numbers")
    return SequenceTimes(starts, ends, None if ticks is None else int(ticks))
