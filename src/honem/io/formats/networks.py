"""Networks as CSV edge lists, and the writer for each ending; the other formats stand in modules beside this one.

A node of a higher-order network is a context, and its name is `C|B.A`: being at C after B after A. In files it is
written so that it can be taken apart again: see `honem.io.formats.names.context_name`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from honem.io.atomic import PathLike, check_file_place
from honem.io.formats.edges import edges, node_namer
from honem.io.formats.graph_xml import to_gexf, to_graphml
from honem.io.formats.infomap import to_infomap
from honem.io.formats.names import csv_cell, spreadsheet_safe_name
from honem.io.formats.text import format_of, write_lines
from honem.network import Network

NAMES_KEPT = 1 << 17


def write_network(network: Network, path: PathLike) -> None:
    """Write a network in the format that the ending says."""
    format_of(path, FORMATS)(network, path)


def check_network_path(path: PathLike) -> None:
    """Refuse, before any work is done, a path that `write_network` could not write."""
    format_of(path, FORMATS)
    check_file_place(path)


def to_csv(network: Network, path: PathLike, *, spreadsheet_safe: bool = False) -> None:
    """An edge a row: source, target, count, probability. Nodes without an edge have no row."""
    write_lines(path, csv_lines(network, spreadsheet_safe))


def csv_lines(network: Network, spreadsheet_safe: bool = False) -> Iterator[str]:
    """The lines of `to_csv`."""
    name = node_namer(network)

    @lru_cache(NAMES_KEPT)
    def cell(node: int) -> str:
        return csv_cell(spreadsheet_safe_name(name(node)) if spreadsheet_safe else name(node))

    yield "source,target,count,probability\n"
    for source, target, count, probability in edges(network):
        yield f"{cell(source)},{cell(target)},{count},{probability!r}\n"


FORMATS: dict[str, Callable[[Network, PathLike], None]] = {
    ".csv": to_csv,
    ".graphml": to_graphml,
    ".gexf": to_gexf,
    ".net": to_infomap,
}
