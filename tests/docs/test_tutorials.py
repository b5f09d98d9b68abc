"""The tutorials and the gallery do what they say: their code runs, prints what they show, and makes their pictures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, lay_out, run_page
from tests.rules.engines.distributed.sessions import on_spark, shared_session

SPARK = DOCS / "tutorials" / "spark.md"
PAGES = sorted({*(DOCS / "tutorials").glob("*.md"), DOCS / "gallery.md"} - {SPARK, DOCS / "tutorials" / "index.md"})
PICTURE = re.compile(r"^!\[[^\]]+\]\((?:\.\./)?images/(\S+\.png)\)$", re.MULTILINE)


def run_and_check_pictures(page: Path, folder: Path) -> None:
    run_page(page, lay_out(page, folder))
    text = page.read_text(encoding="utf-8")
    saved = re.findall(r"^figure\.savefig\(\"(\S+\.png)\"", text, re.MULTILINE)
    assert saved
    assert set(saved) <= set(PICTURE.findall(text))
    for name in saved:
        assert (folder / name).stat().st_size > 5000
        assert (DOCS / "images" / name).exists(), f"make it: python .ci/figures.py {page}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_from_top_to_bottom(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_and_check_pictures(page, tmp_path)


@on_spark
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_tutorial_on_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared_session()
    monkeypatch.chdir(tmp_path)
    run_and_check_pictures(SPARK, tmp_path)


@pytest.mark.parametrize(
    "page", [page for page in [*PAGES, SPARK] if page.stem != "gallery"], ids=lambda page: page.stem
)
def test_every_tutorial_has_the_same_parts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "**The question.**" in text
    parts = ["## The data", "## Three findings", "\n**1. ", "\n**2. ", "\n**3. ", "## A picture", "## What to try next"]
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def test_every_tutorial_is_listed() -> None:
    index = (DOCS / "tutorials" / "index.md").read_text(encoding="utf-8")
    for page in (DOCS / "tutorials").glob("*.md"):
        assert page.stem == "index" or f"]({page.name})" in index
