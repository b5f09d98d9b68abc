"""What rules say of pairs of nodes, summed on the cluster: the entries of every D^v."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.ragged import offsets_of
from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed.chunks import unpack_column, unpacked
from honem.rules.engines.distributed.counting import CountedRows
from honem.rules.engines.distributed.growing import Contexts
from honem.rules.engines.distributed.sizes import FEWER_RULES, fetch
from honem.rules.table import PairSums

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PAIRS = "order int, oldest int, target int, amount long, count long, probability double"


def summed_pairs(
    found: DataFrame,
    dropped: ContextTree,
    counted: DataFrame,
    orders: NDArray[np.int32],
    oldest: NDArray[np.int32],
    n_parts: int,
) -> dict[int, PairSums]:
    """The sums of every order, of accepted contexts in `found` but for those dropped, and of the others in `counted`.

    `orders` and `oldest` are those of the others.
    """
    from pyspark.sql import functions as sql

    context = found.sparkSession.sparkContext
    not_kept, facts = context.broadcast(dropped), context.broadcast((orders, oldest))
    accepted = found.select("contexts", "rows").mapInArrow(lambda batches: pairs_of_found(batches, not_kept), PAIRS)
    others = counted.mapInArrow(lambda batches: pairs_of_counted(batches, facts), PAIRS)
    summed = accepted.union(others).repartition(n_parts, "oldest").groupBy("order", "oldest", "target")
    pairs = summed.agg(*(sql.sum(name).alias(name) for name in ("amount", "count", "probability"))).persist()
    try:
        table = fetch(pairs, "the neighbourhood matrices", FEWER_RULES)
    finally:
        pairs.unpersist()
    by_order = table.column("order").to_numpy()
    columns = [table.column(name).to_numpy() for name in ("oldest", "target", "amount", "count", "probability")]
    return {
        order: PairSums(*(column[by_order == order] for column in columns)) for order in np.unique(by_order).tolist()
    }


def pairs_of_found(batches: Iterable[Any], dropped: Any) -> Iterator[Any]:
    """The rows of accepted contexts."""
    for batch in batches:
        for contexts, rows in zip(batch.column("contexts"), batch.column("rows"), strict=True):
            noun: Contexts = unpacked(contexts.as_buffer())
            counted: CountedRows = unpacked(rows.as_buffer())
            kept = np.flatnonzero(~is_dropped(noun, dropped.value))
            noun, counted = noun.select(kept), counted.select(kept)
            yield pair_rows(noun.orders, noun.nodes[offsets_of(noun.orders)[:-1]], counted)


def pairs_of_counted(batches: Iterable[Any], facts: Any) -> Iterator[Any]:
    """The rows of the other contexts, which are known by number."""
    orders, oldest = facts.value
    for part in unpack_column(batches):
        yield pair_rows(orders[part.contexts], oldest[part.contexts], part.rows)


def pair_rows(orders: NDArray[np.int32], oldest: NDArray[np.int32], counted: CountedRows) -> Any:
    """One row of PAIRS for each target of each context."""
    import pyarrow as pa

    return pa.record_batch(
        {
            "order": np.repeat(orders, counted.n_rows),
            "oldest": np.repeat(oldest, counted.n_rows),
            "target": counted.targets,
            "amount": np.ones(len(counted.targets), np.int64),
            "count": counted.counts,
            "probability": counted.counts / np.repeat(counted.supports, counted.n_rows),
        }
    )


def is_dropped(contexts: Contexts, dropped: ContextTree) -> NDArray[np.bool_]:
    """Which contexts are, as a whole, in a tree."""
    found = np.zeros(len(contexts.orders), np.bool_)
    offsets = offsets_of(contexts.orders)
    for order, (histories, _) in enumerate(dropped.suffixes(contexts.nodes, offsets[1:], np.diff(offsets)), start=1):
        found[histories[contexts.orders[histories] == order]] = True
    return found
