"""What a model of the next step answers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from honem.errors import ParameterError


class NextNode(NamedTuple):
    """A possible next node, its probability, and how often it was observed right after the context."""

    node: Hashable
    probability: float
    observed: int


@dataclass(frozen=True)
class Contribution:
    """What one context contributes to a prediction.

    Attributes
    ----------
    context : tuple of hashable or None
        The context, oldest node first; () is the distribution of all nodes, None the guess from vectors.
    weight : float
        Its share of the probability; the weights of all contributions add up to 1.
    observed : int
        How often the context was observed; 0 for vectors.
    from_start : bool
        Whether the context begins at the start of a path.
    """

    context: tuple[Hashable, ...] | None
    weight: float
    observed: int
    from_start: bool = False


@dataclass(frozen=True)
class Prediction:
    """The most probable next nodes.

    Attributes
    ----------
    context : tuple of hashable
        The longest suffix of the history that was observed, oldest node first; () if there is none.
    nodes : tuple of NextNode
        The nodes, most probable first.
    contributions : tuple of Contribution
        The contexts that were blended, longest first.
    unknown : tuple of hashable
        Nodes of the history that the model does not know. What comes before the last of them is not used.
    """

    context: tuple[Hashable, ...]
    nodes: tuple[NextNode, ...]
    contributions: tuple[Contribution, ...] = ()
    unknown: tuple[Hashable, ...] = ()

    @property
    def order(self) -> int:
        """Length of the context that was used."""
        return len(self.context)

    @property
    def observed(self) -> int:
        """How often the context was observed."""
        return self.contributions[0].observed

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain values.

        Returns
        -------
        dict
        """
        return {
            "context": self.context,
            "order": self.order,
            "observed": self.observed,
            "next": [node._asdict() for node in self.nodes],
            "contributions": [asdict(contribution) for contribution in self.contributions],
            "unknown": self.unknown,
        }

    def _repr_html_(self) -> str:
        from honem.prediction.notebooks import html_of_prediction

        return html_of_prediction(self)


def as_history(history: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return a history as a tuple; raise ParameterError if it is a single string."""
    if isinstance(history, (str, bytes)):
        raise ParameterError(f"history must be a list of nodes, not the string {history!r}; write [{history!r}]")
    return tuple(history)
