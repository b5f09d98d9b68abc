"""Names of nodes: what to show for each, and which node a text means.

Nodes of a model can have names besides their labels, which are often ids. A model with names is shown through a
vocabulary of `NamedNode` objects, so that rules, vectors and predictions need not know about names.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from honem._internal.similar_names import did_you_mean, folded
from honem._internal.words import whole_name_of
from honem.corpus import Vocabulary
from honem.errors import UnknownNodeError

WHOLE_NUMBER = re.compile(r"-?[0-9]{1,4300}")  # Python converts no more digits
MOST_LISTED = 5


class NamedNode(str):
    """The name under which a node is shown, which also knows the node.

    >>> node = NamedNode("Rotterdam", 11)
    >>> print(node), node.node
    Rotterdam
    (None, 11)
    """

    node: Hashable

    def __new__(cls, name: str, node: Hashable) -> NamedNode:
        """Make the name of a node."""
        made = super().__new__(cls, name)
        made.node = node
        return made

    def __getnewargs__(self) -> tuple[str, Hashable]:  # type: ignore[override]
        return str(self), self.node

    def __deepcopy__(self, memo: object) -> NamedNode:
        return self


def shown_names(labels: Sequence[Hashable], names: Sequence[str]) -> list[str]:
    """Return what to show for each node: its name, with its label where names collide, or its label if it has none.

    >>> shown_names((7, 8, 9, 10), ("Columbus", "Columbus", "", "Oslo"))
    ['Columbus (7)', 'Columbus (8)', '9', 'Oslo']
    """
    shown = [name or str(label) for label, name in zip(labels, names, strict=True)]
    for level in (1, 2):
        amounts = Counter(shown)
        shown = [
            text if amounts[text] == 1 else _longer(label, name, row, level)
            for row, (text, label, name) in enumerate(zip(shown, labels, names, strict=True))
        ]
    if len(set(shown)) < len(shown):  # a name looks like the name and label of others
        shown = [_longer(label, name, row, 2) for row, (label, name) in enumerate(zip(labels, names, strict=True))]
    return shown


def _longer(label: Hashable, name: str, row: int, level: int) -> str:
    if level == 1:
        return f"{name} ({label})" if name else str(label)
    return f"{name or label} ({label!r}, row {row + 1})"


@dataclass(frozen=True, eq=False)
class NodeNames:
    """The names of all nodes of a vocabulary, "" for nodes without one."""

    vocabulary: Vocabulary
    names: Sequence[str]

    @cached_property
    def shown(self) -> tuple[NamedNode, ...]:
        """What to show for each node, all different."""
        labels = self.vocabulary.labels
        return tuple(map(NamedNode, shown_names(labels, self.names), labels))

    def extended(self, nodes: Vocabulary) -> NodeNames:
        """Return the names with other nodes added, which have none."""
        vocabulary = self.vocabulary.extended(nodes)
        return NodeNames(vocabulary, (*self.names, *[""] * (len(vocabulary) - len(self.vocabulary))))

    def named(self, vocabulary: Vocabulary) -> Vocabulary:
        """Return a vocabulary, all of whose nodes are known here, in which they are shown by their names."""
        if vocabulary.labels == self.vocabulary.labels:
            return replace(vocabulary, labels=self.shown)
        return replace(vocabulary, labels=tuple(self.shown[self.vocabulary.id(node)] for node in vocabulary))


@dataclass(frozen=True, eq=False)
class NodeFinder:
    """Finds the node that a text means, in a vocabulary with names or without.

    A label is found before a name, and both before what differs from them only in case, accents or underscores.
    """

    vocabulary: Vocabulary

    def find(self, text: str) -> Hashable:
        """Return the node of the vocabulary that a text means.

        Raises
        ------
        UnknownNodeError
            If it means none, or several.

        Examples
        --------
        >>> finder = NodeFinder(Vocabulary(("São_Paulo", "Oslo")))
        >>> finder.find("sao paulo")
        'São_Paulo'
        >>> finder.find("Olso")
        Traceback (most recent call last):
        honem.errors.UnknownNodeError: no node 'Olso' in this corpus of 2 nodes; did you mean Oslo?
        """
        found = self.find_or_none(text)
        if found is None:
            raise UnknownNodeError(self.why_unknown(text))
        return found

    def why_unknown(self, text: str) -> str:
        """Return the message about a text that means no node, with similar ones."""
        texts = (known for node in self.vocabulary for known in _texts_of(node))
        return f"no node {text!r} in this corpus of {len(self.vocabulary)} nodes{did_you_mean(text, texts)}"

    def find_or_none(self, text: str) -> Hashable | None:
        """Return the node of the vocabulary that a text means, None if it means none; several raise an error."""
        for known in (self._by_label, self._by_name):
            for label in (text, as_utf8(text), as_number(text)):
                if label is not None and label in known:
                    return _only(text, known[label])
        return _only(text, self._by_folded[key]) if (key := folded(as_utf8(text))) in self._by_folded else None

    @cached_property
    def _by_label(self) -> dict[Hashable, list[Hashable]]:
        return {getattr(node, "node", node): [node] for node in self.vocabulary}

    @cached_property
    def _by_name(self) -> dict[Hashable, list[Hashable]]:
        """Nodes by what is shown for them, and by their names with and without the label behind them."""
        texts = ((text, node) for node in self.vocabulary for text in _texts_of(node) if text != node)
        return {**_grouped(texts), **_grouped((node, node) for node in self.vocabulary)}

    @cached_property
    def _by_folded(self) -> dict[Hashable, list[Hashable]]:
        return _grouped((folded(text), node) for node in self.vocabulary for text in _texts_of(node))


def name_alone(node: NamedNode) -> str:
    """Return the name of a node without the label that tells it from others of the same name."""
    return str(node).removesuffix(f" ({node.node})")


def _texts_of(node: Hashable) -> tuple[str, ...]:
    if not isinstance(node, NamedNode):
        return (str(node),)
    name = name_alone(node)
    return tuple(dict.fromkeys((str(node), name, f"{name} ({node.node})", str(node.node))))


def _grouped(pairs: Iterable[tuple[Hashable, Hashable]]) -> dict[Hashable, list[Hashable]]:
    groups: defaultdict[Hashable, list[Hashable]] = defaultdict(list)
    for key, node in pairs:
        groups[key].append(node)
    return dict(groups)


def _only(text: str, nodes: list[Hashable]) -> Hashable:
    """Return the only one of several nodes that a text could mean."""
    different = list(dict.fromkeys(nodes))
    if len(different) > 1:
        listed = ", ".join(map(whole_name_of, different[:MOST_LISTED])) + ", ..." * (len(different) > MOST_LISTED)
        raise UnknownNodeError(f"{text!r:.200} could be {len(different)} nodes: {listed}; write one of these in full")
    return different[0]


def as_utf8(text: str) -> str:
    """Return what was typed if it is UTF-8, also where the locale has another encoding (`LC_ALL=C`)."""
    try:
        return os.fsencode(text).decode()
    except UnicodeError:
        return text


def as_number(text: str) -> int | None:
    """Return a text as a whole number, if it is one."""
    return int(text) if WHOLE_NUMBER.fullmatch(text) else None
