"""What every engine promises: the same corpus and parameters give the same RuleTable."""

from __future__ import annotations

from typing import Protocol

from honem.corpus import Corpus
from honem.errors import CorpusError
from honem.rules.params import ExtractionParams
from honem.rules.table import RuleTable


class Engine(Protocol):
    """How a RuleTable is made."""

    def extract_rules(self, corpus: Corpus, params: ExtractionParams) -> RuleTable:
        """Every rule of the corpus, in the canonical order of RuleTable."""
        ...


class Measured(Protocol):
    """Whatever knows how much there is to learn from."""

    @property
    def n_sequences(self) -> int: ...
    @property
    def n_steps(self) -> int: ...


def require_steps(corpus: Measured) -> None:
    """Refuse a corpus in which nothing follows anything."""
    if corpus.n_steps == 0:
        raise CorpusError(
            f"nothing to learn from: none of the {corpus.n_sequences} sequences has two nodes, so there is no step"
        )
