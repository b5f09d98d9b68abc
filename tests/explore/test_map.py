"""The geographic map in Chromium: basemap, flows, labels, zoom and flights."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

from honem import HONEM, Corpus
from honem.explore import explore

PHONE = {"viewport": {"width": 390, "height": 844}}
LAND = {"Prague": (14.4, 50.1), "Berlin": (13.4, 52.5), "Kansas City": (-94.6, 39.1), "Alice Springs": (133.9, -23.7)}
SEA = {"Azores": (-27.2, 38.7), "Caspian Sea": (51.0, 42.0), "Indian Ocean": (80.0, -20.0), "Tahiti": (-149.5, -17.5)}
PATHS = [
    *[["Berlin", "Prague", "Azores", "Kansas City"]] * 20,
    *[["Kansas City", "Prague", "Caspian Sea", "Indian Ocean"]] * 20,
    *[["Alice Springs", "Tahiti", "Kansas City", "Berlin"]] * 9,
]
STILL = {"reduced_motion": "reduce"}

Box = tuple[float, float, float, float]


@pytest.fixture(scope="module")
def world_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = HONEM(3, min_support=2).fit(Corpus.from_sequences(PATHS))
    places = LAND | SEA
    labels = {axis: {node: str(at[i]) for node, at in places.items()} for i, axis in enumerate(("lon", "lat"))}
    store = tmp_path_factory.mktemp("world") / "world"
    model.save(store)
    return explore(store, store.with_name("world.html"), labels=labels, coordinates=True, projection="pca")


def place_of(page: Any, name: str) -> tuple[float, float]:
    """Return the place of a node on the map, in pixels."""
    number = "([map, name]) => map.onScreen(map.model.find(name))"
    x, y = page.evaluate(f"name => ({number})([honem.map, name])", name)
    return x, y


def ground_at(page: Any, name: str) -> str:
    """Return the color of the basemap under a node."""
    x, y = place_of(page, name)
    read = (
        "([x, y]) => [...document.querySelector('.ground').getContext('2d').getImageData(x, y, 1, 1).data.slice(0, 3)]"
    )
    return "#" + "".join(f"{value:02x}" for value in page.evaluate(read, [x, y]))


def tint(page: Any, name: str) -> str:
    return str(page.evaluate("name => getComputedStyle(document.documentElement).getPropertyValue(name)", f"--{name}"))


def svg_of(page: Any) -> str:
    page.click(".menu summary")
    with page.expect_download() as started:
        page.get_by_role("button", name="Map as SVG").click()
    page.click(".menu summary")
    return Path(started.value.path()).read_text(encoding="utf-8")


def at_rest(seen: Any) -> None:
    seen.soon(lambda: not seen.page.evaluate("honem.map.view.isFlying"))
    seen.page.wait_for_timeout(400)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nodes_are_on_the_land_or_in_the_sea_where_they_belong(visit: Any, world_page: Path, scheme: str) -> None:
    seen = visit(f"{world_page.as_uri()}#flows=0", color_scheme=scheme)
    seen.page.wait_for_timeout(300)
    assert {ground_at(seen.page, name) for name in LAND} == {tint(seen.page, "land")}
    assert {ground_at(seen.page, name) for name in SEA} == {tint(seen.page, "sea")}
    drawn = svg_of(seen.page)
    assert "Made with Natural Earth" in drawn
    assert re.search(r">[\d,]+ km<", drawn)
    assert {"0°", "30°N", "60°E"} <= set(re.findall(r">([^<>]+°[NSEW]?)<", drawn))
    seen.check_silence()


def test_the_map_fits_its_nodes(visit: Any, world_page: Path) -> None:
    seen = visit(world_page.as_uri())
    box = seen.page.locator(".map").bounding_box()
    places = [place_of(seen.page, name) for name in LAND | SEA]
    for axis, size in enumerate((box["width"], box["height"])):
        assert all(0 < place[axis] < size for place in places)
    across = [x for x, _ in places]
    assert max(across) - min(across) == pytest.approx(0.86 * box["width"], rel=0.05)


def test_flows_are_the_transitions_of_the_data(visit: Any, world_page: Path) -> None:
    seen = visit(world_page.as_uri())
    steps = {step for path in PATHS for step in pairwise(path)}
    curves = len(re.findall(r'd="M[^"]*Q', svg_of(seen.page)))
    assert curves >= len(steps)
    seen.page.click(".flows")
    seen.soon(lambda: "flows=0" in seen.page.url)
    assert not re.findall(r'd="M[^"]*Q', svg_of(seen.page))
    seen.open(f"{world_page.as_uri()}#node=Prague")
    at_rest(seen)
    accent, arriving = tint(seen.page, "accent"), tint(seen.page, "in")
    colors = re.findall(r'd="M[^"]*Q[^"]*" fill="none" stroke="([^"]+)"', svg_of(seen.page))
    assert sorted(colors) == sorted([accent, accent, arriving, arriving])
    assert "leaving" in seen.text(".legend")
    seen.open(f"{world_page.as_uri()}#panel=next&after=Berlin&after=Prague")
    seen.soon(lambda: re.search(f'Q[^"]*" fill="none" stroke="{accent}"', svg_of(seen.page)) is not None)
    seen.check_silence()


def test_the_pointer_and_the_chosen_node_stay_where_they_are_while_zooming(visit: Any, world_page: Path) -> None:
    seen = visit(world_page.as_uri(), **STILL)
    page = seen.page
    box = page.locator("canvas.over").bounding_box()
    before = place_of(page, "Berlin")
    page.mouse.move(box["x"] + before[0], box["y"] + before[1])
    page.mouse.wheel(0, -800)
    at_rest(seen)
    assert place_of(page, "Berlin") == pytest.approx(before, abs=3), "a pointer is at a whole pixel"
    assert place_of(page, "Azores") != pytest.approx(before, abs=50)
    page.mouse.down()
    page.mouse.up()
    seen.soon(lambda: seen.text("article h2") == "Berlin")
    before = place_of(page, "Berlin")
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").click()
    at_rest(seen)
    assert place_of(page, "Berlin") == pytest.approx(before, abs=1)
    seen.check_silence()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_map_flies_to_a_node_and_its_neighbors(visit: Any, world_page: Path, motion: str) -> None:
    seen = visit(f"{world_page.as_uri()}#at=0.9,0.1,40", reduced_motion=motion)
    page = seen.page
    box = page.locator(".map").bounding_box()
    page.fill("#search", "Prague")
    page.keyboard.press("Enter")
    seen.soon(lambda: seen.text("article h2") == "Prague")
    at_rest(seen)
    for name in ("Prague", *[text.splitlines()[0] for text in seen.texts(".neighbors li:not(.away)")]):
        x, y = place_of(page, name)
        assert 0 < x < box["width"], name
        assert 0 < y < box["height"], name
    kept = page.url
    page.goto("about:blank")
    seen.open(f"{kept.partition('#')[0]}#node=Prague&at=0.5,0.5,3")
    at_rest(seen)
    assert page.evaluate("honem.map.view.camera.x") == 0.5, "a link shows the view that it names"
    seen.check_silence()


def test_both_maps_show_the_same_nodes_in_the_same_colors(visit: Any, world_page: Path) -> None:
    seen = visit(world_page.as_uri(), **STILL)
    page = seen.page
    colors = []
    for is_embedding_next in (True, False):
        at_rest(seen)
        colors.append(re.findall(r'<circle[^>]*fill="([^"]+)"', svg_of(page)))
        page.locator("body").press("g")
        seen.soon(lambda wanted=is_embedding_next: ("map=vectors" in page.url) == wanted)
    assert colors[0] == colors[1]
    assert len(colors[0]) == len(LAND | SEA)
    page.get_by_role("button", name="Embedding").click()
    seen.soon(lambda: "map=vectors" in page.url)
    kept = page.url
    page.goto("about:blank")
    seen.open(kept)
    assert page.get_by_role("button", name="Embedding").get_attribute("aria-pressed") == "true"
    assert page.locator(".flows").count() == 0
    seen.check_silence()


def test_a_lasso_of_the_map_stays_a_selection_of_the_embedding(visit: Any, world_page: Path) -> None:
    seen = visit(world_page.as_uri(), **STILL)
    page = seen.page
    box = page.locator("canvas.over").bounding_box()
    (x, y), reach = place_of(page, "Berlin"), 25
    page.click("#lasso")
    corners = [(-reach, -reach), (reach, -reach), (reach, reach), (-reach, reach), (-reach, -reach + 5)]
    page.mouse.move(box["x"] + x + corners[0][0], box["y"] + y + corners[0][1])
    page.mouse.down()
    for dx, dy in corners[1:]:
        page.mouse.move(box["x"] + x + dx, box["y"] + y + dy, steps=4)
    page.mouse.up()
    chosen = ["Berlin", "Prague"]
    seen.soon(lambda: sorted(seen.texts("aside tbody th")) == chosen)
    page.get_by_role("button", name="Embedding").click()
    seen.soon(lambda: "map=vectors" in page.url and "area=" in page.url)
    kept = page.url
    page.goto("about:blank")
    seen.open(kept)
    seen.soon(lambda: sorted(seen.texts("aside tbody th")) == chosen)
    seen.check_silence()


def boxes_of(page: Any) -> tuple[list[Box], list[Box]]:
    """Return the boxes of the labels, and those of the controls that cover the map."""
    controls = """() => {
      const { left, top } = document.querySelector(".map").getBoundingClientRect();
      return [...document.querySelectorAll(".map .tools > *, .map .zoom, .map .legend")].map((one) => {
        const box = one.getBoundingClientRect();
        return [box.left - left, box.top - top, box.right - left, box.bottom - top];
      });
    }"""
    return page.evaluate("honem.map.labelBoxes"), page.evaluate(controls)


def overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize(
    "where", ["", "#node=Paris", "#node=Paris&with=France", "#at=0.5,0.5,4", "#panel=next&after=Paris"]
)
def test_labels_never_overlap_or_leave_the_map(visit: Any, wikispeedia_page: Path, where: str, size: Any) -> None:
    seen = visit(wikispeedia_page.as_uri() + where, **size, **STILL)
    at_rest(seen)
    labels, controls = boxes_of(seen.page)
    width, height = seen.page.evaluate("[honem.map.view.width, honem.map.view.height]")
    assert labels
    assert all(box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height for box in labels)
    assert not [pair for pair in combinations(labels, 2) if overlap(*pair)]
    assert not [(label, control) for label in labels for control in controls if overlap(label, control)]
    seen.check_silence()
