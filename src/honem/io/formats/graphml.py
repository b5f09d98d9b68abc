"""Networks as GraphML, which Gephi, networkx, igraph and most other network tools read."""

from __future__ import annotations

from collections.abc import Iterator

from honem._internal.path_like import PathLike
from honem.io.formats.edges import edges
from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.text import write_lines
from honem.io.formats.xml_text import EDGE_COLUMNS, NODE_COLUMNS, content, xml_nodes
from honem.network import Network


def network_to_graphml(network: Network, path: PathLike) -> None:
    """Write GraphML."""
    write_lines(path, _graphml_lines(network))


def _graphml_lines(network: Network) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for kind, columns in (("node", NODE_COLUMNS), ("edge", EDGE_COLUMNS)):
        for name, type_ in columns:
            yield f'<key id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>\n'
    yield '<graph edgedefault="directed">\n'
    for number, label, here, order in xml_nodes(network, content):
        values = zip(NODE_COLUMNS, (label, here, order), strict=True)
        data = "".join(f'<data key="node_{name}">{value}</data>' for (name, _), value in values)
        yield f'<node id="n{number}">{data}</node>\n'
    for source, target, count, probability in edges(network):
        yield (
            f'<edge source="n{source}" target="n{target}"><data key="edge_weight">{count}</data>'
            f'<data key="edge_count">{count}</data><data key="edge_probability">{probability!r}</data></edge>\n'
        )
    yield "</graph>\n</graphml>\n"


register(OutputFormat("graphml", "network", ".graphml", "Gephi, networkx, igraph, yEd", network_to_graphml))
