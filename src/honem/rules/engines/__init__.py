"""Engines, which extract the rules of a corpus; all engines give the same rules."""

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
    engine : str, default="local"
        One of `honem.rules.engines.ENGINES`: "local", "reference" (slow and simple), "in-process" (the distributed
        algorithm without a cluster), "spark", or one that was registered. All give the same rules.
    n_jobs : int, optional
        Number of threads of the local engine. Default: all cores.
    **options
        Parameters of the extraction, listed below.

    Returns
    -------
    RuleTable
        The accepted contexts, and the shorter contexts that `lower_orders` keeps.

    Other Parameters
    ----------------
    min_support : int, default=1
        Smallest support; what it applies to is set by `support`.
    support : {"context", "transition"}, default="context"
        "context": contexts of order 2 or more with less support are discarded with all their extensions. "transition":
        every transition with a smaller count, at every order, is set to 0 before anything is computed, as in pyHON.
    tau : float, default=1.0
        Factor of the threshold of `criterion="divergence"`; a smaller value accepts more contexts.
    max_order : int, optional
        Highest order that is considered. Default: no limit.
    lower_orders : {"all", "significant", "hon"}, default="all"
        Which shorter contexts are kept besides the accepted ones: all their contiguous sub-contexts ("all"), only their
        prefixes ("significant"), or those that the original HON keeps ("hon").
    criterion : str or Criterion, default="divergence"
        What makes a context accepted: the name of a registered criterion, or a criterion object.

    Raises
    ------
    CorpusError
        If no sequence has two nodes.
    ParameterError
        If an option is unknown or its value is not valid.

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
