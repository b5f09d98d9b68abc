"""Drift: what changed from old paths to new ones, with a bound on the share of changes that are due to chance.

Null hypothesis for a context: what follows it does not depend on whether the paths are old or new. The new occurrences
are then a uniformly random subset of all of them, so that the e-value of the criterion "significance" applies, with
all occurrences as the parent and the new ones as the child. Which contexts are tested depends on all paths together,
not on which of them are new, so the choice does not favour changes. The e-BH procedure bounds the false discovery rate.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from honem._internal.ragged import offsets_of
from honem._internal.words import amount, and_more, history_of, name_of, percent
from honem.corpus import Corpus
from honem.embedding.alignment import Movement
from honem.explain import Comparison
from honem.rules import ExtractionParams, RuleTable
from honem.rules.context_tree import ContextTree
from honem.rules.criteria import ComparedCounts, Significance, log_q_values
from honem.rules.criteria.significance import LEAST_E_VALUE, LEAST_PARENT_SUPPORT
from honem.rules.engines import make_engine

N_SHOWN = 3


class SuccessorChange(NamedTuple):
    """How often a node came next after a context in the old and in the new paths."""

    node: Hashable
    old: int
    new: int


@dataclass(frozen=True)
class RuleChange:
    """A context after which other nodes come next than before.

    Attributes
    ----------
    context : tuple
        Its nodes, oldest first.
    evidence : float
        The evidence for a change in bits: the binary logarithm of the e-value.
    q_value : float
        The least false discovery rate at which the change is reported.
    old_support, new_support : int
        How often the context occurred.
    successors : tuple of SuccessorChange
        All nodes that came next, those whose share changed most first.
    """

    context: tuple[Hashable, ...]
    evidence: float
    q_value: float
    old_support: int
    new_support: int
    successors: tuple[SuccessorChange, ...]

    def __str__(self) -> str:
        shares = (
            f"{name_of(found.node)} {percent(found.old / self.old_support)} -> {percent(found.new / self.new_support)}"
            for found in self.successors[:N_SHOWN]
        )
        return f"{history_of(self.context)}: {', '.join(shares)} ({self.evidence:.1f} bits)"


@dataclass(frozen=True)
class Drift:
    """What changed from an old model to a new one. Print it for a description in words.

    Attributes
    ----------
    rules : tuple of RuleChange
        Contexts with another distribution of what comes next, strongest evidence first. At most the share `alpha` of
        them is expected to be due to chance.
    n_tested : int
        Number of contexts that were tested.
    alpha : float
        The false discovery rate.
    movement : Movement
        How far vectors are from the old ones, after the best rotation.
    neighbors : Comparison
        The neighbours that nodes gained and lost, most changed nodes first.
    """

    rules: tuple[RuleChange, ...]
    n_tested: int
    alpha: float
    movement: Movement
    neighbors: Comparison

    def to_dict(self) -> dict[str, Any]:
        """Return the drift as a dict that JSON can hold."""
        rules = [{**asdict(rule), "successors": [found._asdict() for found in rule.successors]} for rule in self.rules]
        return {
            "alpha": self.alpha,
            "n_tested": self.n_tested,
            "rules": rules,
            "movement": self.movement.to_dict(),
            "neighbors": self.neighbors.to_dict(),
        }

    def describe(self, n: int = 10) -> str:
        """Describe the drift in words.

        Parameters
        ----------
        n : int, default=10
            Number of rules and of nodes to list.

        Returns
        -------
        str
        """
        head = (
            f"{len(self.rules):,} of {amount(self.n_tested, 'context')} changed (false discovery rate {self.alpha:g})"
        )
        shown = [str(rule) for rule in self.rules[:n]]
        rules = "\n".join([head, *shown, *and_more(len(self.rules) - n, "context")])
        return f"{rules}\n\n{self.movement}\n\n{self.neighbors.describe(n)}"

    def __str__(self) -> str:
        return self.describe()


def changed_rules(
    old: Corpus, new: Corpus, params: ExtractionParams, alpha: float = 0.05, n_jobs: int | None = None
) -> tuple[tuple[RuleChange, ...], int]:
    """Return the contexts after which something else comes next in new paths, and the number of tested contexts.

    Parameters
    ----------
    old, new : Corpus
        The paths.
    params : ExtractionParams
        `min_support` and `max_order` of contexts; all contexts that are rules of all paths together are tested.
    alpha : float, default=0.05
        The false discovery rate, between 0 and 1.
    n_jobs : int or None, default=None
        Number of threads; None or -1 for all cores.

    Returns
    -------
    changes : tuple of RuleChange
        Strongest evidence first.
    n_tested : int
    """
    criterion = Significance(alpha)
    both = old.joined(new)
    selection = ExtractionParams(min_support=params.min_support, max_order=params.max_order, alpha=alpha)
    rules = make_engine("local", n_jobs).extract_rules(both, selection)
    counts = counts_in(both, old.n_sequences, rules)
    tested = is_testable(rules, counts)
    evidence = evidence_of_change(rules, counts, tested)
    accepted = criterion.decide(evidence, len(tested))
    q_values = np.exp2(log_q_values(evidence, evidence, len(tested)))
    order = np.flatnonzero(accepted)[np.argsort(-evidence[accepted], kind="stable")]
    return tuple(
        _change(rules, counts, int(tested[place]), float(evidence[place]), float(q_values[place]))
        for place in order.tolist()
    ), len(tested)


def counts_in(corpus: Corpus, first: int, rules: RuleTable) -> NDArray[np.int64]:
    """Return the count of each row of the rules in the sequences from number `first` on."""
    tokens, lengths = corpus.tokens[corpus.offsets[first] :], corpus.lengths[first:]
    depths = np.arange(len(tokens)) - np.repeat(offsets_of(lengths)[:-1], lengths)
    ends = np.flatnonzero(depths > 0)  # each is the place of a next node
    weights = np.repeat(corpus.weights[first:], lengths)
    keys = rules.rule_of_row * corpus.n_nodes + rules.targets
    counts = np.zeros(rules.n_rows, np.int64)
    for steps, found in ContextTree.of(rules).suffixes(tokens, ends, depths[ends]):
        places = ends[steps]
        np.add.at(counts, np.searchsorted(keys, found * corpus.n_nodes + tokens[places]), weights[places])
    return counts


def is_testable(rules: RuleTable, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rules whose supports allow an e-value of 20, as the criterion defines it."""
    starts = rules.target_offsets[:-1]
    supports, parents = np.add.reduceat(counts, starts), np.add.reduceat(rules.counts, starts)
    fewer = np.minimum(supports, parents - supports)
    subsets = comb(parents, np.minimum(fewer, LEAST_PARENT_SUPPORT))
    several = np.diff(rules.target_offsets) > 1
    return np.flatnonzero((supports >= 2) & several & (subsets > LEAST_E_VALUE - 0.5))


def evidence_of_change(rules: RuleTable, counts: NDArray[np.int64], tested: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the evidence of rules in bits: their counts against all counts."""
    is_tested = np.zeros(rules.n_rules, np.bool_)
    is_tested[tested] = True
    rows = np.flatnonzero(is_tested[rules.rule_of_row] & (counts > 0))
    starts = rules.target_offsets[:-1]
    return Significance().scores(
        ComparedCounts(
            orders=rules.orders[tested],
            offsets=offsets_of(np.bincount(rules.rule_of_row[rows], minlength=rules.n_rules)[tested]),
            counts=counts[rows],
            compared=rules.counts[rows],
            supports=np.add.reduceat(counts, starts)[tested],
            compared_supports=np.add.reduceat(rules.counts, starts)[tested],
        )
    )


def _change(rules: RuleTable, counts: NDArray[np.int64], rule: int, evidence: float, q_value: float) -> RuleChange:
    rows = slice(rules.target_offsets[rule], rules.target_offsets[rule + 1])
    new, old = counts[rows], rules.counts[rows] - counts[rows]
    by_change = np.argsort(-np.abs(new / new.sum() - old / old.sum()), kind="stable").tolist()
    nodes = [rules.vocabulary[target] for target in rules.targets[rows].tolist()]
    successors = tuple(SuccessorChange(nodes[place], int(old[place]), int(new[place])) for place in by_change)
    return RuleChange(rules.context(rule), evidence, q_value, int(old.sum()), int(new.sum()), successors)
