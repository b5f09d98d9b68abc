"""Explanations as tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterator

from honem._internal.html_tables import html_paragraph, html_table
from honem._internal.words import amount, name_of, number, path_of, percent
from honem.explain.node import NodeExplanation
from honem.explain.pair import PATH_TITLES, PairExplanation
from honem.rules.findings import Findings

RULES_OF_NODE = 6
RULES_OF_ORDER = 3


def html_of_node(explained: NodeExplanation) -> str:
    """Return what is known of a node as paragraphs, and its first rules as a table."""
    facts = "".join(map(html_paragraph, explained.facts()))
    if not explained.rules:
        return facts
    hidden = len(explained.rules) - RULES_OF_NODE
    more = html_paragraph(f"and {amount(hidden, 'more rule')}") if hidden > 0 else ""
    return facts + Findings(explained.rules[:RULES_OF_NODE])._repr_html_() + more


def html_of_pair(explained: PairExplanation) -> str:
    """Return the explanation of a pair as one table for each of its parts."""
    return "".join(_parts_of_pair(explained))


def _parts_of_pair(explained: PairExplanation) -> Iterator[str]:
    score = explained.score
    yield html_paragraph(explained.title())
    yield from _seen(explained)
    steps = explained.steps if explained.entry or explained.nearness else ()
    yield from (html_paragraph(str(step)) for step in steps)
    yield html_paragraph(explained.left_by_truncation())
    terms = [("itself", score.own), *((name_of(term.node), term) for term in score.others)]
    rows = [[name, f"{term.part:+.4f}", f"{term.likeness:.4f}", f"{term.nearness:.4f}"] for name, term in terms]
    rest = [[amount(score.n_rest, "more node"), f"{score.rest:+.4f}", "", ""]] if score.n_rest else []
    unexplained = [["unexplained", f"{score.unexplained:+.4f}", "", ""]] if explained.is_inexact() else []
    head = ("node", "part of the score", "likeness", "nearness")
    yield html_table(head, [*rows, *rest, *unexplained], f"The score by nodes: {explained.terms}")
    yield from _common(explained)
    yield from _paths(explained)


def _seen(explained: PairExplanation) -> Iterator[str]:
    rows = [
        (
            path_of((*rule.context, explained.b)),
            str(order.order),
            number(rule.part),
            f"{rule.count:,}",
            f"{rule.support:,}",
            percent(rule.probability),
        )
        for order in explained.orders
        for rule in order.rules[:RULES_OF_ORDER]
    ]
    if not rows:
        yield html_paragraph("no rule leads from the one to the other")
        return
    hidden = sum(len(order.rules[RULES_OF_ORDER:]) for order in explained.orders)
    more = f"; {amount(hidden, 'more rule')} not shown" if hidden else ""
    words = f"What was seen: {number(explained.entry)}, the {explained.combined} of weight x value over orders{more}"
    yield html_table(("rule", "order", "part", "count", "of", "share"), rows, words)


def _common(explained: PairExplanation) -> Iterator[str]:
    common = explained.common
    if common.terms:
        rows = [[name_of(term.node), f"{term.part:+.4f}"] for term in common.terms]
        rest = [[amount(common.n_rest, "more node"), f"{common.rest:+.4f}"]] if common.n_rest else []
        words = f"What both lead to: the cosine of their rows of the matrix, {number(common.cosine)}, by nodes"
        yield html_table(("both lead to", "part"), [*rows, *rest], words)


def _paths(explained: PairExplanation) -> Iterator[str]:
    rows = [
        [path_of(path.nodes), PATH_TITLES[path.kind], f"{path.count:,}"]
        for path in explained.paths
        if path.kind in PATH_TITLES  # the others are among the rules
    ]
    if rows:
        yield html_table(("path", "found", "count"), rows, n_texts=2)
