"""SparkEngine: ship windows by newest node, grow each shard with the local kernel, go on where windows ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from honem._internal.progress import Progress
from honem._internal.validation import require_whole
from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.rules.engines.base import Engine, require_steps
from honem.rules.engines.distributed.chunks import SHARDS
from honem.rules.engines.distributed.corpus import SparkCorpus
from honem.rules.engines.distributed.found import Found, fetch_nouns
from honem.rules.engines.distributed.growing import FOUND, OPEN, Growing, grow
from honem.rules.engines.distributed.hubs import Hubs, find_hubs
from honem.rules.engines.distributed.rules import SparkRules
from honem.rules.engines.distributed.session import find_session, letting_go, told_in_one_line
from honem.rules.engines.distributed.windows import Shipping, Wanted, ship
from honem.rules.engines.local.buffers import NO_WINDOW, Growth
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FIRST_WINDOW = 8
STEPS_A_TASK = 4_000_000
MOST_SHARDS = 2**16  # shards travel as 16 bits
MOST_WANTED = 2**24  # hashes that every task is given, 128 MiB; where more contexts are open, nearly all positions are


class SparkEngine(Engine):
    """Extraction on Spark: the same rules as every engine gives, found where the sequences are.

    A session that is there is used; otherwise one is made on `master`. `first_window` says how many nodes of each
    history are sent in the first pass; later passes send twice as many, where contexts might still grow. `n_shards`
    is the number of tasks that grow contexts, chosen by cores and steps unless said.
    """

    def __init__(
        self,
        session: SparkSession | None = None,
        *,
        master: str | None = None,
        first_window: int = FIRST_WINDOW,
        n_shards: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        require_whole("first_window", first_window, least=2)
        if n_shards is not None:
            require_whole("n_shards", n_shards, least=1)
            if n_shards > MOST_SHARDS:
                raise ParameterError(f"n_shards must be at most {MOST_SHARDS:,}, not {n_shards:,}")
        self.session = session or find_session(master)
        self.first_window = first_window
        self.n_shards = n_shards
        self.progress = progress

    def extract_rules(self, corpus: Corpus | SparkCorpus | DataFrame, params: ExtractionParams) -> RuleTable:
        """The rules, brought home; `find_rules` leaves them on the cluster."""
        with told_in_one_line(), self.on_cluster(corpus) as there, self.find_rules(there, params) as rules:
            return rules.table()

    @contextmanager
    def on_cluster(self, corpus: Corpus | SparkCorpus | DataFrame) -> Iterator[SparkCorpus]:
        """The corpus on the cluster; what is brought there for this is let go of afterwards."""
        if isinstance(corpus, SparkCorpus):
            yield corpus
            return
        if isinstance(corpus, Corpus):
            require_steps(corpus)
            made = SparkCorpus.from_corpus(corpus, self.session)
        else:
            made = SparkCorpus.from_frame(corpus)
        with made:
            yield made

    def find_rules(self, corpus: SparkCorpus, params: ExtractionParams) -> SparkRules:
        """The rules of a corpus, found on the cluster and left there."""
        require_steps(corpus)
        n_shards = self.shards_for(corpus)
        hubs = find_hubs(corpus, params, n_shards)
        passes: list[Found] = []
        with letting_go(lambda: [found.frame.unpersist() for found in passes]):
            width = bounded_width(self.first_window, corpus, params)
            passes.append(self.run(corpus, params, Shipping(corpus.n_nodes, width, n_shards, hubs.nodes), hubs))
            while passes[-1].amount(OPEN):
                if self.progress is not None:
                    self.progress("growing contexts beyond their windows", len(passes), len(passes) + 1)
                order, width = width, bounded_width(2 * width, corpus, params)
                wanted = wanted_hashes(passes[-1])
                shipping = Shipping(corpus.n_nodes, width, n_shards, Hubs.none().nodes, order, wanted)
                passes.append(self.run(corpus, params, shipping, Hubs.none(), passes[-1].of_kind(OPEN)))
            return SparkRules.of(corpus, params, hubs, passes, n_shards)

    def shards_for(self, corpus: SparkCorpus) -> int:
        """As many tasks as there are cores, or more where a task would hold too much."""
        if self.n_shards is not None:
            return self.n_shards
        cores = self.session.sparkContext.defaultParallelism
        return min(MOST_SHARDS, max(cores, -(-corpus.n_steps // STEPS_A_TASK)))

    def run(
        self,
        corpus: SparkCorpus,
        params: ExtractionParams,
        shipping: Shipping,
        hubs: Hubs,
        opens: DataFrame | None = None,
    ) -> Found:
        """One pass: ship, and grow every shard; Spark holds what was found."""
        # Nothing lies beyond windows that hold the longest history, or the highest order.
        is_whole = shipping.width in (corpus.longest, params.max_order)
        window = NO_WINDOW if is_whole else shipping.width
        wants_ends = params.lower_orders == "hon"
        growing = Growing(corpus.n_nodes, Growth.of(params), window, shipping.n_shards, hubs, wants_ends)
        context = self.session.sparkContext
        to_ship, to_grow = context.broadcast(shipping), context.broadcast(growing)
        shipped = corpus.chunks.select("payload").mapInArrow(lambda batches: ship(batches, to_ship), SHARDS)
        if opens is not None:
            shipped = shipped.union(opens.select("shard", "contexts"))
        shards = shipped.repartitionById(shipping.n_shards, "shard").select("payload")
        return Found.of(shards.mapInArrow(lambda batches: grow(batches, to_grow), FOUND))


def bounded_width(goal: int, corpus: SparkCorpus, params: ExtractionParams) -> int:
    """No window need be wider than the longest sequence or the highest order."""
    return min(goal, corpus.longest, params.max_order or goal)


def wanted_hashes(found: Found) -> Wanted | None:
    """The hashes of open contexts, or None where there are so many that choosing positions is not worth it."""
    if found.amount(OPEN) > MOST_WANTED:
        return None
    return Wanted(np.unique(np.concatenate(fetch_nouns([found], OPEN, "rows", "the hashes of open contexts"))))
