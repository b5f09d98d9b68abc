"""What identifies a result: all parameters after defaults, the data, and the code that computes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, cast

import numpy as np

from honem._internal.hashing import fingerprint
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.errors import HonemError
from honem.evaluation.cells import Cell, evaluate_cell
from honem.evaluation.chosen_method import ChosenMethod
from honem.evaluation.methods import Method
from honem.evaluation.records import Record
from honem.evaluation.reproduce.source_code import code_fingerprint
from honem.evaluation.running_time import time_jobs

Identity = dict[str, Any]
"""Plain values that can be written as JSON."""
Judge = Callable[[Cell], list[Record]]

WITHOUT_EFFECT = ("n_jobs", "verbose")
"""Parameters that do not change any number."""
LONGEST = 200
"""Longer descriptions, such as the labels of all nodes, are replaced by their hash."""


def key_of(identity: Identity) -> str:
    """Return a short hash of an identity."""
    return sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]


def cell_identity(cell: Cell, judge: Judge = evaluate_cell) -> Identity:
    """Return the identity of a cell whose records are computed by `judge`."""
    return {
        "dataset": cell.task.dataset,
        "task": cell.task.name,
        "seed": cell.seed,
        "method": method_identity(cell.method, cell.dimension, cell.seed),
        "task_settings": settings_of(cell.task),
        "data": _training_fingerprint(cast(Hashable, cell.task), cell.seed),
        "code": code_fingerprint([cell.task, judge, *code_of(cell.method, cell.dimension, cell.seed)]),
    }


def timing_identity(dataset: str, task: str, corpus: Corpus, methods: Iterable[Method], dimension: int) -> Identity:
    """Return the identity of a round of timings: the methods take turns, so they are timed together."""
    methods = tuple(methods)
    return {
        "dataset": dataset,
        "task": task,
        "methods": [method_identity(method, dimension, 0) for method in methods],
        "data": describe(corpus),
        "code": code_fingerprint(
            [time_jobs, *(thing for method in methods for thing in code_of(method, dimension, 0))]
        ),
    }


def method_identity(method: Method, dimension: int, seed: int) -> Identity:
    """Return the name of a method and all its parameters after defaults."""
    if isinstance(method, ChosenMethod):
        try:
            # A method without dimension or seed among its options has the same result for all of them.
            return {"name": method.name, **_described(method.at(dimension, seed).settings())}
        except HonemError as error:  # fitting it will say so too
            return {"name": method.name, "dimension": dimension, "problem": str(error)}
    return {"name": method.name, "dimension": dimension, "seed": seed, **settings_of(method)}


def code_of(method: Method, dimension: int, seed: int) -> tuple[object, ...]:
    """Return the objects whose code runs when a method is fitted."""
    if not isinstance(method, ChosenMethod):
        return (method,)
    try:
        return method.at(dimension, seed).parts()
    except HonemError:
        return (method.method,)


def settings_of(thing: object) -> Identity:
    """Return all fields of a dataclass, such as a task, that can change a result; other objects have none.

    >>> from honem.evaluation import NextStepPrediction
    >>> settings = settings_of(NextStepPrediction(Corpus.from_sequences([["a", "b"]]), share=0.1))
    >>> settings["share"], settings["ks"], settings["name"]
    (0.1, [1, 5, 10], 'next_step')
    """
    if not is_dataclass(thing):
        return {}
    return _described({field.name: getattr(thing, field.name) for field in fields(thing)})


def _described(settings: Mapping[str, Any]) -> Identity:
    return {name: _short(describe(value)) for name, value in settings.items() if name not in WITHOUT_EFFECT}


def _short(description: Any) -> Any:
    text = json.dumps(description)
    return description if len(text) <= LONGEST else f"sha256:{sha256(text.encode()).hexdigest()[:16]}"


def describe(value: Any) -> Any:
    """Return plain values that are equal for equal values: large ones by a hash, functions by their code."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Corpus):
        return corpus_fingerprint(value)
    if isinstance(value, Embedding):
        sides = [value.source] if value.target is None else [value.source, value.target]
        return fingerprint(*sides, np.array(list(map(repr, value.nodes))))
    if isinstance(value, np.ndarray):
        return fingerprint(value)
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value) and not isinstance(value, type):
        return {"class": type(value).__qualname__, **settings_of(value)}
    if isinstance(value, Mapping):
        return sorted([repr(key), describe(inner)] for key, inner in value.items())
    if isinstance(value, Set):
        return sorted(map(repr, value))
    if isinstance(value, Sequence):
        return [describe(inner) for inner in value]
    if callable(value):
        return f"{getattr(value, '__qualname__', type(value).__qualname__)}: {code_fingerprint([value])}"
    return repr(value)


@lru_cache(maxsize=8)
def _training_fingerprint(task: Any, seed: int) -> str:
    """Return the hash of what all methods see; it is needed for each of them."""
    return corpus_fingerprint(task.training_corpus(seed))


@lru_cache(maxsize=32)
def corpus_fingerprint(corpus: Corpus) -> str:
    """Return a hash that is the same for the same sequences and weights in the same order."""
    return fingerprint(corpus.tokens, corpus.offsets, corpus.weights, np.array(list(map(repr, corpus.vocabulary))))
