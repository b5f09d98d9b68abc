"""Methods as they are written on the command line: a name, and options after a colon."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from honem.corpus import Corpus
from honem.errors import ParameterError
from honem.evaluation.methods import METHODS, Fitted, MethodKind, RegisteredMethod, find_method


@dataclass(frozen=True)
class ChosenMethod:
    """A registered method with options.

    Parameters
    ----------
    name : str
        The text that the user gave, which names the method in tables.
    method : type of RegisteredMethod
        The class of the method.
    options : dict, optional
        Options other than the defaults.
    """

    name: str
    method: type[RegisteredMethod]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def uses_dimension(self) -> bool:
        """Whether the dimension can change the result."""
        return "n_components" in self.method.option_names()

    def at(self, dimension: int, seed: int) -> RegisteredMethod:
        """Return the method with its options at a dimension and seed."""
        return self.method.create(self.options, dimension=dimension, seed=seed)

    def told(self, **facts: Any) -> ChosenMethod:
        """Return the method told facts about the task that are options of it, unless its options say otherwise."""
        known = {name: value for name, value in facts.items() if name in self.method.option_names()}
        return replace(self, options={**known, **self.options})

    def fit(self, corpus: Corpus, dimension: int, seed: int) -> Fitted:
        """Fit the method to a corpus."""
        return self.at(dimension, seed).fit(corpus)


def parse_method(text: str, kinds: Sequence[MethodKind] = ("vectors", "scores")) -> ChosenMethod:
    """Return the method that a text names, such as `netmf` or `node2vec:p=0.5,q=2`.

    Parameters
    ----------
    text : str
        A name, and options after a colon.
    kinds : sequence of str, default=("vectors", "scores")
        What the method may return: "vectors", "scores" or "predictions"; one name may have a form for each.

    Raises
    ------
    ParameterError
        If no method of these kinds has the name, or an option is unknown or has no meaning.

    Examples
    --------
    >>> parse_method("node2vec:p=0.5,directed=False").options
    {'p': 0.5, 'directed': False}
    """
    name, _, given = text.partition(":")
    options = {}
    for part in filter(None, given.split(",")):
        option, equals, value = part.partition("=")
        if not equals:
            raise ParameterError(f"{text}: options are written name=value, not {part!r}")
        options[option] = _value(value)
    chosen = ChosenMethod(text, find_method(name, kinds), options)
    chosen.at(128, 0)  # raises now, not after an hour, if an option has no meaning
    return chosen


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def is_ours(name: str) -> bool:
    """Return whether a method is a form of HONEM, with options or without.

    >>> is_ours("honem:max_order=2"), is_ours("netmf"), is_ours("vectors.csv")
    (True, False, False)
    """
    return any(method.is_ours for method in METHODS.values() if method.name == name.partition(":")[0])


def family_of(name: str) -> str:
    """Return the name under which a method competes: all forms of a baseline are one, each form of HONEM is its own.

    >>> family_of("node2vec:p=0.5,q=2"), family_of("honem"), family_of("honem:max_order=2")
    ('node2vec', 'honem', 'honem:max_order=2')
    """
    return name if is_ours(name) else name.partition(":")[0]
