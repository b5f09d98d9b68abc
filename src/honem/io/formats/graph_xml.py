"""Networks as GraphML and GEXF, which Gephi, networkx, igraph and most other tools of networks read.

Every node has a label (its name, see `honem.io.formats.names.context_name`), the node one is at, and its order; every
edge a weight, which is its count, and its probability. Characters that XML cannot hold are escaped (`_x0007_`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape as escape_xml
from xml.sax.saxutils import quoteattr

from honem.io.atomic import PathLike
from honem.io.formats.edges import edges, node_namer
from honem.io.formats.names import escaper, names_of
from honem.io.formats.text import write_lines
from honem.network import Network

XML_FORBIDS = "\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff"
# A parser turns a bare tab or line end of an attribute into a space, and forgets spaces at the ends of a text.
WHITESPACE = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}

NODE_COLUMNS = (("label", "string"), ("node", "string"), ("order", "int"))
EDGE_COLUMNS = (("weight", "double"), ("count", "long"), ("probability", "double"))


def to_graphml(network: Network, path: PathLike) -> None:
    """Write GraphML."""
    write_lines(path, _graphml_lines(network))


def to_gexf(network: Network, path: PathLike) -> None:
    """Write GEXF 1.2."""
    write_lines(path, _gexf_lines(network))


def _graphml_lines(network: Network) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for kind, columns in (("node", NODE_COLUMNS), ("edge", EDGE_COLUMNS)):
        for name, type_ in columns:
            yield f'<key id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>\n'
    yield '<graph edgedefault="directed">\n'
    for number, label, here, order in _nodes(network, _content):
        values = zip(NODE_COLUMNS, (label, here, order), strict=True)
        data = "".join(f'<data key="node_{name}">{value}</data>' for (name, _), value in values)
        yield f'<node id="n{number}">{data}</node>\n'
    for source, target, count, probability in edges(network):
        yield (
            f'<edge source="n{source}" target="n{target}"><data key="edge_weight">{count}</data>'
            f'<data key="edge_count">{count}</data><data key="edge_probability">{probability!r}</data></edge>\n'
        )
    yield "</graph>\n</graphml>\n"


def _gexf_lines(network: Network) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n'
    yield '<graph defaultedgetype="directed" mode="static">\n'
    # The label of a node and the weight of an edge are GEXF's own.
    for kind, columns in (("node", NODE_COLUMNS[1:]), ("edge", EDGE_COLUMNS[1:])):
        types = [(name, "integer" if type_ == "int" else type_) for name, type_ in columns]
        listed = "".join(f'<attribute id="{name}" title="{name}" type="{type_}"/>' for name, type_ in types)
        yield f'<attributes class="{kind}">{listed}</attributes>\n'
    yield "<nodes>\n"
    for number, label, here, order in _nodes(network, _attribute):
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


def _nodes(network: Network, shown: Callable[[str], str]) -> Iterator[tuple[int, str, str, int]]:
    """Number, label, the node one is at, and order of each node; texts ready to stand in XML."""
    escape, name = escaper(XML_FORBIDS), node_namer(network)
    places = [shown(escape(place)) for place in names_of(network.vocabulary.labels)]
    for number in range(network.n_nodes):
        start, stop = network.context_offsets[number : number + 2].tolist()
        yield number, shown(escape(name(number))), places[network.context_nodes[stop - 1]], stop - start


def _attribute(text: str) -> str:
    return quoteattr(text, WHITESPACE)


def _content(text: str) -> str:
    return escape_xml(text, WHITESPACE)
