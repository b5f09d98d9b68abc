"""Networks as Infomap's state networks: each context is a state of its newest node."""

from __future__ import annotations

from collections.abc import Iterator

from honem._internal.path_like import PathLike
from honem.io.formats.edges import edges, node_namer
from honem.io.formats.names import CONTROLS, escaper, names_of
from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.text import write_lines
from honem.network import Network


def network_to_infomap(network: Network, path: PathLike) -> None:
    """Write `*Vertices`, `*States` and `*Links`, numbered from 1, with counts as weights of the links.

    Names are put in double quotes unchanged, except that control characters are escaped (`_x000A_`).
    """
    write_lines(path, _lines(network))


def _lines(network: Network) -> Iterator[str]:
    escape, name = escaper(CONTROLS), node_namer(network)
    yield f"*Vertices {len(network.vocabulary)}\n"
    for number, place in enumerate(names_of(network.vocabulary.labels), start=1):
        yield f'{number} "{escape(place)}"\n'
    yield f"*States {network.n_nodes}\n"
    newest = network.context_nodes[network.context_offsets[1:] - 1]
    for state in range(network.n_nodes):
        yield f'{state + 1} {newest[state] + 1} "{escape(name(state))}"\n'
    yield "*Links\n"
    for source, target, count, _ in edges(network):
        yield f"{source + 1} {target + 1} {count}\n"


register(OutputFormat("infomap", "network", ".net", "Infomap", network_to_infomap))
