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
    from honem import datasets
    from honem.corpus import Corpus, Vocabulary
    from honem.embedding import Embedding, Neighbor
    from honem.embedding.factorize import Factors
    from honem.embedding.neighborhood import NeighborhoodMatrix
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
    from honem.io.formats.objects import to_igraph, to_networkx
    from honem.io.formats.writing import write_network, write_profile, write_rules, write_vectors
    from honem.io.node_labels import NodeLabels
    from honem.io.paths import (
        ReadReport,
        clean_corpus,
        from_events,
        from_pm4py,
        from_query,
        read_paths,
        read_paths_with_report,
    )
    from honem.io.store import Store, load, save
    from honem.network import Network, first_order_network, higher_order_network
    from honem.prediction import NextStep, Prediction, predict_next
    from honem.profile import NodeProfile, node_profile
    from honem.rules import ExtractionParams, RuleTable
    from honem.rules.engines import extract_rules

__version__ = "0.2.0.dev0"

# The module of each public name. Names are loaded on first use, so that `import honem` stays quick.
# The functions `neighborhood` and `factorize` are not listed: they share their names with their modules.
_HOMES = {
    "Corpus": "honem.corpus",
    "Vocabulary": "honem.corpus",
    "Embedding": "honem.embedding",
    "Neighbor": "honem.embedding",
    "extract_rules": "honem.rules.engines",
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
    "Factors": "honem.embedding.factorize",
    "NeighborhoodMatrix": "honem.embedding.neighborhood",
    "NextStep": "honem.prediction",
    "Prediction": "honem.prediction",
    "predict_next": "honem.prediction",
    "NodeLabels": "honem.io.node_labels",
    "NodeProfile": "honem.profile",
    "node_profile": "honem.profile",
    "Network": "honem.network",
    "first_order_network": "honem.network",
    "higher_order_network": "honem.network",
    "ReadReport": "honem.io.paths",
    "clean_corpus": "honem.io.paths",
    "from_events": "honem.io.paths",
    "from_pm4py": "honem.io.paths",
    "from_query": "honem.io.paths",
    "read_paths": "honem.io.paths",
    "read_paths_with_report": "honem.io.paths",
    "ExtractionParams": "honem.rules",
    "RuleTable": "honem.rules",
    "Store": "honem.io.store",
    "load": "honem.io.store",
    "save": "honem.io.store",
    "write_network": "honem.io.formats.writing",
    "write_profile": "honem.io.formats.writing",
    "to_igraph": "honem.io.formats.objects",
    "to_networkx": "honem.io.formats.objects",
    "write_rules": "honem.io.formats.writing",
    "write_vectors": "honem.io.formats.writing",
}

__all__ = [
    "HONEM",
    "Comparison",
    "Corpus",
    "CorpusError",
    "Embedding",
    "ExtractionParams",
    "Factors",
    "HonemError",
    "HonemWarning",
    "InputError",
    "MissingDependencyError",
    "Neighbor",
    "NeighborhoodMatrix",
    "Network",
    "NextStep",
    "NodeExplanation",
    "NodeLabels",
    "NodeProfile",
    "OutputError",
    "PairExplanation",
    "ParameterError",
    "Prediction",
    "ReadReport",
    "RuleTable",
    "Store",
    "UnknownNodeError",
    "Vocabulary",
    "__version__",
    "clean_corpus",
    "compare",
    "datasets",
    "explain_node",
    "explain_pair",
    "extract_rules",
    "first_order_network",
    "from_events",
    "from_pm4py",
    "from_query",
    "higher_order_network",
    "load",
    "node_profile",
    "predict_next",
    "read_paths",
    "read_paths_with_report",
    "save",
    "to_igraph",
    "to_networkx",
    "write_network",
    "write_profile",
    "write_rules",
    "write_vectors",
]


if not TYPE_CHECKING:  # type checkers read the imports above, and so report misspelled names

    def __getattr__(name: str) -> Any:
        if name == "datasets":  # a module of its own, not a name from one
            return import_module("honem.datasets")
        if name not in _HOMES:
            raise AttributeError(f"module 'honem' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
