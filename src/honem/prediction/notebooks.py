"""Predictions as tables for notebooks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from honem._internal.html_tables import html_paragraph, html_table
from honem._internal.words import amount, history_of, listed_names, name_of, path_of, percent, times
from honem.prediction.answers import Contribution, Prediction
from honem.prediction.predictions import Predictions

SHOWN_HISTORIES = 10
SHOWN_NODES = 3
LONGEST_HISTORY = 6


def html_of_prediction(found: Prediction) -> str:
    """Return the next nodes as a table, and below it the contexts that they are predicted from."""
    observed = found.observed if found.contributions else 0
    rows = [
        [name_of(node.node), percent(node.probability), f"{node.observed:,} of {observed:,}"] for node in found.nodes
    ]
    title = f"after {history_of(found.context) or 'anything'} (order {found.order}, observed {times(observed)})"
    unknown = f"unknown nodes, after which the history is used: {listed_names(found.unknown)}"
    parts = "; ".join(f"{percent(part.weight)} from {_source_of(part)}" for part in found.contributions)
    words = [title, *([unknown] if found.unknown else [])]
    return "".join(map(html_paragraph, words)) + html_table(("next", "probability", "observed"), rows, parts)


def _source_of(part: Contribution) -> str:
    if part.context is None:
        return "vectors"
    return (history_of(part.context) or "anything") + " at the start" * part.from_start


def html_of_predictions(found: Predictions) -> str:
    """Return a table with one row per history, for the first histories."""
    rows = []
    for history, one in zip(found.histories[:SHOWN_HISTORIES], found[:SHOWN_HISTORIES], strict=True):
        likely = ", ".join(f"{name_of(node.node)} {percent(node.probability)}" for node in one.nodes[:SHOWN_NODES])
        rows.append([_end_of(history), likely, str(one.order), f"{one.observed:,}"])
    hidden = len(found) - len(rows)
    caption = amount(len(found), "prediction") + (f"; {hidden:,} not shown" if hidden else "")
    return html_table(("history", "next", "order", "observed"), rows, caption, n_texts=2)


def _end_of(history: Sequence[Hashable]) -> str:
    """Return the newest nodes of a history."""
    return "… > " * (len(history) > LONGEST_HISTORY) + path_of(history[-LONGEST_HISTORY:])
