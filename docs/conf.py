"""Settings of the documentation site, which `make docs` builds with Sphinx. Why Sphinx: see decisions/site.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import honem

project = "honem"
author = "The honem developers"
release = version = honem.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["images", "tutorials/*.py"]

# Pages are Markdown. Fences may carry options for the tests (`file=`, `needs=`), which are not shown.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# Docstrings are numpydoc, types included.
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_param = False
napoleon_use_rtype = False

# Only what a reader would copy: neither prompts nor output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"honem {version}"
html_theme_options = {
    "header_links_before_dropdown": 5,
    "navigation_with_keys": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_end": [],
    "show_prev_next": True,
}
html_show_sourcelink = False
# Types such as "array of shape (n_nodes, 2)" are prose; Sphinx would look for an object called n_nodes.
suppress_warnings = ["ref.python"]

ROOT = Path(__file__).parents[1]
# Pages whose text is a file at the top of the repository, so that it is written once.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
TEXT_OF = re.compile(r"^% text of (\S+)$", re.MULTILINE)
LINK = re.compile(r"(?<=\]\()([^)#:]+)(?=[)#])")


def link_within_site(link: str) -> str:
    """Return where a link of a file at the top leads on the site: `docs/explore.md` is the page `explore.md`."""
    return PAGES.get(link, link.removeprefix("docs/"))


def insert_files(_app: Any, _page: str, text: list[str]) -> None:
    """Replace each line `% text of FILE` by the text of that file at the top of the repository."""

    def content(found: re.Match[str]) -> str:
        whole = (ROOT / found[1]).read_text(encoding="utf-8")
        return LINK.sub(lambda link: link_within_site(link[1]), whole)

    text[0] = TEXT_OF.sub(content, text[0])


def skip_inherited(_app: Any, _what: str, _name: str, member: Any, skip: bool, _options: Any) -> bool:
    """Leave out the methods that scikit-learn adds to every estimator; its own documentation explains them."""
    return skip or (getattr(member, "__module__", None) or "").startswith("sklearn.")


def setup(app: Any) -> None:
    """Connect the above to Sphinx."""
    app.connect("source-read", insert_files)
    app.connect("autodoc-skip-member", skip_inherited)
