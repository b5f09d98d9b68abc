"""NodeProfile: one row of named numbers per node, from counts and rules alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from honem._internal.validation import require_one_of
from honem.corpus import VisitCounts, Vocabulary
from honem.errors import ParameterError
from honem.profile.columns import PROFILE_COLUMNS
from honem.profile.counts import NodeCounts
from honem.rules import RuleTable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Features = Literal["vectors", "profile", "both"]
"""What describes a node to a classifier: its vector, its profile, or both side by side."""


@dataclass(frozen=True, eq=False)
class NodeProfile:
    """A small table of numbers that describe the role of each node: how busy, how central, how dependent on history.

    Attributes
    ----------
    vocabulary : Vocabulary
        The nodes, one per row.
    values : ndarray of float of shape (n_nodes, n_columns)
        The numbers as they are; `features` returns them scaled for classifiers.
    columns : tuple of str
        The names of the columns; docs/profile.md defines each of them.

    Raises
    ------
    ParameterError
        If a column is unknown or the shape does not fit.

    Examples
    --------
    >>> from honem import Corpus, extract_rules
    >>> corpus = Corpus.from_sequences([["home", "centre", "office"]] * 20 + [["dorm", "centre", "library"]] * 20)
    >>> profile = node_profile(extract_rules(corpus, engine="reference"), corpus.visit_counts())
    >>> profile
    NodeProfile(5 nodes, 23 columns)
    >>> profile["entropy_out"].tolist(), profile["bits_saved"].tolist()
    ([0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 40.0, 0.0, 0.0, 0.0])
    >>> profile.of_node("centre")["rules_newest_2"]
    2.0
    """

    vocabulary: Vocabulary
    values: NDArray[np.float64]
    columns: tuple[str, ...] = tuple(PROFILE_COLUMNS)

    def __post_init__(self) -> None:
        unknown = [name for name in self.columns if name not in PROFILE_COLUMNS]
        if unknown:
            raise ParameterError(f"{unknown[0]!r} is not a column of a profile; they are {', '.join(PROFILE_COLUMNS)}")
        if self.values.shape != (len(self.vocabulary), len(self.columns)):
            expected = (len(self.vocabulary), len(self.columns))
            raise ParameterError(f"the values of a profile have the shape {self.values.shape}, not {expected}")

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The node of each row."""
        return self.vocabulary.labels

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.vocabulary)

    def __getitem__(self, column: str) -> NDArray[np.float64]:
        """Return one column.

        Parameters
        ----------
        column : str
            Name of the column.

        Returns
        -------
        ndarray of float of shape (n_nodes,)
            The number of each node.

        Raises
        ------
        ParameterError
            If there is no such column.
        """
        require_one_of("column", column, self.columns)
        return self.values[:, self.columns.index(column)]

    def of_node(self, node: Hashable) -> dict[str, float]:
        """Return the numbers of one node.

        Parameters
        ----------
        node : hashable
            The node.

        Returns
        -------
        dict of str to float
            The number in each column.

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        """
        return dict(zip(self.columns, self.values[self.vocabulary.id(node)].tolist(), strict=True))

    @property
    def feature_names(self) -> list[str]:
        """The names of the columns of `features`."""
        return [PROFILE_COLUMNS[name].feature_name for name in self.columns]

    def features(self, nodes: Iterable[Hashable] | None = None) -> NDArray[np.float64]:
        """Return the columns as features for a classifier.

        Counts and bits are heavy-tailed and grow with the amount of data, so log(1 + x) is returned instead of x.

        Parameters
        ----------
        nodes : iterable of nodes, optional
            The rows of the result; all nodes by default.

        Returns
        -------
        ndarray of float of shape (n_nodes, n_columns)
            One row per node; all numbers are finite.

        Raises
        ------
        UnknownNodeError
            If there is no such node.

        Examples
        --------
        >>> from honem import HONEM
        >>> profile = HONEM(n_components=2).fit([["home", "centre", "office"]] * 20).profile()
        >>> features = profile.features(["office"])
        >>> features.shape, profile.feature_names[0], round(float(features[0, 0]), 3)
        ((1, 23), 'log1p_visits', 3.045)
        """
        rows = slice(None) if nodes is None else [self.vocabulary.id(node) for node in nodes]
        matrix = self.values[rows].astype(np.float64)
        heavy_tailed = [PROFILE_COLUMNS[name].is_heavy_tailed for name in self.columns]
        matrix[:, heavy_tailed] = np.log1p(matrix[:, heavy_tailed])
        return matrix

    def to_pandas(self) -> pd.DataFrame:
        """Return the profile as a DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per node, indexed by node, with one column per column of the profile.
        """
        import pandas as pd

        return pd.DataFrame(self.values, index=pd.Index(self.nodes, name="node"), columns=list(self.columns))

    def to_arrow(self) -> pa.Table:
        """Return the profile as an Arrow table.

        Returns
        -------
        pyarrow.Table
            One row per node: the node, then one column per column of the profile. Nodes are in a column `node`, or
            as JSON in a column `node_json` if they are neither all strings nor all integers.
        """
        from honem.io.labels import label_table

        table = label_table(self.nodes)
        for name, values in zip(self.columns, self.values.T, strict=True):
            table = table.append_column(name, [np.ascontiguousarray(values)])
        return table

    def __repr__(self) -> str:
        return f"NodeProfile({len(self)} nodes, {len(self.columns)} columns)"


def node_profile(rules: RuleTable, visited: VisitCounts) -> NodeProfile:
    """Compute the profile of all nodes from rules and counts.

    Parameters
    ----------
    rules : RuleTable
        The rules of a corpus.
    visited : VisitCounts
        How often its nodes are visited, and how often its sequences start and end there: `corpus.visit_counts()`.

    Returns
    -------
    NodeProfile
        One row per node of the vocabulary.

    Raises
    ------
    ParameterError
        If the counts are about another number of nodes than the rules.

    Examples
    --------
    >>> from honem import Corpus, extract_rules
    >>> corpus = Corpus.from_sequences([["a", "b", "a"]], weights=[3])
    >>> profile = node_profile(extract_rules(corpus, engine="reference"), corpus.visit_counts())
    >>> profile.of_node("a")["visits"], profile.of_node("a")["reciprocity"], profile.of_node("b")["start_share"]
    (6.0, 1.0, 0.0)
    """
    if len(visited.visits) != len(rules.vocabulary):
        raise ParameterError(f"the visits are those of {len(visited.visits)} nodes, not of {len(rules.vocabulary)}")
    counts = NodeCounts(rules, visited)
    return NodeProfile(
        rules.vocabulary, np.column_stack([column.compute(counts) for column in PROFILE_COLUMNS.values()])
    )
