"""Where each node stands on the map: t-SNE or principal axes of its vector, or its place on the earth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from honem._internal.hashing import fingerprint
from honem._internal.validation import require_one_of
from honem.embedding import Embedding, Vectors
from honem.embedding.projection import project
from honem.errors import HonemError, MissingDependencyError, OutputError, ParameterError
from honem.io.atomic import atomic_file

Projection = Literal["auto", "tsne", "pca"]
"""How vectors become points: "auto" is t-SNE where it can be had in minutes, and principal axes elsewhere."""

MOST_FOR_TSNE = 30_000
FEWEST_FOR_TSNE = 5
FEW_FOR_THREADS = 2000
MOST_LATITUDE = 85.0


@dataclass(frozen=True, eq=False)
class Places:
    """A point a node, not finite where it has none, and in words how they came about."""

    points: Vectors
    made_by: str


def project_nodes(embedding: Embedding, how: Projection = "auto", seed: int = 0, memory: Path | None = None) -> Places:
    """The nodes by the directions of their source vectors, so that near on the map means near by cosine.

    `memory` is a file of maps made before, each under the fingerprint of its vectors; it is added to.
    """
    require_one_of("projection", how, get_args(Projection))
    if how == "pca" or len(embedding) < FEWEST_FOR_TSNE:
        return Places(principal_axes(embedding.source), "principal axes of the vectors (PCA)")
    if how == "auto" and len(embedding) > MOST_FOR_TSNE:
        words = f"principal axes (PCA), as t-SNE of more than {MOST_FOR_TSNE:,} nodes takes long; --projection tsne"
        return Places(principal_axes(embedding.source), words)
    try:
        points = _remembered_tsne(directions(embedding.source), seed, memory)
    except (MissingDependencyError, ParameterError) as error:
        if how == "tsne":
            raise
        return Places(principal_axes(embedding.source), f"principal axes (PCA), as t-SNE could not be had: {error}")
    return Places(points, f"t-SNE of the vectors, seed {seed}")


def _remembered_tsne(vectors: Vectors, seed: int, memory: Path | None) -> Vectors:
    key = f"tsne_{seed}_{fingerprint(vectors)}"
    maps = _read(memory)
    if key not in maps:
        # On few points threads wait for each other more than they work.
        maps[key] = project(vectors, seed, n_jobs=-1 if len(vectors) > FEW_FOR_THREADS else 1)
        _write(memory, maps)
    return maps[key]


def _read(memory: Path | None) -> dict[str, Vectors]:
    if memory is None or not memory.is_file():
        return {}
    try:
        with np.load(memory) as file:
            return dict(file)
    except (OSError, ValueError):
        return {}  # damaged: the maps are made again


def _write(memory: Path | None, maps: dict[str, Vectors]) -> None:
    if memory is None:
        return
    try:
        with atomic_file(memory) as file:
            np.savez_compressed(file, **maps)  # type: ignore[arg-type]  # NumPy 2.0 would store allow_pickle
    except OutputError:
        pass  # a folder one may only read: the next page takes as long as this one


def directions(vectors: Vectors) -> Vectors:
    """Vectors of length 1; those of length 0 as they are."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def principal_axes(vectors: Vectors) -> Vectors:
    """The two directions in which unit vectors differ most."""
    centred = directions(vectors) - directions(vectors).mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    points = np.zeros((len(vectors), 2))
    strongest = centred @ axes[:, ::-1][:, :2]
    points[:, : strongest.shape[1]] = strongest
    return points


def turned_onto(points: Vectors, model: Vectors) -> Vectors:
    """The points turned, mirrored and scaled to lie as near as can be to those of another map (Procrustes).

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
    """Places in Mercator's projection."""
    if not np.isfinite(longitudes + latitudes).any():
        raise HonemError("no node has coordinates; the labels need the columns lon and lat, in degrees")
    bounded = np.clip(latitudes, -MOST_LATITUDE, MOST_LATITUDE)
    northing = np.log(np.tan(np.pi / 4 + np.deg2rad(bounded) / 2))
    points = np.column_stack((np.deg2rad(longitudes), northing))
    missing = int((~np.isfinite(points).all(axis=1)).sum())
    words = "longitude and latitude" + (f"; {missing:,} nodes without are not on the map" if missing else "")
    return Places(points, words)
