"""Why nodes are close: the nodes that a node and each of its nearest neighbors both lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honem.explain.common_parts import CommonTargets
from honem.explore.packing import in_steps, narrow, pack

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

EACH = 10
TERMS = 3
MOST_NODES = 30_000
"""Above this number of nodes the terms would take more than about 4 MB of the page, and are left out."""


def closeness_part(proximity: Matrix | None, neighbors: NDArray[np.int64]) -> bytes:
    """Pack the cosine of the rows of the proximity matrix, and its strongest terms, for the first ten neighbors."""
    if proximity is None or len(neighbors) > MOST_NODES:
        return pack({"each": 0, "terms": TERMS}, {})
    near = neighbors[:, :EACH]
    common = CommonTargets.of(proximity)
    shape = (*near.shape, TERMS)
    nodes, parts, cosines, amounts = np.zeros(shape, np.int64), np.zeros(shape), np.zeros(near.shape), []
    for node, others in enumerate(near):
        for place, (found, products) in enumerate(common.products(node, others.tolist())):
            listed = min(len(found), TERMS)
            nodes[node, place, :listed], parts[node, place, :listed] = found[:listed], products[:listed]
            cosines[node, place] = products.sum()
            amounts.append(len(found))
    arrays: dict[str, Any] = {
        "nodes": narrow(nodes.ravel()),
        "parts": in_steps(parts.ravel(), -1.0, 1.0),
        "cosines": in_steps(cosines.ravel(), -1.0, 1.0),
        "amounts": narrow(np.array(amounts, np.int64)),
    }
    return pack({"each": near.shape[1], "terms": TERMS}, arrays)
