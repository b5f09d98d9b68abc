"""What rules say of pairs of nodes, summed on the cluster: the entries of every D^v."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem.context_tree import ContextTree
from honem.engines.spark.chunks import unpacked
from honem.engines.spark.counting import CountedRows
from honem.engines.spark.growing import Contexts
from honem.engines.spark.sizes import fetch
from honem.ranges import offsets_of
from honem.rules import PairSums

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
    from pyspark.sql.window import Window

    context = found.sparkSession.sparkContext
    not_kept, facts = context.broadcast(dropped), context.broadcast((orders, oldest))
    accepted = found.select("contexts", "rows").mapInArrow(lambda batches: pairs_of_found(batches, not_kept), PAIRS)
    supports = sql.sum("count").over(Window.partitionBy("context"))
    shares = counted.withColumn("probability", sql.col("count") / supports)
    others = shares.mapInArrow(lambda batches: pairs_of_counted(batches, facts), PAIRS)
    summed = accepted.union(others).repartition(n_parts, "oldest").groupBy("order", "oldest", "target")
    pairs = summed.agg(*(sql.sum(name).alias(name) for name in ("amount", "count", "probability"))).persist()
    try:
        table = fetch(pairs, "the neighbourhood matrices", "keep fewer rules (min_support, max_order)")
    finally:
        pairs.unpersist()
    by_order = table.column("order").to_numpy()
    columns = [table.column(name).to_numpy() for name in ("oldest", "target", "amount", "count", "probability")]
    return {
        order: PairSums(*(column[by_order == order] for column in columns)) for order in np.unique(by_order).tolist()
    }


def pairs_of_found(batches: Iterable[Any], dropped: Any) -> Iterator[Any]:
    """The rows of accepted contexts."""
    import pyarrow as pa

    for batch in batches:
        for contexts, rows in zip(batch.column("contexts"), batch.column("rows"), strict=True):
            noun: Contexts = unpacked(contexts.as_buffer())
            counted: CountedRows = unpacked(rows.as_buffer())
            kept = np.flatnonzero(~is_dropped(noun, dropped.value))
            noun, counted = noun.select(kept), counted.select(kept)
            oldest = noun.nodes[offsets_of(noun.orders)[:-1]]
            yield pa.record_batch(
                {
                    "order": np.repeat(noun.orders, counted.n_rows),
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


def pairs_of_counted(batches: Iterable[Any], facts: Any) -> Iterator[Any]:
    """The rows of the other contexts, which are known by number."""
    import pyarrow as pa

    orders, oldest = facts.value
    for batch in batches:
        context = batch.column("context").to_numpy()
        yield pa.record_batch(
            {
                "order": orders[context],
                "oldest": oldest[context],
                "target": batch.column("target"),
                "amount": np.ones(len(context), np.int64),
                "count": batch.column("count"),
                "probability": batch.column("probability"),
            }
        )
