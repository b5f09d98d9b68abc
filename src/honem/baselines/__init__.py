"""First-order methods to compare with: `fit(corpus or network) -> Embedding`."""

from honem.baselines.base import Baseline
from honem.baselines.deepwalk import DeepWalk
from honem.baselines.graph_factorization import GraphFactorization
from honem.baselines.grarep import GraRep
from honem.baselines.hon_pool import HonPool
from honem.baselines.hope import Hope
from honem.baselines.laplacian import LaplacianEigenmaps
from honem.baselines.line import Line
from honem.baselines.lle import LocallyLinear
from honem.baselines.netmf import NetMF
from honem.baselines.node2vec import Node2Vec
from honem.baselines.registry import METHODS, make_baseline

__all__ = [
    "METHODS",
    "Baseline",
    "DeepWalk",
    "GraRep",
    "GraphFactorization",
    "HonPool",
    "Hope",
    "LaplacianEigenmaps",
    "Line",
    "LocallyLinear",
    "NetMF",
    "Node2Vec",
    "make_baseline",
]
