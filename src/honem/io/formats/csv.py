"""Vectors, rules, networks and profiles as CSV files.

A node of a higher-order network is a context, and its name is `C|B.A`: at C after B after A. In files it is written so
that it can be parsed again: see `honem.io.formats.names.context_name`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from honem.io.formats.edges import edges, node_namer
from honem.io.formats.names import csv_cell, csv_cells, names_of, spreadsheet_safe_name
from honem.io.formats.number_text import number_rows, with_header
from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.rule_rows import TRUTH, each_rule, number_or
from honem.io.formats.text import write_lines
from honem.io.labels import label_json

if TYPE_CHECKING:
    from honem._internal.path_like import PathLike
    from honem.embedding import Embedding
    from honem.network import Network
    from honem.profile import NodeProfile
    from honem.rules import RuleTable

RULE_COLUMNS = (
    "context",
    "target",
    "order",
    "count",
    "probability",
    "support",
    "divergence",
    "threshold",
    "evidence",
    "q_value",
    "accepted",
)
NAMES_KEPT = 1 << 17


def vectors_to_csv(embedding: Embedding, path: PathLike, *, spreadsheet_safe: bool = False) -> None:
    """Write one row per node: its name, source_0, source_1, ..., target_0, target_1, ..."""
    cells = csv_cells(names_of(embedding.nodes), spreadsheet_safe)
    header = ",".join(["node", *embedding.feature_names()])
    matrix = embedding.source if embedding.target is None else np.hstack((embedding.source, embedding.target))
    write_lines(path, with_header(header, number_rows(cells, matrix, ",")))


def rules_to_csv(rules: RuleTable, path: PathLike, *, spreadsheet_safe: bool = False) -> None:
    """Write one row per context and target; the context is a JSON list, oldest node first."""
    write_lines(path, with_header(",".join(RULE_COLUMNS), rule_lines(rules, spreadsheet_safe)))


def rule_lines(rules: RuleTable, spreadsheet_safe: bool = False) -> Iterator[str]:
    """Yield the lines of `rules_to_csv` after the header."""
    labels = [label_json(label) for label in rules.vocabulary.labels]
    targets = csv_cells(names_of(rules.vocabulary.labels), spreadsheet_safe)
    for nodes, (support, divergence, threshold, evidence, q_value, accepted), rows in each_rule(rules):
        context = csv_cell(f"[{', '.join([labels[node] for node in nodes])}]")
        tested = f"{number_or('', evidence)},{number_or('', q_value)}"
        tail = f"{support},{divergence!r},{threshold!r},{tested},{TRUTH[accepted]}\n"
        for target, count, probability in rows:
            yield f"{context},{targets[target]},{len(nodes)},{count},{probability!r},{tail}"


def network_to_csv(network: Network, path: PathLike, *, spreadsheet_safe: bool = False) -> None:
    """Write one row per edge: source, target, count, probability. Nodes without an edge have no row."""
    write_lines(path, with_header("source,target,count,probability", edge_lines(network, spreadsheet_safe)))


def edge_lines(network: Network, spreadsheet_safe: bool = False) -> Iterator[str]:
    """Yield the lines of `network_to_csv` after the header."""
    name = node_namer(network)

    @lru_cache(NAMES_KEPT)
    def cell(node: int) -> str:
        return csv_cell(spreadsheet_safe_name(name(node)) if spreadsheet_safe else name(node))

    for source, target, count, probability in edges(network):
        yield f"{cell(source)},{cell(target)},{count},{probability!r}\n"


def profile_to_csv(profile: NodeProfile, path: PathLike, *, spreadsheet_safe: bool = False) -> None:
    """Write one row per node: its name, then the columns of the profile."""
    cells = csv_cells(names_of(profile.nodes), spreadsheet_safe)
    write_lines(path, with_header(",".join(["node", *profile.columns]), number_rows(cells, profile.values, ",")))


SAFE = ("spreadsheet_safe",)
register(OutputFormat("csv", "vectors", ".csv", "spreadsheets, R, anything", vectors_to_csv, options=SAFE))
register(OutputFormat("csv", "network", ".csv", "anything that reads a list of edges", network_to_csv, options=SAFE))
register(OutputFormat("csv", "rules", ".csv", "spreadsheets, pandas, DuckDB", rules_to_csv, options=SAFE))
register(OutputFormat("csv", "profile", ".csv", "spreadsheets, R, anything", profile_to_csv, options=SAFE))
