"""Rule: one rule of a table for reading, with labels, beside the shorter rule that it refines."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import asdict, dataclass, field
from typing import Any

from honem._internal.words import history_of, name_of, percent, times

SUCCESSORS_SHOWN = 3


@dataclass(frozen=True)
class Successor:
    """A node that follows a context.

    Attributes
    ----------
    node : hashable
        The node.
    count : int
        How often it followed the context.
    probability : float
        P(node|context).
    shorter : float
        P(node|shorter context).
    """

    node: Hashable
    count: int
    probability: float
    shorter: float

    @property
    def change(self) -> float:
        """By how much the context raises the probability of this successor."""
        return self.probability - self.shorter


@dataclass(frozen=True)
class Rule:
    """A context and what follows it, beside what follows the shorter context that it is compared with.

    Attributes
    ----------
    context : tuple
        The nodes of the context, oldest first.
    shorter : tuple
        Its longest proper suffix that is an accepted rule; at first order, the context itself. (With
        `lower_orders="hon"`, which drops some accepted contexts, the divergence may have been computed against one of
        these.)
    successors : tuple of Successor
        The nodes that follow, most likely first.
    support : int
        How often the context was followed by any node.
    divergence : float
        The divergence of its distribution from that of `shorter`, in bits: the size of the effect.
    evidence : float
        How strongly the counts speak against chance, in bits: the binary logarithm of the e-value against the context
        without its oldest node.
    q_value : float
        The least false discovery rate at which ``criterion="significance"`` accepts the context.
    threshold : float
        What the score of the criterion had to exceed, in bits.
    accepted : bool
        Whether the criterion accepted the context. Otherwise it is kept as a lower order of an accepted one.
    """

    context: tuple[Hashable, ...]
    shorter: tuple[Hashable, ...]
    successors: tuple[Successor, ...]
    support: int
    divergence: float
    evidence: float
    q_value: float
    threshold: float
    accepted: bool
    verdict: str = field(compare=False, repr=False)

    @property
    def order(self) -> int:
        """The number of nodes in the context."""
        return len(self.context)

    @property
    def bits_saved(self) -> float:
        """The divergence times the support: the bits that the rule saves over all its occurrences."""
        return self.support * self.divergence

    @property
    def largest_change(self) -> Successor:
        """The successor whose probability the context raises most; at first order the most likely one."""
        return max(self.successors, key=lambda successor: (successor.change, successor.count))

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as a dict that JSON can hold."""
        unknown = {name: None for name in ("evidence", "q_value") if math.isnan(getattr(self, name))}
        return asdict(self) | {"order": self.order, "bits_saved": self.bits_saved} | unknown

    def __str__(self) -> str:
        shown = [self._describe(successor, is_first=not place) for place, successor in enumerate(self._most_telling())]
        hidden = len(self.successors) - len(shown)
        more = f" and {hidden} more" if hidden else ""
        return (
            f"after {history_of(self.context)}: {', '.join(shown)}{more}; seen {times(self.support)}{self._verdict()}"
        )

    def _most_telling(self) -> list[Successor]:
        """Return the successors that contribute most to the divergence; at first order the most likely ones."""
        if self.order == 1:
            return list(self.successors[:SUCCESSORS_SHOWN])
        bits = [abs(next.probability * math.log2(next.probability / next.shorter)) for next in self.successors]
        by_bits = sorted(range(len(bits)), key=lambda place: -bits[place])
        return [self.successors[place] for place in by_bits[:SUCCESSORS_SHOWN]]

    def _describe(self, successor: Successor, is_first: bool) -> str:
        text = f"{name_of(successor.node)} {percent(successor.probability)}"
        alone = f"{history_of(self.shorter)} alone: " if is_first else ""
        return text if self.order == 1 else f"{text} ({alone}{percent(successor.shorter)})"

    def _verdict(self) -> str:
        if self.order == 1:
            return ""
        return f", {self.verdict}" if self.accepted else f", {self.verdict}: kept for longer contexts only"
