"""From rules to vectors: neighbourhood matrices, transforms, factorization, and the vectors themselves."""

from honem.embedding.embedding import BLOCK_BYTES, Embedding, Neighbor, Score, Vectors, Which

__all__ = ["BLOCK_BYTES", "Embedding", "Neighbor", "Score", "Vectors", "Which"]
