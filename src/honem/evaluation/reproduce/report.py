"""A report: headings, text, tables and figures, written as Markdown and as one self-contained HTML page."""

from __future__ import annotations

import base64
import html
import re
from dataclasses import dataclass, field
from pathlib import Path

from honem.evaluation.reproduce.tables import ReportTable
from honem.io.atomic import atomic_file

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a;
  background: #fff }
table { border-collapse: collapse; margin: 1rem 0; font-size: .85rem; display: block; overflow-x: auto }
th, td { border-bottom: 1px solid #ddd; padding: .3rem .7rem; text-align: left; white-space: nowrap;
  vertical-align: top }
td small { display: block; white-space: normal; max-width: 11rem; color: #555 }
th { border-bottom: 2px solid #888 }
figure { margin: 1rem 0 }
img { max-width: 100%; background: #fff }
code { background: #f2f2f2; padding: .1rem .3rem; border-radius: .2rem }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc }
@media (prefers-color-scheme: dark) {
  body { background: #16181c; color: #e6e6e6 } code { background: #2a2d33 } th, td { border-color: #3a3d44 }
  td small { color: #aaa }
}
"""


@dataclass(frozen=True)
class Figure:
    """A picture with its caption."""

    path: Path
    caption: str


@dataclass
class Report:
    """The parts of a report, in order."""

    title: str
    parts: list[str | ReportTable | Figure] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Add a paragraph, or a heading that begins with #; `code` and **bold** as in Markdown."""
        self.parts.append(text)

    def show(self, part: ReportTable | Figure) -> None:
        """Add a table or a figure."""
        self.parts.append(part)

    def write(self, folder: Path) -> None:
        """Write `report.md` and `report.html`."""
        for name, text in (("report.md", self.to_markdown(folder)), ("report.html", self.to_html())):
            with atomic_file(folder / name) as file:
                file.write(text.encode())

    def to_markdown(self, folder: Path) -> str:
        """Return the report in Markdown, with links to its figures."""
        blocks = [f"# {self.title}"]
        for part in self.parts:
            if isinstance(part, ReportTable):
                blocks.append(f"**{part.title}**\n\n{part.to_markdown()}")
            elif isinstance(part, Figure):
                blocks.append(f"![{part.caption}]({part.path.relative_to(folder).as_posix()})\n\n*{part.caption}*")
            else:
                blocks.append(part)
        return "\n\n".join(blocks) + "\n"

    def to_html(self) -> str:
        """Return the report as one HTML page that contains its figures."""
        body = "\n".join(_html(part) for part in self.parts)
        policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{html.escape(self.title)}</title><style>{STYLE}</style></head>"
            f"<body><h1>{html.escape(self.title)}</h1>\n{body}\n</body></html>\n"
        )


def _html(part: str | ReportTable | Figure) -> str:
    if isinstance(part, ReportTable):
        head = "".join(f"<th>{_inline(column)}</th>" for column in part.columns)
        rows = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in part.rows)
        return f"<p><strong>{_inline(part.title)}</strong></p><table><tr>{head}</tr>{rows}</table>"
    if isinstance(part, Figure):
        picture = base64.b64encode(part.path.read_bytes()).decode()
        caption = html.escape(part.caption)
        image = f'<img alt="{caption}" src="data:image/png;base64,{picture}">'
        return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"
    heading = re.match(r"(#+) (.*)", part)
    if heading:
        level = len(heading[1])
        return f"<h{level}>{_inline(heading[2])}</h{level}>"
    return f"<p>{_inline(part)}</p>"


def _cell(text: str) -> str:
    shown, _, small_print = text.partition("\n")
    return _inline(shown) + (f"<small>{_inline(small_print)}</small>" if small_print else "")


def _inline(text: str) -> str:
    escaped = html.escape(text)
    escaped = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escaped)
    return re.sub(r"`(.+?)`", r"<code>\1</code>", escaped)
