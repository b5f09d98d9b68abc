"""Reading stores, with nodes shown by their names, and nodes as they are typed in a shell."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from honem.corpus import Vocabulary
from honem.errors import HonemWarning, InputError
from honem.node_names import NamedNode, NodeFinder, NodeNames

if TYPE_CHECKING:
    from honem.embedding import Embedding
    from honem.io.node_labels import NodeLabels
    from honem.io.store import Store
    from honem.prediction import NextStep, RuleNextStep
    from honem.profile import NodeProfile
    from honem.rules import RuleTable


def load_with_rules(directory: str, purpose: str) -> tuple[Store, RuleTable]:
    """Load a store; raise InputError if it has no rules, which `purpose` needs."""
    from honem.io.store import load

    store = load(directory)
    if store.rules is None:
        raise InputError(f"{directory} was saved without rules, which are needed to {purpose}")
    return store, store.rules


def load_named(directory: str, purpose: str) -> tuple[Store, RuleTable]:
    """Load a store with rules as `load_with_rules` does, with nodes shown by their names if they have any."""
    store, rules = load_with_rules(directory, purpose)
    names = joint_names((store.embedding.vocabulary, store.labels))
    if names is None:
        return store, rules
    vocabulary = names.named(store.embedding.vocabulary)
    rules = replace(rules, vocabulary=vocabulary)
    next_step = None if store.next_step is None else replace(store.next_step, vocabulary=vocabulary)
    embedding = replace(store.embedding, vocabulary=vocabulary)
    return replace(store, embedding=embedding, rules=rules, next_step=next_step), rules


def joint_names(*models: tuple[Vocabulary, NodeLabels | None]) -> NodeNames | None:
    """Return names for the nodes of several models, so that a node is shown alike in all; None if none has names."""
    names = next((labels.node_names for _, labels in models if labels is not None and labels.names is not None), None)
    for vocabulary, _ in models if names is not None else ():
        names = names if names is None else names.extended(vocabulary)
    return names


def named_embeddings(*directories: str) -> list[Embedding]:
    """Load the vectors of stores; nodes are shown by the names that the first store with names has for them."""
    from honem.io.store import load

    stores = [load(directory, with_rules=False, with_profile=False) for directory in directories]
    names = joint_names(*((store.embedding.vocabulary, store.labels) for store in stores))
    embeddings = [store.embedding for store in stores]
    return [one if names is None else replace(one, vocabulary=names.named(one.vocabulary)) for one in embeddings]


def load_profile(directory: str) -> NodeProfile:
    """Load the profile of a store; raise InputError if it has none."""
    from honem.io.store import load

    store = load(directory, with_rules=False)
    if store.profile is None:
        raise InputError(f"{directory} was saved without a profile; run `honem embed` again to make one")
    return store.profile


def load_named_profile(directory: str) -> NodeProfile:
    """Load the profile of a store, with nodes shown by their names."""
    from honem.io.store import load

    profile, labels = load_profile(directory), load(directory, with_rules=False, with_profile=False).labels
    names = joint_names((profile.vocabulary, labels))
    return profile if names is None else replace(profile, vocabulary=names.named(profile.vocabulary))


def load_predictor(directory: str) -> NextStep | RuleNextStep:
    """Load the next-step model of a store, or its rules as one if it has none; nodes are shown by their names."""
    from honem.prediction import RuleNextStep

    store, rules = load_named(directory, "predict the next node")
    return RuleNextStep.of(rules) if store.next_step is None else store.next_step


def has_names(vocabulary: Vocabulary) -> bool:
    """Return whether nodes are shown by names."""
    return any(isinstance(node, NamedNode) for node in vocabulary[:1])


def known_node(text: str, vocabulary: Vocabulary) -> Hashable:
    """Return the node that a text from the shell means; raise UnknownNodeError, with similar ones, if there is none."""
    return NodeFinder(vocabulary).find(text)


def known_nodes(texts: Iterable[str], vocabulary: Vocabulary) -> list[Hashable]:
    """Return the nodes that texts mean; those that mean none, of which a warning tells the first, stay as they are."""
    finder = NodeFinder(vocabulary)
    found = [(text, finder.find_or_none(text)) for text in texts]
    unknown = [text for text, node in found if node is None]
    if unknown:
        warnings.warn(finder.why_unknown(unknown[0]), HonemWarning, stacklevel=2)
    return [text if node is None else node for text, node in found]
