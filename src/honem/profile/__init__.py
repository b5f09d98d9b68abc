"""The profile of nodes: a small table of numbers that describe the role of each node in the paths."""

from honem.profile.table import Features, NodeProfile, node_profile

__all__ = ["Features", "NodeProfile", "node_profile"]
