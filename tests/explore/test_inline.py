"""The page inside a notebook, and the tables of explanations and predictions; all text is escaped."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

from honem import HONEM
from honem.explore import InlinePage

HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture(scope="module")
def model() -> HONEM:
    trips = [[HOSTILE, "m", "x"]] * 20 + [["b", "m", "y"]] * 20
    return HONEM(n_components=3, preset="evidence").fit(trips)


def test_the_frame_contains_the_whole_page_escaped(model: HONEM, tmp_path: Path) -> None:
    page = model.explore(tmp_path / "page.html", projection="pca")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    found = re.fullmatch(
        r'<iframe title="honem" sandbox="([^"]*)" style="[^"]*" srcdoc="([^"<>]*)"></iframe>', page._repr_html_()
    )
    assert found
    assert "allow-same-origin" not in found[1]
    assert html.unescape(found[2]).startswith("<!DOCTYPE html>")
    assert 'title="&quot;&gt;' in InlinePage('">', {})._repr_html_()


def test_the_page_works_in_a_frame(model: HONEM, tmp_path: Path, visit: Any) -> None:
    frame = model.explore(projection="pca")._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!DOCTYPE html><title>notebook</title>{frame}", encoding="utf-8")
    seen = visit((tmp_path / "notebook.html").as_uri(), ready=False)
    seen.page.goto((tmp_path / "notebook.html").as_uri())
    inside = seen.page.frame_locator("iframe")
    inside.locator("#search").fill("m")
    inside.locator("#search").press("Enter")
    inside.locator("article h2").wait_for()
    assert inside.locator("article h2").inner_text() == "m"
    inside.locator("#search").press("Escape")
    assert seen.complaints == []


def test_tables_are_escaped(model: HONEM) -> None:
    shown: list[Any] = [
        model.explain("m"),
        model.explain(HOSTILE, "x"),
        model.predict_next([HOSTILE, "m"], 2),
        model.predict_next([[HOSTILE, "m"], ["?"]], 2),
    ]
    for one in shown:
        text = one._repr_html_()
        assert set(re.findall(r"</?(\w+)", text)) == {"p", "table", "thead", "tbody", "tr", "th", "td"}
        assert "&lt;script&gt;" in text
