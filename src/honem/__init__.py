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
    from honem.rules import ExtractionParams, RuleTable

__version__ = "0.1.0"

# Loaded when first asked for, so that `import honem` stays quick and pulls in nothing it won't use.
_HOMES = {
    "Corpus": "honem.corpus",
    "Vocabulary": "honem.corpus",
    "ExtractionParams": "honem.rules",
    "RuleTable": "honem.rules",
    "extract_rules": "honem.engines",
    "CorpusError": "honem.errors",
    "HonemError": "honem.errors",
    "HonemWarning": "honem.errors",
    "InputError": "honem.errors",
    "MissingDependencyError": "honem.errors",
    "OutputError": "honem.errors",
    "ParameterError": "honem.errors",
    "UnknownNodeError": "honem.errors",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'honem' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
