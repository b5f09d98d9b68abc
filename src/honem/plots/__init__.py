"""Pictures of embeddings, drawn with matplotlib."""

from __future__ import annotations

from honem.plots.scatter import plot_nodes

__all__ = ["plot_nodes"]
