"""How a RuleTable is made: the same meaning from every engine."""

from __future__ import annotations

from typing import Any

from honem._internal.progress import Progress
from honem._internal.validation import require_n_jobs, require_one_of
from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.rules.engines.base import Engine
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable

ENGINES = ("local", "reference", "spark")

__all__ = ["ENGINES", "Engine", "extract_rules", "make_engine", "require_engine"]


def require_engine(name: str, n_jobs: int | None = None) -> None:
    """Raise ParameterError unless there is an engine of that name that can use so many threads."""
    require_one_of("engine", name, ENGINES)
    require_n_jobs("n_jobs", n_jobs)
    if name == "spark" and n_jobs is not None:
        raise ParameterError(f"n_jobs={n_jobs!r} has no meaning for engine='spark': its master says how many cores")


def make_engine(name: str, n_jobs: int | None = None, progress: Progress | None = None) -> Engine:
    """Return the engine of that name."""
    require_engine(name, n_jobs)
    if name == "reference":
        from honem.rules.engines.reference import ReferenceEngine

        return ReferenceEngine(n_jobs=n_jobs)
    if name == "spark":
        from honem.rules.engines.distributed import SparkEngine

        return SparkEngine(progress=progress)
    from honem.rules.engines.local import LocalEngine

    return LocalEngine(n_jobs=n_jobs, progress=progress)


def extract_rules(corpus: Corpus, *, engine: str = "local", n_jobs: int | None = None, **options: Any) -> RuleTable:
    """The rules of a corpus in one call; options are those of ExtractionParams.

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
