"""Methods to compare, one module each: HONEM itself, other embeddings, and predictors of the next node.

Every module registers its methods; see `honem.evaluation.methods`.
"""

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
from honem.evaluation.baselines.registry import make_baseline, network_methods

__all__ = [
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
    "network_methods",
]
