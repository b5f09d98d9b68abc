"""The page breaks none of axe-core's rules, on screens of three sizes, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from honem.explore import explore
from tests.explore.conftest import Visit

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
SIZES = {"desktop": (1440, 900), "tablet": (820, 1180), "phone": (390, 844)}
VIEWS = {
    "findings": "",
    "node": "#node=hotel",
    "pair": "#node=hotel&with=hostel",
    "rule": "#node=downtown&rule=hotel&rule=downtown",
    "next": "#panel=next&after=hotel&after=downtown",
    "table": "#view=table",
    "about": "#view=about",
    "evaluation": "#view=evaluation",
}
RESULTS = [
    ["city", "next_step", method, dimension, "probability", metric, value, 0.01, 2]
    for method, dimension in (("honem", 8), ("rules", 0))
    for metric, value in (("log_loss", 2.5), ("mrr", 0.5))
]


@pytest.fixture(scope="module")
def open_pages(browser: Any, city_store: Path) -> Any:
    """Return one open page for each size and color scheme, shared by all tests."""
    if not AXE.is_file():
        pytest.skip("no axe-core here: cd web && npm ci")
    names = ["downtown", "hotel", "hostel", "museum"]
    labels = {
        "lon": {name: 10 * i for i, name in enumerate(names)},
        "lat": {name: 45 + i for i in range(4) for name in names[i:]},
    }
    place = city_store.with_name("accessible.html")
    address = explore(city_store, place, labels=labels, coordinates=True, projection="pca", evaluation=RESULTS).as_uri()
    visits: dict[tuple[str, str], Visit] = {}

    def page_of(size: str, scheme: str) -> tuple[Visit, str]:
        if (size, scheme) not in visits:
            width, height = SIZES[size]
            options: dict[str, Any] = {
                "color_scheme": scheme,
                "reduced_motion": "reduce",
                "has_touch": size != "desktop",
            }
            visits[size, scheme] = Visit(browser, address, viewport={"width": width, "height": height}, **options)
        return visits[size, scheme], address

    yield page_of
    for visit in visits.values():
        visit.context.close()


def violations(page: Any) -> list[str]:
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{rule['id']}: {node['html'][:160]} {node['failureSummary']}" for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(open_pages: Any, size: str, scheme: str) -> None:
    seen, address = open_pages(size, scheme)
    for view, where in VIEWS.items():
        seen.page.goto(address + where)  # only the part after # changes, so the page stays open
        seen.page.wait_for_selector("main[data-ready=true]")
        seen.page.wait_for_timeout(60)
        assert violations(seen.page) == [], view
    seen.check_silence()
