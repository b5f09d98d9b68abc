"""Networks as GEXF 1.2, which Gephi and networkx read."""

from __future__ import annotations

from collections.abc import Iterator

from honem._internal.path_like import PathLike
from honem.io.formats.edges import edges
from honem.io.formats.registry import OutputFormat, register
from honem.io.formats.text import write_lines
from honem.io.formats.xml_text import EDGE_COLUMNS, NODE_COLUMNS, attribute, xml_nodes
from honem.network import Network


def network_to_gexf(network: Network, path: PathLike) -> None:
    """Write GEXF 1.2."""
    write_lines(path, _gexf_lines(network))


def _gexf_lines(network: Network) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n'
    yield '<graph defaultedgetype="directed" mode="static">\n'
    # Labels of nodes and weights of edges are attributes that GEXF defines itself.
    for kind, columns in (("node", NODE_COLUMNS[1:]), ("edge", EDGE_COLUMNS[1:])):
        types = [(name, "integer" if type_ == "int" else type_) for name, type_ in columns]
        listed = "".join(f'<attribute id="{name}" title="{name}" type="{type_}"/>' for name, type_ in types)
        yield f'<attributes class="{kind}">{listed}</attributes>\n'
    yield "<nodes>\n"
    for number, label, here, order in xml_nodes(network, attribute):
        values = f'<attvalue for="node" value={here}/><attvalue for="order" value="{order}"/>'
        yield f'<node id="n{number}" label={label}><attvalues>{values}</attvalues></node>\n'
    yield "</nodes>\n<edges>\n"
    for number, (source, target, count, probability) in enumerate(edges(network)):
        values = f'<attvalue for="count" value="{count}"/><attvalue for="probability" value="{probability!r}"/>'
        yield (
            f'<edge id="e{number}" source="n{source}" target="n{target}" weight="{count}">'
            f"<attvalues>{values}</attvalues></edge>\n"
        )
    yield "</edges>\n</graph>\n</gexf>\n"


register(OutputFormat("gexf", "network", ".gexf", "Gephi, networkx", network_to_gexf))
