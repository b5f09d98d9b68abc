"""What every engine offers: the same corpus and parameters give the same rules."""

from __future__ import annotations

from typing import Any, Protocol

from honem.corpus import Corpus, VisitCounts
from honem.errors import CorpusError
from honem.rules.params import ExtractionParams
from honem.rules.table import Rules, RuleTable


class RemoteRules(Rules, Protocol):
    """Rules that are held outside this process until they are released or garbage collected."""

    def table(self) -> RuleTable:
        """Fetch all rules."""
        ...

    def visit_counts(self) -> VisitCounts:
        """Count the visits to the nodes of the corpus, where it is."""
        ...

    def release(self) -> None:
        """Free what is held outside this process."""
        ...


FoundRules = RuleTable | RemoteRules


class Engine(Protocol):
    """A way to extract rules."""

    def extract_rules(self, corpus: Corpus, params: ExtractionParams) -> RuleTable:
        """Return the rules of the corpus, in the canonical order of RuleTable."""
        ...

    def find_rules(self, corpus: Corpus, params: ExtractionParams) -> FoundRules:
        """Find the rules of the corpus and leave them where they are found: by default, in a table in memory."""
        return self.extract_rules(corpus, params)

    def extend_rules(self, corpus: Corpus, params: ExtractionParams, known: Any = None) -> tuple[FoundRules, Any]:
        """Find the rules of the corpus, and return what the next call may know of it when sequences are appended.

        `known` is what an earlier call returned for the first sequences of the corpus and the same parameters, or None.
        By default all rules are found again, and nothing is remembered.
        """
        return self.find_rules(corpus, params), None


def fetch_table(rules: FoundRules) -> RuleTable:
    """Return rules as a table in memory; rules that were held elsewhere are fetched and released there."""
    if isinstance(rules, RuleTable):
        return rules
    table = rules.table()
    rules.release()
    return table


class Measured(Protocol):
    """A corpus of known size, wherever it is."""

    @property
    def n_sequences(self) -> int:
        """Number of sequences."""

    @property
    def n_steps(self) -> int:
        """Number of steps from one node to the next."""


def require_steps(corpus: Measured) -> None:
    """Raise CorpusError if no sequence has two nodes."""
    if corpus.n_steps == 0:
        raise CorpusError(
            f"nothing to learn from: none of the {corpus.n_sequences} sequences has two nodes, so there is no step"
        )
