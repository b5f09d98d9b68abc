"""A continuation as arrays with names, in which it is stored: 4 bytes per rule, and the candidates that are no rules.

Whole numbers take as few bytes as the largest of them needs. The rules are not among the arrays: a store has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem.corpus import Corpus
from honem.rules.engines.local.continuing import Continuation, RankedContexts, trail_windows
from honem.rules.engines.local.tabulating import Counted
from honem.rules.table import RuleTable

Tensors = Mapping[str, NDArray[Any]]
BESIDES = {"positions": np.int32, "orders": np.int32, "n_rows": np.int32, "targets": np.int32, "counts": np.int64}


def continuation_tensors(known: Continuation) -> dict[str, NDArray[Any]]:
    """Return the arrays that `restored_continuation` needs besides the rules and the paths."""
    whole: dict[str, NDArray[Any]] = {
        "positions": known.positions,
        "ends": known.ends,
        "places": known.places,
        "tested": known.tested,
        **{f"besides_{name}": getattr(known.besides, name) for name in BESIDES},
    }
    numbers = {"besides_scores": known.besides.scores}
    if known.ranked is not None:
        whole |= {"ranked_newest": known.ranked.newest, "ranked_tested": known.ranked.tested}
        numbers["ranked_scores"] = known.ranked.scores
    small = {name: values.astype(np.min_scalar_type(values.max(initial=0))) for name, values in whole.items()}
    return {**{name: np.ascontiguousarray(values) for name, values in numbers.items()}, **small}


def restored_continuation(tensors: Tensors, rules: RuleTable, corpus: Corpus) -> Continuation:
    """Return what is known about the sequences of a corpus.

    Raises
    ------
    ValueError
        If the arrays do not describe these rules and sequences. Kernels rely on places being where contexts are.
    """
    n_nodes = corpus.n_nodes
    besides = Counted(
        **{name: _whole(tensors, f"besides_{name}", kind) for name, kind in BESIDES.items()},
        scores=_numbers(tensors, "besides_scores"),
    )
    ranked = None
    if rules.params.acceptance != rules.params.evidence_test:
        ranked = RankedContexts(
            _whole(tensors, "ranked_newest", np.int32, n_nodes),
            _numbers(tensors, "ranked_scores"),
            _whole(tensors, "ranked_tested", np.int64),
        )
        _require(len(ranked.newest) == len(ranked.scores) and len(ranked.tested) == n_nodes, "ranked contexts")
    known = Continuation(
        rules=rules,
        n_sequences=corpus.n_sequences,
        positions=_whole(tensors, "positions", np.int32),
        ends=_whole(tensors, "ends", np.int32).astype(np.bool_),
        besides=besides,
        places=_whole(tensors, "places", np.int64),
        tested=_whole(tensors, "tested", np.int64),
        ranked=ranked,
    )
    _check(known, _trail(corpus), n_nodes)
    return known


def _check(known: Continuation, trail: NDArray[np.int32], n_nodes: int) -> None:
    rules, besides = known.rules, known.besides
    n_besides, n_accepted = len(besides.positions), int(rules.accepted.sum())
    columns = (besides.orders, besides.n_rows, besides.scores, known.places)
    _require(len(known.positions) == len(known.ends) == rules.n_rules, "positions of rules")
    _require(len(known.tested) == n_nodes, "tests of nodes")
    _require(all(len(column) == n_besides for column in columns), "candidates")
    _require(bool((np.diff(known.places) > 0).all()), "places of candidates")
    _require(known.places.max(initial=-1) < n_accepted + n_besides, "places of candidates")
    _require(int(besides.n_rows.sum()) == len(besides.targets) == len(besides.counts), "rows of candidates")
    _require(bool((besides.n_rows > 0).all() and (besides.counts > 0).all()), "rows of candidates")
    _require(int(besides.targets.max(initial=0)) < n_nodes, "targets of candidates")
    for positions, orders in ((known.positions, rules.orders), (besides.positions, besides.orders)):
        is_inside = (orders >= 1) & (positions >= orders) & (positions < len(trail) - 1)
        _require(bool(is_inside.all()), "positions of contexts")
        _require(bool((trail[positions + 1] >= 0).all()), "positions of contexts")
    is_there = trail_windows(trail, known.positions, rules.orders) == rules.context_nodes
    _require(bool(is_there.all()), "positions of rules")
    _require(bool((trail_windows(trail, besides.positions, besides.orders) >= 0).all()), "positions of candidates")


def _trail(corpus: Corpus) -> NDArray[np.int32]:
    from honem.rules.engines.local.kernels import lay_trail

    trail = np.empty(len(corpus.tokens) + corpus.n_sequences + 1, np.int32)
    lay_trail(corpus.tokens, corpus.offsets, trail)
    return trail


def _whole(tensors: Tensors, name: str, kind: Any, limit: int | None = None) -> NDArray[Any]:
    values = tensors.get(name)
    most = np.iinfo(kind).max if limit is None else limit - 1
    if values is None or values.ndim != 1 or values.dtype.kind not in "ub" or values.max(initial=0) > most:
        raise ValueError(f"{name} are missing or not whole numbers in range")
    return values.astype(kind)


def _numbers(tensors: Tensors, name: str) -> NDArray[np.float64]:
    values = tensors.get(name)
    if values is None or values.ndim != 1 or values.dtype != np.float64 or not np.isfinite(values).all():
        raise ValueError(f"{name} are missing or not finite numbers")
    return values


def _require(is_right: bool, what: str) -> None:
    if not is_right:
        raise ValueError(f"{what} do not fit the rules and paths")
