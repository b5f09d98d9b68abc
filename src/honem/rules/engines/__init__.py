"""Engines, which turn a corpus into rules; all of them give the same rules."""

from __future__ import annotations

from typing import Any

from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.rules.engines.base import Engine, FoundRules, RemoteRules, fetch_table
from honem.rules.engines.registry import ENGINES, make_engine, register_engine, require_engine
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable

__all__ = [
    "ENGINES",
    "Engine",
    "FoundRules",
    "RemoteRules",
    "extract_rules",
    "fetch_table",
    "make_engine",
    "register_engine",
    "require_engine",
]


def extract_rules(corpus: Corpus, *, engine: str = "local", n_jobs: int | None = None, **options: Any) -> RuleTable:
    """Extract the rules of a corpus.

    Parameters
    ----------
    corpus : Corpus
        The sequences. With `engine="spark"` also a SparkCorpus, or a Spark DataFrame with one column of arrays.
    engine : str, default "local"
        One of `honem.rules.engines.ENGINES`: "local", "reference" (slow and simple), "in-process" (the distributed
        algorithm without a cluster), "spark", or one that was registered. All give the same rules.
    n_jobs : int, optional
        Threads of the local engine. By default all cores.
    **options
        The fields of ExtractionParams: `min_support`, `support`, `tau`, `max_order`, `lower_orders`.

    Returns
    -------
    RuleTable
        The accepted contexts and the lower orders that are kept beside them.

    Raises
    ------
    CorpusError
        If no sequence has two nodes.
    ParameterError
        If an option is unknown or has no meaning.

    Examples
    --------
    >>> corpus = Corpus.from_sequences([list("ACDEACDBCE")] * 5)
    >>> extract_rules(corpus, engine="reference", max_order=3)
    RuleTable(7 rules, 9 rows; order 1: 5, order 2: 2)
      C | B -> E 100% (support 5, 1.585 > 0.774 bits)
      C | A -> D 100% (support 10, 0.585 > 0.578 bits)
      B -> C 100% (support 5)
      E -> A 100% (support 5)
      D -> E 50%, B 50% (support 10)
    """
    unknown = options.keys() - ExtractionParams.__dataclass_fields__.keys()
    if unknown:
        known = ", ".join(ExtractionParams.__dataclass_fields__)
        raise ParameterError(f"unknown option {', '.join(sorted(unknown))}; the options are engine, n_jobs, {known}")
    return make_engine(engine, n_jobs).extract_rules(corpus, ExtractionParams(**options))
