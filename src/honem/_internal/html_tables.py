"""Small tables for notebooks; all text is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """Return an HTML table with a caption below it.

    >>> html_table(["node"], [["<b>"]], "1 node")
    '<table><thead><tr><th>node</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table><p>1 node</p>'
    """
    top = "".join(f"<th>{html.escape(text)}</th>" for text in head)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f"{table}<p>{html.escape(caption)}</p>"
