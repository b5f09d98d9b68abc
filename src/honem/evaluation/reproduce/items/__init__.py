"""Items of `honem reproduce`: the paper's tables and figures, one module each; every module registers its item.

An item computes what is missing and adds to the report. It returns the scores by which methods are compared in the last
section of the report, if it has any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from honem.evaluation.registry import LAST, Registry

if TYPE_CHECKING:
    from honem.evaluation.reproduce.claims import CaseScore
    from honem.evaluation.reproduce.context import Context
    from honem.evaluation.reproduce.report import Report

    Runner = Callable[[Context, Report], list[CaseScore]]


class Item(NamedTuple):
    """One table or figure: its name on the command line, its place in the report, and the function that makes it."""

    name: str
    position: int
    run: Runner


ITEMS: Registry[str, Item] = Registry(
    "honem.evaluation.reproduce.items", key=lambda item: item.name, position=lambda item: item.position
)
"""All items, by name."""


def register_item(name: str, position: int = LAST) -> Callable[[Runner], Runner]:
    """Add the decorated function to ITEMS.

    Parameters
    ----------
    name : str
        Name on the command line.
    position : int, optional
        Place in the report; by default at the end.
    """

    def register(run: Runner) -> Runner:
        ITEMS.register(Item(name, position, run))
        return run

    return register
