"""Options for a table with names, categories and coordinates of nodes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.io.tables import NodeTable


def add_label_options(group: Any) -> None:
    """Add --labels and --names to a parser or a group of options."""
    group.add_argument(
        "--labels",
        metavar="FILE",
        help="CSV, TSV or Parquet file: the node first, then names, categories, lon and lat in columns with a header",
    )
    group.add_argument(
        "--names", metavar="COLUMN", help="column of --labels with names for the nodes (default: name, if it exists)"
    )


def checked_labels(args: argparse.Namespace) -> NodeTable | None:
    """Read the table of labels, if one is given; it is read before the paths, so that errors come early."""
    from honem.io.tables import NodeTable

    if args.labels is None:
        if args.names is not None:
            raise ParameterError("--names is a column of --labels FILE; name the file")
        return None
    table = NodeTable.read(args.labels)
    if args.names is not None:
        table.labels(args.names)  # raises if there is no such column
    return table
