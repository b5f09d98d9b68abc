"""The columns of a profile: what each one is called, what it means, and how it is computed.

To add a column, add it to PROFILE_COLUMNS and to the table in docs/profile.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honem.profile.counts import NodeCounts, divided

Unit = Literal["count", "bits", "bits per step", "share", "order"]


@dataclass(frozen=True)
class ProfileColumn:
    """One number per node.

    Attributes
    ----------
    name : str
        Name of the column.
    unit : {"count", "bits", "bits per step", "share", "order"}
        What the number is.
    meaning : str
        What it says about a node, in one phrase.
    compute : callable
        Returns the numbers of all nodes.
    """

    name: str
    unit: Unit
    meaning: str
    compute: Callable[[NodeCounts], NDArray[np.float64]]

    @property
    def is_heavy_tailed(self) -> bool:
        """Whether the number grows with the amount of data; features have log(1 + x) instead."""
        return self.unit in ("count", "bits")

    @property
    def feature_name(self) -> str:
        """Name of the column in a matrix of features."""
        return f"log1p_{self.name}" if self.is_heavy_tailed else self.name


def _columns_of_rules(place: Literal["newest", "oldest"]) -> Iterator[ProfileColumn]:
    for orders, least, most in (("2", 2, 2), ("3", 3, 3), ("4_up", 4, None)):
        words = f"order {least}" if most else f"order {least} or more"
        compute = partial(NodeCounts.trusted_rules, place=place, least=least, most=most)
        meaning = f"trusted rules of {words} whose {place} node it is"
        yield ProfileColumn(f"rules_{place}_{orders}", "count", meaning, compute)


_COLUMNS = (
    ProfileColumn("visits", "count", "occurrences in the sequences", lambda of: of.visited.visits),
    ProfileColumn("strength_in", "count", "steps to the node", lambda of: of.strength_in),
    ProfileColumn("strength_out", "count", "steps from the node", lambda of: of.strength_out),
    ProfileColumn("predecessors", "count", "distinct nodes one step before", lambda of: of.degrees(of.steps_back)),
    ProfileColumn("successors", "count", "distinct nodes one step after", lambda of: of.degrees(of.steps)),
    ProfileColumn(
        "entropy_in", "bits per step", "entropy of the previous node", lambda of: of.entropies(of.steps_back)
    ),
    ProfileColumn("entropy_out", "bits per step", "entropy of the next node", lambda of: of.entropies(of.steps)),
    ProfileColumn("starts", "count", "sequences that start at the node", lambda of: of.visited.starts),
    ProfileColumn("ends", "count", "sequences that end at the node", lambda of: of.visited.ends),
    ProfileColumn(
        "start_share",
        "share",
        "share of its visits that start a sequence",
        lambda of: divided(of.visited.starts, of.visited.visits),
    ),
    ProfileColumn(
        "end_share",
        "share",
        "share of its visits that end a sequence",
        lambda of: divided(of.visited.ends, of.visited.visits),
    ),
    ProfileColumn(
        "reciprocity",
        "share",
        "share of its steps, in and out, that are matched by a step in the other direction",
        lambda of: divided(of.matched_steps, of.strength_in + of.strength_out),
    ),
    *_columns_of_rules("newest"),
    *_columns_of_rules("oldest"),
    ProfileColumn(
        "highest_order",
        "order",
        "highest order of the accepted rules whose newest node it is",
        lambda of: of.highest_order,
    ),
    ProfileColumn(
        "changed_share",
        "share",
        "share of the steps from the node that come after the context of a trusted rule",
        lambda of: divided(of.changed_steps, of.strength_out),
    ),
    ProfileColumn(
        "bits_saved",
        "bits",
        "bits by which history shortens the code of the steps from the node",
        lambda of: of.bits("newest"),
    ),
    ProfileColumn(
        "bits_saved_per_step",
        "bits per step",
        "the same per step from the node",
        lambda of: divided(of.bits("newest"), of.strength_out),
    ),
    ProfileColumn(
        "bits_given",
        "bits",
        "bits that trusted rules save whose oldest node it is",
        lambda of: of.bits("oldest"),
    ),
)

PROFILE_COLUMNS = {column.name: column for column in _COLUMNS}
"""All columns by name, in the order of the table."""
