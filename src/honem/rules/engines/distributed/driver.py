"""DistributedEngine: the driver of an extraction on a cluster. It knows no cluster, only an Executor.

Ship windows to the task of their newest node, grow contexts there with the local engine's kernel, continue where
windows were too short, decide which contexts are accepted, close them downwards, and count what that adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from honem._internal.progress import Progress
from honem._internal.validation import require_whole
from honem.corpus import Corpus
from honem.errors import CorpusError, ParameterError
from honem.rules.engines.base import Engine, require_steps
from honem.rules.engines.distributed.closing import close_downwards
from honem.rules.engines.distributed.corpus import DistributedCorpus
from honem.rules.engines.distributed.counting import What, count_targets
from honem.rules.engines.distributed.deciding import decide
from honem.rules.engines.distributed.executors.base import Executor, release_on_error
from honem.rules.engines.distributed.held import Held, release_all
from honem.rules.engines.distributed.hubs import find_hubs
from honem.rules.engines.distributed.rules import DistributedRules
from honem.rules.engines.distributed.searching import Search
from honem.rules.engines.local.buffers import Growth
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable

FIRST_WINDOW = 8
STEPS_PER_TASK = 4_000_000
MOST_SHARDS = 2**16  # shards travel as 16 bits


class DistributedEngine(Engine):
    """Extraction where the sequences are; the same rules as from every engine.

    Parameters
    ----------
    executor : Executor
        What runs the tasks.
    first_window : int, default 8
        How many nodes of each history are sent in the first pass. Later passes send twice as many, at the positions
        where contexts might still grow.
    n_shards : int, optional
        The number of tasks that grow contexts. By default one per core, or more if a task would get too many steps.
    progress : Progress, optional
        Called before every pass after the first.
    """

    def __init__(
        self,
        executor: Executor,
        *,
        first_window: int = FIRST_WINDOW,
        n_shards: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        require_whole("first_window", first_window, least=2)
        if n_shards is not None:
            require_whole("n_shards", n_shards, least=1)
            if n_shards > MOST_SHARDS:
                raise ParameterError(f"n_shards must be at most {MOST_SHARDS:,}, not {n_shards:,}")
        self.executor = executor
        self.first_window = first_window
        self.n_shards = n_shards
        self.progress = progress

    def extract_rules(self, corpus: Any, params: ExtractionParams) -> RuleTable:
        """Find the rules and fetch them; see `find_rules`."""
        with self.find_rules(corpus, params) as rules:
            return rules.table()

    def find_rules(self, corpus: Any, params: ExtractionParams) -> DistributedRules:
        """Find the rules of a corpus, and leave them on the cluster.

        Parameters
        ----------
        corpus : DistributedCorpus, Corpus, or a table of the executor
            The sequences. What is not on the cluster yet is brought there, and released with the rules.
        params : ExtractionParams
            Which contexts are rules.

        Returns
        -------
        DistributedRules
            The rules, held by the executor until they are released.

        Raises
        ------
        CorpusError
            If no sequence has two nodes.
        HonemError
            If the executor fails, or the contexts are too many for the driver.
        """
        with self.executor.plain_errors():
            if isinstance(corpus, DistributedCorpus):
                return self._rules_of(corpus, params, inputs=())
            brought = self._bring(corpus)
            with release_on_error(brought.release):
                return self._rules_of(brought, params, inputs=(brought,))

    def _bring(self, corpus: Any) -> DistributedCorpus:
        if not isinstance(corpus, Corpus):
            return self.executor.as_corpus(corpus)
        require_steps(corpus)
        return DistributedCorpus.of_corpus(corpus, self.executor)

    def _rules_of(
        self, corpus: DistributedCorpus, params: ExtractionParams, inputs: Sequence[DistributedCorpus]
    ) -> DistributedRules:
        if type(corpus.executor) is not type(self.executor):
            held, needed = type(corpus.executor).__name__, type(self.executor).__name__
            raise CorpusError(f"the corpus is held by {held}, but this engine runs on {needed}")
        require_steps(corpus)
        n_shards = self.shards_for(corpus)
        search = Search(corpus, params, n_shards, self.first_window, self.progress)
        hubs = find_hubs(corpus, params, n_shards)
        passes = search.grow(Growth.of(params), hubs)
        with release_on_error(lambda: release_all(passes)):
            decided = decide(passes, hubs, params.acceptance)
            closure = close_downwards(decided.accepted, corpus.n_nodes, params.lower_orders, passes)
            others = closure.tree_of_others(corpus.n_nodes)
            counted = Held.of(count_targets(corpus, others, What(params.least_count), n_shards), corpus.executor)
        return DistributedRules(search, passes, hubs, decided, closure, counted, inputs=inputs)

    def shards_for(self, corpus: DistributedCorpus) -> int:
        """Return the number of tasks: one per core, or more if a task would get too many steps."""
        if self.n_shards is not None:
            return self.n_shards
        return min(MOST_SHARDS, max(self.executor.parallelism, -(-corpus.n_steps // STEPS_PER_TASK)))
