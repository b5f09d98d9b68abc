"""Methods that embed a network, by name."""

from __future__ import annotations

from typing import Any

from honem._internal.validation import require_one_of
from honem.evaluation.baselines.base import Baseline
from honem.evaluation.methods import METHODS


def network_methods() -> dict[str, type[Baseline]]:
    """Return the registered methods that embed a network, by name.

    Examples
    --------
    >>> list(network_methods())[:3]
    ['deepwalk', 'node2vec', 'line']
    """
    return {method.name: method for method in METHODS.values() if issubclass(method, Baseline)}


def make_baseline(name: str, **options: Any) -> Baseline:
    """Return a method that embeds a network.

    Parameters
    ----------
    name : str
        Name of the method, as on the command line.
    **options
        Options of the method.

    Raises
    ------
    ParameterError
        If the name or an option is unknown; the message lists the known ones.

    Examples
    --------
    >>> make_baseline("node2vec", q=0.5).name
    'node2vec'
    """
    known = network_methods()
    require_one_of("method", name, tuple(known))
    return known[name].create({"n_components": 128, "random_state": 0, **options})
