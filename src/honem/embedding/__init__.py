"""From rules to vectors: neighbourhood matrices, transforms, factorization, and the vectors themselves."""

from honem.embedding.embedding import BLOCK_BYTES, Embedding, Neighbor, Score, Vectors, VectorScore, Which

__all__ = ["BLOCK_BYTES", "Embedding", "Neighbor", "Score", "VectorScore", "Vectors", "Which"]
