"""The methods by name."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from honem._internal.validation import require_one_of
from honem.errors import ParameterError
from honem.evaluation.baselines.base import Baseline
from honem.evaluation.baselines.deepwalk import DeepWalk
from honem.evaluation.baselines.graph_factorization import GraphFactorization
from honem.evaluation.baselines.grarep import GraRep
from honem.evaluation.baselines.hon_pool import HonPool
from honem.evaluation.baselines.hope import Hope
from honem.evaluation.baselines.laplacian import LaplacianEigenmaps
from honem.evaluation.baselines.line import Line
from honem.evaluation.baselines.lle import LocallyLinear
from honem.evaluation.baselines.netmf import NetMF
from honem.evaluation.baselines.node2vec import Node2Vec

ALL = (
    DeepWalk,
    Node2Vec,
    Line,
    GraphFactorization,
    LaplacianEigenmaps,
    GraRep,
    NetMF,
    Hope,
    LocallyLinear,
    HonPool,
)
METHODS: dict[str, type[Baseline]] = {method.name: method for method in ALL}


def make_baseline(name: str, **options: Any) -> Baseline:
    """A method by its name, with its options; the known ones are listed where one is unknown.

    >>> make_baseline("node2vec", q=0.5).name
    'node2vec'
    """
    require_one_of("method", name, tuple(METHODS))
    method = METHODS[name]
    known = [option.name for option in fields(method)]
    unknown = [option for option in options if option not in known]
    if unknown:
        raise ParameterError(f"{name} has no option {unknown[0]!r}; it has {', '.join(known)}")
    return method(**options)
