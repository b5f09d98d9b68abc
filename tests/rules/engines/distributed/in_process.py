"""The engine without Spark: what it sends from task to task is carried by hand, so thousands of runs are cheap."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from honem import Corpus, ExtractionParams, RuleTable
from honem.rules.context_tree import ContextTree
from honem.rules.engines.distributed import counting, rules
from honem.rules.engines.distributed.chunks import unpacked
from honem.rules.engines.distributed.corpus import chunks_of
from honem.rules.engines.distributed.counting import CountedRows
from honem.rules.engines.distributed.engine import bounded_width
from honem.rules.engines.distributed.growing import OPEN, Growing, grow
from honem.rules.engines.distributed.hubs import Hubs
from honem.rules.engines.distributed.windows import Shipping, Wanted, ship
from honem.rules.engines.local.buffers import NO_WINDOW, Growth

Row = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """What all passes told, and the table made of it."""

    table: RuleTable
    hubs: Hubs
    passes: list[list[Row]]


def batch_of(payloads: Iterable[bytes]) -> Any:
    """What a task is given."""
    return pa.record_batch({"payload": pa.array(list(payloads), pa.binary())})


def broadcast(value: Any) -> Any:
    """What Spark would have sent to every task."""
    return SimpleNamespace(value=value)


def extract(corpus: Corpus, options: ExtractionParams, first_window: int, n_shards: int, with_hubs: bool = True) -> Run:
    """As SparkEngine does it."""
    chunks = chunks_of(corpus)
    size: Any = SimpleNamespace(
        n_nodes=corpus.n_nodes, longest=int(corpus.lengths.max()), vocabulary=corpus.vocabulary, chunks=chunks
    )
    hubs = find_hubs(corpus, options, n_shards) if with_hubs else Hubs.none()
    width = bounded_width(first_window, size, options)
    passes = [run_pass(size, options, Shipping(size.n_nodes, width, n_shards, hubs.nodes), hubs, [])]
    while opens := of_kind(passes[-1], OPEN):
        order, width = width, bounded_width(2 * width, size, options)
        wanted = Wanted(np.unique(np.concatenate([unpacked(row["rows"]) for row in opens])))
        shipping = Shipping(size.n_nodes, width, n_shards, Hubs.none().nodes, order, wanted)
        passes.append(run_pass(size, options, shipping, Hubs.none(), opens))
    with (
        patch.object(rules, "fetch_nouns", nouns_of),
        patch.object(rules, "count_targets", count_targets),
        patch.object(rules, "fetch_counted", lambda counted, n_contexts: counted.rows),
    ):
        table = rules.SparkRules.of(size, options, hubs, passes, n_shards).table()  # type: ignore[arg-type]
    return Run(table, hubs, passes)


def run_pass(size: Any, options: ExtractionParams, shipping: Shipping, hubs: Hubs, opens: Sequence[Row]) -> list[Row]:
    """Two tasks ship, and one a shard grows."""
    window = NO_WINDOW if shipping.width in (size.longest, options.max_order) else shipping.width
    wants_ends = options.lower_orders == "hon"
    growing = Growing(size.n_nodes, Growth.of(options), window, shipping.n_shards, hubs, wants_ends)
    shards: dict[int, list[bytes]] = defaultdict(list)
    for chunks in (size.chunks[::2], size.chunks[1::2]):
        for batch in ship([batch_of(chunks)], broadcast(shipping)):
            for row in batch.to_pylist():
                shards[row["shard"]].append(row["payload"])
    for row in opens:
        shards[row["shard"]].append(row["contexts"])
    return [
        row
        for payloads in shards.values()
        for batch in grow([batch_of(payloads)], broadcast(growing))
        for row in batch.to_pylist()
    ]


def of_kind(found: Sequence[Row], kind: str) -> list[Row]:
    """The rows of one kind."""
    return [row for row in found if row["kind"] == kind]


def nouns_of(passes: Sequence[Sequence[Row]], kind: str, column: str, what: str) -> list[Any]:
    """Stands for found.fetch_nouns."""
    return [unpacked(row[column]) for found in passes for row in of_kind(found, kind)]


def count_targets(chunks: Sequence[bytes], tree: ContextTree, least_count: int, n_shards: int) -> Any:
    """Stands for counting.count_targets and what is fetched of it."""
    rows = counted_rows(chunks, tree, least_count, n_shards)
    return SimpleNamespace(rows=rows, persist=lambda: SimpleNamespace(rows=rows))


def counted_rows(chunks: Sequence[bytes], tree: ContextTree, least_count: int, n_shards: int) -> CountedRows:
    """What follows the contexts of a tree, each chunk counted by a task of its own."""
    shards: dict[int, list[bytes]] = defaultdict(list)
    for chunk in chunks:
        for batch in counting.count_parts([batch_of([chunk])], broadcast(tree), n_shards):
            for row in batch.to_pylist():
                shards[row["shard"]].append(row["payload"])
    summed = [
        batch
        for payloads in shards.values()
        for batch in counting.sum_parts([batch_of(payloads)], tree.n_nodes, least_count)
    ]
    table = pa.Table.from_batches([batch_of([]), *summed])
    with patch.object(counting, "fetch", lambda frame, what, remedy: frame):
        return counting.fetch_counted(table, tree.n_rules)


def find_hubs(corpus: Corpus, options: ExtractionParams, n_shards: int) -> Hubs:
    """Stands for hubs.find_hubs."""
    if n_shards == 1 or options.max_order == 1:
        return Hubs.none()
    goes_on = np.ones(len(corpus.tokens), np.bool_)
    goes_on[corpus.offsets[1:][corpus.lengths > 0] - 1] = False
    amounts = np.bincount(corpus.tokens[goes_on], minlength=corpus.n_nodes)
    nodes = np.flatnonzero(amounts > corpus.n_steps / n_shards).astype(np.int32)
    tree = ContextTree.of_contexts(corpus.n_nodes, nodes, np.arange(len(nodes) + 1))
    return (
        Hubs(nodes, counted_rows(chunks_of(corpus), tree, options.least_count, n_shards)) if len(nodes) else Hubs.none()
    )
