"""What tuning tried, and why it chose what it chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from honem._internal.words import wrapped

GOALS = {
    "links": "mean average precision of held-out edges",
    "reconstruction": "mean precision of the k highest pairs",
    "labels": "mean average precision of held-out edges",
}
"""What each goal of tuning measures."""


@dataclass(frozen=True)
class Trial:
    """A member of the family and its result.

    Attributes
    ----------
    name : str
        The member.
    n_components : int
        Its number of dimensions.
    value : float
        Mean over the inner splits of what is measured; higher is better.
    values : tuple of float
        The value on each split.
    """

    name: str
    n_components: int
    value: float
    values: tuple[float, ...]


@dataclass(frozen=True)
class Tuning:
    """The result of tuning. Print it for a table.

    Attributes
    ----------
    tune_for : str
        What the vectors are chosen for: "links", "reconstruction" or "labels".
    chosen : str
        The chosen member.
    reason : str
        Why it was chosen.
    trials : tuple of Trial
        All members that were tried, best first.
    n_nodes : int
        Number of nodes of the paths on which members were tried, a part of all if there are many.
    seconds : float
        Time of all trials.
    n_components : int or None
        Number of dimensions that was chosen; None for as many as were asked for.
    """

    tune_for: str
    chosen: str
    reason: str
    trials: tuple[Trial, ...] = ()
    n_nodes: int = 0
    seconds: float = 0.0
    n_components: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a dict that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the report that `to_dict` described.

        Raises
        ------
        KeyError, TypeError, ValueError
            If it is no such report. It comes from a file, which can hold anything.
        """
        trials = tuple(Trial(**{**trial, "values": tuple(trial["values"])}) for trial in stored["trials"])
        found = cls(**{**stored, "trials": trials})
        numbers = [found.n_nodes, found.seconds, found.n_components or 0]
        for trial in trials:
            numbers += [trial.n_components, trial.value, *trial.values]
        texts = [found.tune_for, found.chosen, found.reason, *(trial.name for trial in trials)]
        if found.tune_for not in GOALS or not all(isinstance(text, str) and text.isprintable() for text in texts):
            raise ValueError("a text is missing, or cannot be printed")
        if not all(isinstance(number, int | float) and abs(number) < 2**63 for number in numbers):
            raise ValueError("a number is missing, not finite or too large")
        return found

    @property
    def summary(self) -> str:
        """What was chosen and why, in one line."""
        return f"chosen: {self.chosen}, {self.reason}"

    def __str__(self) -> str:
        lines = [wrapped(self.summary)]
        if self.trials:
            widest = max(len(trial.name) for trial in self.trials)
            lines += ["", f"{'tried':{widest}}  {GOALS[self.tune_for]}"]
            lines += [f"{trial.name:{widest}}  {trial.value:.4f}" for trial in self.trials]
        return "\n".join(lines)
