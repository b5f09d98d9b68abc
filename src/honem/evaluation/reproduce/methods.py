"""Every method the harness can be asked for, by name: HONEM, first order alone, and the baselines."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from honem._internal.validation import require_one_of
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.errors import ParameterError
from honem.estimator import HONEM
from honem.evaluation.baselines import METHODS as BASELINES
from honem.evaluation.baselines import make_baseline
from honem.rules.engines import extract_rules

OURS: dict[str, dict[str, Any]] = {"honem": {}, "first-order": {"preset": "paper", "max_order": 1}}
POPULARITY = "popularity"
METHOD_NAMES = (*OURS, POPULARITY, *BASELINES)

PAPER_BASELINES = ("deepwalk", "node2vec", "line", "graph-factorization", "laplacian", "grarep")


@dataclass(frozen=True)
class ChosenMethod:
    """A method with its options; its name is what was asked for.

    >>> parse_method("node2vec:p=0.5,directed=False").options
    {'p': 0.5, 'directed': False}
    """

    name: str
    method: str
    options: dict[str, Any] = field(default_factory=dict)

    def fit(self, corpus: Corpus, dimension: int, seed: int) -> Embedding:
        """Vectors for the nodes of the corpus."""
        return self._fitter(dimension, seed)(corpus)

    def _fitter(self, dimension: int, seed: int) -> Callable[[Corpus], Embedding]:
        if self.method in OURS:
            known = HONEM().get_params()
            unknown = [name for name in self.options if name not in known]
            if unknown:
                raise ParameterError(f"{self.method} has no option {unknown[0]!r}; it has {', '.join(known)}")
            model = HONEM(dimension, random_state=seed, **{**OURS[self.method], **self.options})
            model.plan()
            return lambda corpus: model.fit(corpus).embedding_
        if self.method == POPULARITY:
            return lambda corpus: popularity(corpus, dimension)
        baseline = make_baseline(self.method, n_components=dimension, random_state=seed, **self.options)
        if baseline.needs_rules:
            return lambda corpus: baseline.fit(extract_rules(corpus, lower_orders="hon"))  # type: ignore[arg-type]
        return baseline.fit


def is_ours(name: str) -> bool:
    """Whether a method is HONEM, at its defaults or with options."""
    return name.partition(":")[0] == "honem"


def family_of(name: str) -> str:
    """What competes as one method: all forms of a baseline, but each form of HONEM by itself.

    >>> family_of("node2vec:p=0.5,q=2"), family_of("honem"), family_of("honem:max_order=2")
    ('node2vec', 'honem', 'honem:max_order=2')
    """
    return name if is_ours(name) else name.partition(":")[0]


def popularity(corpus: Corpus, dimension: int) -> Embedding:
    """What any method has to beat: everybody leads to where most go. One column says that; the others are 0."""
    source, target = np.zeros((2, corpus.n_nodes, dimension))
    source[:, 0] = 1.0
    weights = np.repeat(corpus.weights, corpus.lengths)
    target[:, 0] = np.bincount(corpus.tokens, weights, minlength=corpus.n_nodes)
    return Embedding(corpus.vocabulary, source, target)


def parse_method(text: str) -> ChosenMethod:
    """A method as it is written: `netmf`, or `node2vec:p=0.5,q=2` with options of its own."""
    method, _, given = text.partition(":")
    require_one_of("method", method, METHOD_NAMES)
    options = {}
    for part in filter(None, given.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise ParameterError(f"{text}: options are written name=value, not {part!r}")
        options[name] = _value(value)
    chosen = ChosenMethod(text, method, options)
    chosen._fitter(128, 0)  # an option without meaning is told now, not after an hour
    return chosen


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
