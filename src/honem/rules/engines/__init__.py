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
        every transition with a smaller count, at every order, is set to 0 before anything is computed, as in pyHON;
        only with `criterion="divergence"`.
    tau : float, optional
        Factor of the threshold of `criterion="divergence"`; a smaller value accepts more contexts. Default: 1.
    max_order : int, optional
        Highest order that is considered. Default: no limit.
    lower_orders : {"all", "significant", "hon"}, default="all"
        Which shorter contexts are kept besides the accepted ones: all their contiguous sub-contexts ("all"), only their
        prefixes ("significant"), or those that the original HON keeps ("hon", only with `criterion="divergence"`).
    criterion : str or Criterion, default="significance"
        What makes a context accepted: "significance" bounds the false discovery rate, "divergence" is the criterion of
        HON+ and of the HONEM paper; or another registered name, or a criterion object.
    alpha : float, optional
        The false discovery rate of `criterion="significance"`. Default: 0.05.
    count : {"occurrences", "sequences"}, default="occurrences"
        What counts as one observation when evidence is computed: every occurrence of a context, or only its first one
        in each sequence. Counts and probabilities of rules are always those of all occurrences.

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
    RuleTable(7 rules: 5 of order 1, 2 of order 2; 2 of order 2 or more accepted)
    after A, then C: D 100 % (C alone: 67 %); seen 10 times, 9.2 bits of evidence
    after B, then C: E 100 % (C alone: 33 %); seen 5 times, 7.7 bits of evidence
    """
    unknown = options.keys() - ExtractionParams.__dataclass_fields__.keys()
    if unknown:
        known = ", ".join(ExtractionParams.__dataclass_fields__)
        raise ParameterError(f"unknown option {', '.join(sorted(unknown))}; the options are engine, n_jobs, {known}")
    return make_engine(engine, n_jobs).extract_rules(corpus, ExtractionParams(**options))
