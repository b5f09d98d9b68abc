"""Methods to compare, one module each: HONEM itself, other embeddings, scores of pairs, predictors of the next node.

Every module registers its methods; see `honem.evaluation.methods`.
"""

from honem.evaluation.baselines.adamic_adar import AdamicAdar
from honem.evaluation.baselines.base import Baseline
from honem.evaluation.baselines.deepwalk import DeepWalk
from honem.evaluation.baselines.ease import Ease
from honem.evaluation.baselines.graph_factorization import GraphFactorization
from honem.evaluation.baselines.grarep import GraRep
from honem.evaluation.baselines.hon_pool import HonPool
from honem.evaluation.baselines.hope import Hope
from honem.evaluation.baselines.item2vec import Item2Vec
from honem.evaluation.baselines.l3 import L3
from honem.evaluation.baselines.laplacian import LaplacianEigenmaps
from honem.evaluation.baselines.line import Line
from honem.evaluation.baselines.lle import LocallyLinear
from honem.evaluation.baselines.netmf import NetMF
from honem.evaluation.baselines.node2vec import Node2Vec
from honem.evaluation.baselines.ppmi_paths import PpmiPaths
from honem.evaluation.baselines.registry import make_baseline, network_methods
from honem.evaluation.baselines.resource_allocation import ResourceAllocation

__all__ = [
    "L3",
    "AdamicAdar",
    "Baseline",
    "DeepWalk",
    "Ease",
    "GraRep",
    "GraphFactorization",
    "HonPool",
    "Hope",
    "Item2Vec",
    "LaplacianEigenmaps",
    "Line",
    "LocallyLinear",
    "NetMF",
    "Node2Vec",
    "PpmiPaths",
    "ResourceAllocation",
    "make_baseline",
    "network_methods",
]
