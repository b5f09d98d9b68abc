"""The driver on the in-process executor, with sizes that make small corpora take every way through it."""

from __future__ import annotations

from honem import Corpus, ExtractionParams
from honem.rules.engines.distributed import DistributedEngine, DistributedRules
from honem.rules.engines.distributed.executors.in_process import InProcessExecutor


def find_rules(corpus: Corpus, options: ExtractionParams, first_window: int, n_shards: int) -> DistributedRules:
    """Run the driver."""
    engine = DistributedEngine(InProcessExecutor(), first_window=first_window, n_shards=n_shards)
    return engine.find_rules(corpus, options)
