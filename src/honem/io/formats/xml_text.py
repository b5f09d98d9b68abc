"""What GraphML and GEXF share: columns of nodes and edges, and names as XML text.

Every node has a label (its name, see `honem.io.formats.names.context_name`), its newest node and its order; every edge
has a weight, which is its count, and its probability. Characters that XML cannot hold are escaped (`_x0007_`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape as escape_xml
from xml.sax.saxutils import quoteattr

from honem.io.formats.edges import node_namer
from honem.io.formats.names import escaper, names_of
from honem.network import Network

XML_FORBIDS = "\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff"
# Parsers turn a literal tab or line end in an attribute into a space, and strip spaces at the ends of a text.
WHITESPACE = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}

NODE_COLUMNS = (("label", "string"), ("node", "string"), ("order", "int"))
EDGE_COLUMNS = (("weight", "double"), ("count", "long"), ("probability", "double"))


def xml_nodes(network: Network, shown: Callable[[str], str]) -> Iterator[tuple[int, str, str, int]]:
    """Yield number, label, newest node and order of each node, with texts escaped for XML by `shown`."""
    escape, name = escaper(XML_FORBIDS), node_namer(network)
    places = [shown(escape(place)) for place in names_of(network.vocabulary.labels)]
    for number in range(network.n_nodes):
        start, stop = network.context_offsets[number : number + 2].tolist()
        yield number, shown(escape(name(number))), places[network.context_nodes[stop - 1]], stop - start


def attribute(text: str) -> str:
    """Return a text as a quoted attribute value."""
    return quoteattr(text, WHITESPACE)


def content(text: str) -> str:
    """Return a text as the content of an element."""
    return escape_xml(text, WHITESPACE)
