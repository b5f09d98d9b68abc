"""Check a built site: every link within it leads to a page and a place on it, and nothing is loaded from elsewhere.

python .ci/check_site.py build/site
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


@dataclass
class Page(HTMLParser):
    """The addresses on a page: those it links to, those that a browser loads, and the anchors that it has."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif (tag, name) in LOADS and value:
                self.loads.append(value)
            elif tag == "a" and name == "href" and value:
                self.links.append(value)


def read_page(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def problems_of(site: Path) -> list[str]:
    """Return one line per broken link, and one per file that would be loaded from the network."""
    files = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]  # those are of the theme
    pages = {path.resolve(): read_page(path) for path in files}
    found = [] if pages else [f"{site}: no pages; run make docs"]
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        found += [f"{name}: loads {address} from the network" for address in page.loads if urlsplit(address).netloc]
        found += [f"{name}: {link} leads nowhere" for link in page.links + page.loads if is_broken(path, link, pages)]
    return found


def is_broken(path: Path, link: str, pages: dict[Path, Page]) -> bool:
    """Return whether a link within the site has no target; other addresses are not followed."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if parts.fragment and target in pages:
        return unquote(parts.fragment) not in pages[target].anchors
    return not target.exists()


if __name__ == "__main__":
    problems = problems_of(Path(sys.argv[1]))
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    sys.exit(bool(problems))
