"""Transforms: steps from S to the proximity matrix, the one that is factorized.

To add a transform, write a subclass of `Transform` in a module of this package and list it in `TRANSFORMS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from honem._internal.option_names import option
from honem.embedding.transforms.base import Numbers, Transform, TransformLike, UserFunction
from honem.embedding.transforms.both_ways import BothWays, reciprocity
from honem.embedding.transforms.diffusion import Diffusion
from honem.embedding.transforms.log_scale import LogScale
from honem.embedding.transforms.near_itself import NearItself
from honem.embedding.transforms.scale_by_degree import NormalizeByDegree, ScaleByDegree
from honem.embedding.transforms.symmetric import Symmetric
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

__all__ = [
    "TRANSFORMS",
    "BothWays",
    "Diffusion",
    "LogScale",
    "NearItself",
    "NormalizeByDegree",
    "Numbers",
    "ScaleByDegree",
    "Symmetric",
    "Transform",
    "TransformLike",
    "UserFunction",
    "both_ways",
    "near_itself",
    "proximity",
    "reciprocity",
    "scale_by_degree",
    "stages",
    "transforms_of",
]

both_ways, near_itself, scale_by_degree = BothWays(), NearItself(), ScaleByDegree()

TRANSFORMS: dict[str, Transform] = {
    transform.name: transform
    for transform in (
        both_ways,
        near_itself,
        scale_by_degree,
        Diffusion(),
        LogScale(),
        Symmetric(),
        NormalizeByDegree(),
    )
}


def transforms_of(transforms: Sequence[TransformLike]) -> tuple[Transform, ...]:
    """Return the pieces that a value of the parameter `transforms` means.

    Raises
    ------
    ParameterError
        If it is not a list, or holds something that is neither a registered name nor callable.
    """
    if isinstance(transforms, str) or not isinstance(transforms, Sequence):
        raise ParameterError(f"transforms must be a list of names or functions, not {transforms!r}")
    return tuple(_transform_of(transform) for transform in transforms)


def _transform_of(transform: TransformLike) -> Transform:
    if isinstance(transform, str) and transform in TRANSFORMS:
        return TRANSFORMS[transform]
    if isinstance(transform, str) or not callable(transform):
        known = ", ".join(map(repr, TRANSFORMS))
        raise ParameterError(f"{option('transforms')} must be one of {known}, or functions, not {transform!r}")
    return transform if isinstance(transform, Transform) else UserFunction(transform)


def proximity(matrix: Matrix, transforms: Sequence[TransformLike] = ()) -> Matrix:
    """Apply transforms to a matrix, in the order given.

    Parameters
    ----------
    matrix : csr_array
        S, or any other square sparse matrix. It is not changed.
    transforms : sequence of str, Transform or callable, default=()
        Registered names ("both_ways", "near_itself", "scale_by_degree", "diffusion", "log_scale",
        "symmetric", "normalize_by_degree") or functions from matrix to matrix.

    Returns
    -------
    csr_array
        The transformed matrix; without transforms, the matrix itself.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> proximity(csr_array([[0.0, 2.0], [1.0, 0.0]]), ["near_itself"]).toarray().tolist()
    [[1.0, 2.0], [1.0, 1.0]]
    """
    for transform in transforms_of(transforms):
        matrix = transform(matrix)
    return matrix


def stages(matrix: Matrix, transforms: Sequence[TransformLike]) -> tuple[Matrix, ...]:
    """Return the matrix before the first and after each transform; the last one is the proximity matrix."""
    found = [matrix]
    for transform in transforms:
        found.append(proximity(found[-1], [transform]))
    return tuple(found)
