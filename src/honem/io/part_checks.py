"""What the parts of a store must be like; checked before they are written, and again after they are read.

A file can have the hash that the manifest states and still not hold what honem writes. All code behind `load` relies on
what is checked here: numbers are finite, rules are sorted, node numbers are in range, and a context has at least the
counts of the longer contexts that end in it. Every check raises ParameterError and says what is wrong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honem.corpus import MAX_COUNT, Vocabulary
from honem.embedding import Embedding, Vectors
from honem.errors import CorpusError, ParameterError
from honem.io.node_labels import NodeLabels
from honem.profile import NodeProfile
from honem.rules import RuleTable
from honem.rules.context_tree import NOT_A_RULE, ContextTree
from honem.rules.suffixes import longest_suffix_rules, rows_of_same_target

MOST_BITS_PER_STEP = 64
"""No divergence is larger: a count is at least 1, and all counts fit in 64 bits."""

ROUNDING = 1e-6
VECTOR_TYPES = (np.dtype(np.float32), np.dtype(np.float64))


def check_nodes(vocabulary: Vocabulary) -> None:
    """Check that every node can be looked up, and is there only once."""
    try:
        _ = vocabulary.ids
    except TypeError as error:
        raise ParameterError(f"a node cannot be looked up: {error}") from None
    except CorpusError as error:
        raise ParameterError(str(error)) from None
    if any(label != label for label in vocabulary):
        raise ParameterError("a node is NaN, which is not equal to itself")


def check_vectors(embedding: Embedding) -> None:
    """Check that vectors have the same number of dimensions, and that scores of all pairs are finite."""
    for name, vectors in (("source", embedding.source), ("target", embedding.target)):
        if vectors is not None:
            _check_matrix(name, vectors, embedding.dimension)
    values = embedding.singular_values
    n_values = embedding.dimension if embedding.rotation is None else _check_rotation(embedding)
    if values is None:
        return
    if values.dtype not in VECTOR_TYPES or values.shape != (n_values,):
        raise ParameterError(f"singular_values are {_shown(values)} for {n_values} dimensions")
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ParameterError("singular_values hold a number that is negative or not finite")


def _check_rotation(embedding: Embedding) -> int:
    """Check that vectors were multiplied by a matrix with orthonormal rows, and return the number of its rows."""
    rotation = embedding.rotation
    assert rotation is not None
    if rotation.dtype not in VECTOR_TYPES or rotation.ndim != 2 or rotation.shape[1] != embedding.dimension:
        raise ParameterError(f"rotation is {_shown(rotation)} for {embedding.dimension} dimensions")
    with np.errstate(over="ignore", invalid="ignore"):
        is_rotation = np.abs(rotation @ rotation.T - np.eye(len(rotation))).max(initial=0.0) < ROUNDING
    if not is_rotation:
        raise ParameterError("the rows of rotation are not orthonormal")
    return len(rotation)


def _check_matrix(name: str, vectors: Vectors, dimension: int) -> None:
    if vectors.dtype not in VECTOR_TYPES or not dimension or vectors.shape[1] != dimension:
        raise ParameterError(
            f"{name} is {_shown(vectors)}, not numbers of 32 or 64 bits in {dimension or 'some'} columns"
        )
    # Distances add four squared lengths at most.
    with np.errstate(over="ignore", invalid="ignore"):
        is_usable = np.einsum("ij,ij->i", vectors, vectors) < np.finfo(vectors.dtype).max / 8
    if not is_usable.all():
        raise ParameterError(
            f"{name} holds numbers that are not finite or too large, first in row {is_usable.argmin()}"
        )


def _shown(array: NDArray[np.generic]) -> str:
    return f"an array of {array.dtype} and shape {array.shape}"


def check_profile(profile: NodeProfile) -> None:
    """Check that no column is there twice and that the page can hold all numbers; what is not known is NaN."""
    if len(set(profile.columns)) < len(profile.columns):
        raise ParameterError("a profile has a column twice")
    if (np.abs(profile.values) > np.finfo(np.float32).max).any():
        raise ParameterError("a profile holds a number that is infinite or too large")


def check_labels(labels: NodeLabels) -> None:
    """Check that labels can be written as UTF-8; all else is checked when they are made."""
    for name, texts in labels.columns.items():
        try:
            "".join((name, *texts)).encode()
        except UnicodeEncodeError:
            raise ParameterError(f"the labels {name!a} hold text that is not valid Unicode") from None


def check_rules(rules: RuleTable) -> None:
    """Check that a rule table has all properties that its class documents."""
    _check_columns(rules)
    if rules.n_rules:
        _check_contexts(rules)
        _check_targets(rules)
        _check_suffixes(rules)


def _check_columns(rules: RuleTable) -> None:
    """Check lengths and numbers of all columns."""
    for name, offsets, values in (
        ("contexts", rules.context_offsets, rules.context_nodes),
        ("targets", rules.target_offsets, rules.targets),
    ):
        if len(offsets) != rules.n_rules + 1 or offsets[0] != 0 or offsets[-1] != len(values):
            raise ParameterError(f"the {name} of {rules.n_rules} rules have {len(offsets)} offsets")
        if (np.diff(offsets) < 1).any():
            raise ParameterError(f"a rule has no {name}")
        if len(values) and not 0 <= values.min() <= values.max() < len(rules.vocabulary):
            raise ParameterError(f"a rule names a node that is not one of the {len(rules.vocabulary)}")
    if len(rules.counts) != rules.n_rows:
        raise ParameterError("a rule has more targets than counts, or fewer")
    columns = (rules.divergences, rules.evidence, rules.q_values)
    if any(len(column) != rules.n_rules or np.isinf(column).any() for column in columns):
        raise ParameterError("a divergence, evidence or q-value is missing or infinite")
    if not ((rules.divergences > -ROUNDING) & (rules.divergences <= MOST_BITS_PER_STEP)).all():
        raise ParameterError(f"a divergence is not between 0 and {MOST_BITS_PER_STEP} bits")
    if (rules.q_values < 0).any() or (rules.q_values > 1).any():
        raise ParameterError("a q-value is not between 0 and 1")


def _check_contexts(rules: RuleTable) -> None:
    """Check that rules are sorted by order, then by their nodes from newest to oldest, and that none is there twice."""
    if (np.diff(rules.orders) < 0).any():
        raise ParameterError("rules are not sorted by order")
    for order in rules.rules_by_order:
        if not _is_ascending(rules.contexts(order)[:, ::-1]):
            raise ParameterError(f"rules of order {order} are not sorted, or one is there twice")


def _is_ascending(rows: NDArray[np.int32]) -> bool:
    """Return whether each row is greater than the one before it, in lexicographic order."""
    before, after = rows[:-1], rows[1:]
    column, row = (before != after).argmax(axis=1), np.arange(len(after))
    return bool((before[row, column] < after[row, column]).all())


def _check_targets(rules: RuleTable) -> None:
    """Check that the targets of each rule are sorted, that none is there twice, and that each was counted."""
    is_same_rule = np.diff(rules.rule_of_row) == 0
    if (is_same_rule & (np.diff(rules.targets) <= 0)).any():
        raise ParameterError("the targets of a rule are not sorted, or one is there twice")
    if rules.counts.min() < 1:
        raise ParameterError("a count is less than 1")
    orders = rules.orders[rules.rule_of_row]
    if np.bincount(orders, rules.counts.astype(np.float64)).max() >= MAX_COUNT:
        raise ParameterError("counts add up to more than 64 bits can hold")


def _check_suffixes(rules: RuleTable) -> None:
    """Check that the counts of contexts do not exceed those of the longest shorter context that they end in."""
    parents = longest_suffix_rules(rules, ContextTree.of(rules))
    rows = np.flatnonzero(parents[rules.rule_of_row] != NOT_A_RULE)
    shorter = np.minimum(rows_of_same_target(rules, parents)[rows], rules.n_rows - 1)
    is_found = (rules.rule_of_row[shorter] == parents[rules.rule_of_row[rows]]) & (
        rules.targets[shorter] == rules.targets[rows]
    )
    longer_counts = np.zeros(rules.n_rows, np.int64)
    np.add.at(longer_counts, shorter, rules.counts[rows])
    if not is_found.all() or (longer_counts > rules.counts).any():
        raise ParameterError("a target was counted more often after longer contexts than after a shorter one")
