"""Positions of nodes on the map: t-SNE or PCA of their vectors, or geographic coordinates."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from honem._internal.hashing import fingerprint
from honem._internal.threads import available_cores
from honem._internal.validation import require_one_of
from honem.embedding import Embedding, Vectors
from honem.embedding.projection import FEWEST_FOR_TSNE, MOST_FOR_TSNE, Projection, directions, principal_axes, project
from honem.errors import HonemError, MissingDependencyError, OutputError, ParameterError
from honem.explore.packing import in_steps
from honem.io.atomic import atomic_file

logger = logging.getLogger(__name__)

FEW_FOR_THREADS = 2000
TSNE = "tsne_"
MOST_LATITUDE = 85.0
Quantized: TypeAlias = NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Places:
    """One point per node, NaN for nodes without one, and a description of how they were made."""

    points: Vectors
    made_by: str


@dataclass(frozen=True, eq=False)
class Square:
    """The smallest square around points; both coordinates have the same step, so a map keeps its aspect ratio."""

    middle: Vectors
    half: float

    @classmethod
    def around(cls, points: Vectors) -> Square:
        """Return the square around the points that are known."""
        known = points[np.isfinite(points).all(axis=1)]
        middle = (known.max(axis=0) + known.min(axis=0)) / 2
        return cls(middle, max(float(np.abs(known - middle).max()), 1e-12))

    def in_steps(self, points: Vectors) -> tuple[Quantized, Quantized]:
        """Quantize both coordinates; points that are not known are put in the middle."""
        is_known = np.isfinite(points).all(axis=1, keepdims=True)
        x, y = np.where(is_known, points - self.middle, 0.0).T
        return in_steps(x, -self.half, self.half), in_steps(y, -self.half, self.half)


def project_nodes(embedding: Embedding, how: Projection = "auto", seed: int = 0, memory: Path | None = None) -> Places:
    """Project the directions of the source vectors, so that near on the map means a high cosine similarity.

    Parameters
    ----------
    embedding : Embedding
        The vectors.
    how : {"auto", "tsne", "pca"}, default="auto"
        The method. "auto" is t-SNE for up to 30,000 nodes if openTSNE is installed, and PCA otherwise.
    seed : int, default=0
        Seed of t-SNE.
    memory : Path, optional
        File that caches t-SNE projections under the fingerprint of their vectors.

    Returns
    -------
    Places
    """
    require_one_of("projection", how, get_args(Projection))
    if how == "pca" or len(embedding) < FEWEST_FOR_TSNE:
        return Places(principal_axes(embedding.source), "PCA of the vectors")
    if how == "auto" and len(embedding) > MOST_FOR_TSNE:
        words = f"PCA of the vectors, as t-SNE of more than {MOST_FOR_TSNE:,} nodes is slow (--projection tsne)"
        return Places(principal_axes(embedding.source), words)
    try:
        points = _remembered_tsne(directions(embedding.source), seed, memory)
    except (MissingDependencyError, ParameterError) as error:
        if how == "tsne":
            raise
        return Places(principal_axes(embedding.source), f"PCA of the vectors, as t-SNE is not available: {error}")
    return Places(points, f"t-SNE of the vectors, seed {seed}")


def _remembered_tsne(vectors: Vectors, seed: int, memory: Path | None) -> Vectors:
    key = f"{TSNE}{seed}_{fingerprint(vectors)}"
    maps = _read(memory)
    if key not in maps or not _is_map(maps[key], len(vectors)):
        # With few points, threads spend more time waiting for each other than working.
        maps[key] = project(vectors, seed, n_jobs=available_cores() if len(vectors) > FEW_FOR_THREADS else 1)
        _write(memory, maps)
    return maps[key]


def _read(memory: Path | None) -> dict[str, Vectors]:
    """Return all maps of a file; none if it is damaged, so that they are computed again.

    Whatever is wrong with a cache, and NumPy, zipfile and zlib raise many errors for it, the maps can be rebuilt.
    """
    if memory is None or not memory.is_file():
        return {}
    try:
        with np.load(memory, allow_pickle=False) as file:
            return {name: points for name, points in file.items() if name.startswith(TSNE)}
    except Exception:
        logger.info("%s is damaged; its maps are computed again", memory)
        return {}


def _is_map(points: Vectors, n_nodes: int) -> bool:
    """Return whether an array is a map of so many nodes."""
    return points.shape == (n_nodes, 2) and points.dtype == np.float64 and bool(np.isfinite(points).all())


def _write(memory: Path | None, maps: dict[str, Vectors]) -> None:
    if memory is None:
        return
    try:
        with atomic_file(memory) as file:
            np.savez_compressed(file, **maps)  # type: ignore[arg-type]  # NumPy 2.0 would store allow_pickle
    except OutputError:
        pass  # the folder is read-only: the next page computes its projection again


def turned_onto(points: Vectors, model: Vectors) -> Vectors:
    """Rotate, mirror and scale points to match those of another map in least squares (Procrustes).

    >>> square = np.array([[0.0, 0], [0, 1], [1, 1], [1, 0]])
    >>> bool(np.allclose(turned_onto(3 * square[:, ::-1] + 5, square), square))
    True
    """
    mine, theirs = points - points.mean(axis=0), model - model.mean(axis=0)
    left, strengths, right = np.linalg.svd(mine.T @ theirs)
    scale = strengths.sum() / max(float((mine**2).sum()), 1e-300)
    turned: Vectors = scale * mine @ (left @ right) + model.mean(axis=0)
    return turned


def on_the_earth(longitudes: Vectors, latitudes: Vectors) -> Places:
    """Return longitudes and latitudes in the Mercator projection, cut where the nodes leave the widest gap."""
    if not np.isfinite(longitudes + latitudes).any():
        raise HonemError("no node has coordinates; the columns lon and lat of the labels must hold degrees")
    bounded = np.clip(latitudes, -MOST_LATITUDE, MOST_LATITUDE)
    northing = np.log(np.tan(np.pi / 4 + np.deg2rad(bounded) / 2))
    points = np.column_stack((np.deg2rad(unrolled(longitudes)), northing))
    missing = int((~np.isfinite(points).all(axis=1)).sum())
    words = "longitude and latitude" + (f"; {missing:,} nodes without coordinates are not shown" if missing else "")
    return Places(points, words)


def unrolled(longitudes: Vectors) -> Vectors:
    """Return longitudes of one turn that begins after the widest gap, so that neighbours across 180 degrees stay so.

    >>> unrolled(np.array([170.0, -170.0, np.nan])).tolist()
    [170.0, 190.0, nan]
    >>> unrolled(np.array([-100.0, 30.0])).tolist()
    [-100.0, 30.0]
    """
    turned = np.mod(longitudes + 180, 360) - 180
    known = np.unique(turned[np.isfinite(turned)])
    gaps = np.diff(known, append=known[0] + 360)
    widest = int(np.argmax(gaps))
    if gaps[widest] <= gaps[-1]:  # the gap across 180 degrees, where maps are usually cut
        return turned
    moved: Vectors = np.where(turned <= known[widest], turned + 360, turned)
    return moved
