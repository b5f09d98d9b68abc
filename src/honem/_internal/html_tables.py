"""Small tables for notebooks; all text is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", *, n_texts: int = 1) -> str:
    """Return an HTML table, with a caption below it if there is one.

    The first `n_texts` columns are aligned to the left, as texts are, and the others to the right, as numbers are.

    >>> html_table(["node"], [["<b>"]], "1 node").replace(' style="text-align: left"', "")
    '<table><thead><tr><th>node</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table><p>1 node</p>'
    """
    body = "".join(_html_row(row, "td", n_texts) for row in rows)
    table = f"<table><thead>{_html_row(head, 'th', n_texts)}</thead><tbody>{body}</tbody></table>"
    return f"{table}{html_paragraph(caption)}" if caption else table


def html_paragraph(text: str) -> str:
    """Return a paragraph of HTML.

    >>> html_paragraph("a > b")
    '<p>a &gt; b</p>'
    """
    return f"<p>{html.escape(text)}</p>"


def _html_row(cells: Sequence[str], tag: str, n_texts: int) -> str:
    sides = ("left" if place < n_texts else "right" for place in range(len(cells)))
    tagged = (
        f'<{tag} style="text-align: {side}">{html.escape(cell)}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(tagged)}</tr>"
