"""Block Lanczos: the largest singular values and vectors of a sparse matrix, repeated values included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honem._internal.progress import Progress
from honem.embedding.gram_space import GramSpace
from honem.embedding.krylov import SOUND, KrylovSpace, SvdProblem, Triplets, TwoSidedSpace
from honem.embedding.matrices import Array
from honem.embedding.tall import NOISE, Rows, row_pieces
from honem.errors import HonemError

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

BLOCK = 16  # columns per step, and so the copies of a singular value that one Krylov space can hold
EQUAL = 1e-6  # singular values closer than this may be copies of one
GAIN = 1e-8  # a search that increases no singular value by this share has found nothing
MAX_RESTARTS = 2000


def lanczos_triplets(
    matrix: Matrix,
    n_values: int,
    rng: np.random.Generator,
    n_threads: int,
    start: Array | None = None,
    progress: Progress | None = None,
) -> Triplets:
    """Run block Lanczos with thick restarts, then search for copies of singular values that it may have missed.

    With a single starting vector, as in scipy's `svds`, Lanczos' method finds one copy of each singular value; others
    are missed silently, or found by rounding. A Krylov space that starts with b random vectors holds b copies. If b of
    the values found are equal there may be more, so the search starts again with b random vectors orthogonal to all
    that was found, until it gains nothing. If no b values are equal, no copy can be missing.

    The search is for eigenvectors of A^T A. Where singular values differ by so many orders of magnitude that their
    squares would lose digits, it is for both sides of the matrix at once.

    Parameters
    ----------
    matrix : csr_array of shape (n_nodes, n_nodes)
        The matrix.
    n_values : int
        Number of singular values.
    rng : Generator
        Random vectors.
    n_threads : int
        Number of threads, which does not change the result.
    start : ndarray of shape (n_nodes, k) or None, default=None
        Unit vectors near the right singular vectors.
    progress : callable or None, default=None
        Called with the name of the task, the number of values done, and of all values.

    Returns
    -------
    left, values, right : ndarray
        Singular vectors as columns, and values, largest first.

    Raises
    ------
    HonemError
        If the search does not converge, or its result is not accurate.
    """
    spare = max(12 * BLOCK, n_values // 2)
    best = 0

    def watch(share: float) -> None:
        nonlocal best
        best = max(best, int(share * n_values))
        if progress is not None:
            progress("factorizing", best, n_values)

    rows, columns = Rows.of(matrix), Rows.of(matrix.T.tocsr())
    with row_pieces(matrix.shape[0], n_threads) as pieces:
        problem = SvdProblem(rows, columns, BLOCK, pieces, rng, watch)
        one_sided = GramSpace(problem, n_values + spare, start)
        if search(one_sided, n_values, spare):
            triplets = one_sided.triplets()
            if max(one_sided.inaccuracy(triplets)) <= SOUND:
                return triplets
        del one_sided
        two_sided = TwoSidedSpace(problem, n_values + spare)
        search(two_sided, n_values, spare)
        triplets = two_sided.triplets()
        angles, residuals = two_sided.inaccuracy(triplets)
        if not max(angles, residuals) <= SOUND:
            raise HonemError(
                f"solver 'lanczos' lost its accuracy (orthogonality {angles:.1e}, residual {residuals:.1e}); "
                "try solver='dense'"
            )
        return triplets


def search(space: KrylovSpace, n_values: int, spare: int) -> bool:
    """Search until the largest values and all their copies are found, and keep their vectors.

    Returns False if another kind of space is needed.
    """
    kept = None
    for _ in range(MAX_RESTARTS):
        # A search has ended when the largest remaining value is known too; it follows those that are kept.
        has_converged = space.grow_until_converged(n_values + (kept is not None))
        if isinstance(space, GramSpace) and not space.is_narrow(n_values):
            return False
        if not has_converged:
            n_above = n_values + spare // 3
            if kept is None and isinstance(space, GramSpace) and space.restart_with_filter(n_values, n_above):
                continue
            space.restart(n_above)
            continue
        found = space.values[:n_values]
        is_sure = space.spans_everything or not (may_hide_copies(found) if kept is None else is_gain(found, kept))
        space.restart(n_values, fresh=not is_sure)
        if is_sure:
            return True
        kept = found
    raise HonemError(
        f"solver 'lanczos' did not find {n_values} singular values of the {space.n_nodes} x {space.n_nodes} matrix "
        f"in {MAX_RESTARTS} restarts; try fewer components, or solver='dense'"
    )


def may_hide_copies(values: Array) -> bool:
    """Return whether some b of the values, largest first, are equal."""
    first, last = values[: max(len(values) - BLOCK + 1, 0)], values[BLOCK - 1 :]
    return bool((last >= first * (1 - EQUAL)).any())


def is_gain(found: Array, kept: Array) -> bool:
    """Return whether some singular value has become larger by more than rounding."""
    return bool((found > kept * (1 + GAIN) + kept[0] * NOISE).any())
