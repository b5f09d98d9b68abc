"""honem: node embeddings from paths.

>>> import honem
>>> corpus = honem.Corpus.from_sequences([["home", "downtown", "office"], ["dorm", "downtown", "library"]])
>>> corpus.n_nodes
5
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from honem.corpus import Corpus, Vocabulary
    from honem.embedding import Embedding, Neighbor
    from honem.engines import extract_rules
    from honem.errors import (
        CorpusError,
        HonemError,
        HonemWarning,
        InputError,
        MissingDependencyError,
        OutputError,
        ParameterError,
        UnknownNodeError,
    )
    from honem.estimator import HONEM
    from honem.explain import Comparison, NodeExplanation, PairExplanation, compare, explain_node, explain_pair
    from honem.factorize import Factors
    from honem.neighborhood import NeighborhoodMatrix
    from honem.network import Network, first_order_network, higher_order_network
    from honem.prediction import NextStep, Prediction, predict_next
    from honem.readers import ReadReport, clean_corpus, from_events, read_paths, read_paths_with_report
    from honem.rules import ExtractionParams, RuleTable
    from honem.store import Store, load, save
    from honem.writers.networks import write_network
    from honem.writers.objects import to_igraph, to_networkx
    from honem.writers.rules import write_rules
    from honem.writers.vectors import write_vectors

__version__ = "0.1.0"

# Loaded when first asked for, so that `import honem` stays quick and pulls in nothing it won't use.
# `neighborhood` and `factorize` are functions of the modules of that name, and are imported from there.
_HOMES = {
    "Corpus": "honem.corpus",
    "Vocabulary": "honem.corpus",
    "Embedding": "honem.embedding",
    "Neighbor": "honem.embedding",
    "extract_rules": "honem.engines",
    "CorpusError": "honem.errors",
    "HonemError": "honem.errors",
    "HonemWarning": "honem.errors",
    "InputError": "honem.errors",
    "MissingDependencyError": "honem.errors",
    "OutputError": "honem.errors",
    "ParameterError": "honem.errors",
    "UnknownNodeError": "honem.errors",
    "HONEM": "honem.estimator",
    "Comparison": "honem.explain",
    "NodeExplanation": "honem.explain",
    "PairExplanation": "honem.explain",
    "compare": "honem.explain",
    "explain_node": "honem.explain",
    "explain_pair": "honem.explain",
    "Factors": "honem.factorize",
    "NeighborhoodMatrix": "honem.neighborhood",
    "NextStep": "honem.prediction",
    "Prediction": "honem.prediction",
    "predict_next": "honem.prediction",
    "Network": "honem.network",
    "first_order_network": "honem.network",
    "higher_order_network": "honem.network",
    "ReadReport": "honem.readers",
    "clean_corpus": "honem.readers",
    "from_events": "honem.readers",
    "read_paths": "honem.readers",
    "read_paths_with_report": "honem.readers",
    "ExtractionParams": "honem.rules",
    "RuleTable": "honem.rules",
    "Store": "honem.store",
    "load": "honem.store",
    "save": "honem.store",
    "write_network": "honem.writers.networks",
    "to_igraph": "honem.writers.objects",
    "to_networkx": "honem.writers.objects",
    "write_rules": "honem.writers.rules",
    "write_vectors": "honem.writers.vectors",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'honem' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
