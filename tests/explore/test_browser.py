"""The page as people use it, in Chromium: every step without an error and without a request."""

from __future__ import annotations

import csv
import io
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from honem import HONEM, Corpus
from honem.cli.main import main
from honem.evaluation.results import read_results
from honem.explore import PageServer, Source, content_of, explore, page_of
from honem.explore.content import Options
from honem.explore.packing import unpack
from tests.explore.conftest import NO_BREAK, THROUGH_M
from tests.io.formats.nasty import NASTY, nasty_corpus

PHONE = {"viewport": {"width": 390, "height": 844}}


def search(page: Any, name: str, field: str = "#search") -> None:
    page.fill(field, name)
    page.keyboard.press("Enter")


def n_colors(picture: bytes) -> int:
    image = pytest.importorskip("matplotlib.image", reason="no matplotlib here")
    return len(np.unique(image.imread(io.BytesIO(picture)).reshape(-1, 4), axis=0))


def charts(page: Any) -> list[Any]:
    return list(page.locator(".chart").all())


def is_wide(page: Any) -> bool:
    """Whether one would have to scroll sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


@pytest.mark.slow
def test_a_visit_to_wikispeedia(visit: Any, wikispeedia_page: Path) -> None:
    seen = visit(wikispeedia_page.as_uri())
    page = seen.page
    page.keyboard.press("/")
    search(page, "Paris")
    seen.soon(lambda: seen.text("article h2") == "Paris")
    seen.soon(lambda: len("\n".join(seen.texts(".neighbors")).splitlines()) >= 10)
    page.locator(".neighbors .link").first.click()
    seen.soon(lambda: seen.text("article h2") != "Paris")
    page.go_back()
    page.wait_for_function("() => document.querySelector('article h2').textContent === 'Paris'")

    page.locator(".neighbors .pair").first.click()
    seen.soon(lambda: page.locator("svg .end").count() >= 2 or "No rule" in seen.text("aside"))
    page.keyboard.press("Escape")

    page.get_by_role("button", name="First order").click()
    seen.soon(lambda: "by first order" in seen.text("aside"))
    seen.soon(lambda: "order=first" in page.url)
    page.keyboard.press("o")

    page.get_by_role("tab", name="What comes next").click()
    for amount, name in enumerate(("Asteroid", "Earth", "Europe"), start=1):
        search(page, name, "#history")
        seen.soon(lambda amount=amount: len(seen.texts(".history li:not(.field)")) == amount)
    seen.soon(lambda: len(seen.texts(".predicted tbody tr")) == 10)
    seen.page.click("summary:has-text('Observed by order')")
    seen.soon(lambda: [text.split()[1] for text in seen.texts(".expected h3")] == ["3", "2", "1"])
    kept = page.url
    page.goto("about:blank")
    seen.open(kept)
    history = ["Asteroid", "Earth", "Europe"]
    seen.soon(lambda: [text.splitlines()[0] for text in seen.texts(".history li:not(.field)")] == history)
    seen.check_silence()


def test_a_lasso_selects_what_it_surrounds(visit: Any, wikispeedia_page: Path) -> None:
    seen = visit(wikispeedia_page.as_uri())
    page = seen.page
    box = page.locator("canvas.over").bounding_box()
    page.click("#lasso")
    corners = [(0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7), (0.3, 0.35)]
    at = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*at[0])
    page.mouse.down()
    for place in at[1:]:
        page.mouse.move(*place, steps=5)
    page.mouse.up()
    page.wait_for_selector("h2:has-text('nodes selected')")
    amount = int(seen.text("article h2").split()[0].replace(",", ""))
    assert 0 < amount < 4177
    page.click("nav button:has-text('Table')")
    seen.soon(lambda: f"{amount:,} nodes" in seen.text(".page [role=status]"))
    kept = page.url
    page.goto("about:blank")
    seen.open(kept)
    seen.soon(lambda: f"{amount:,} nodes" in seen.text(".page [role=status]"))
    seen.check_silence()


def test_a_click_on_the_map_chooses_the_node_there(visit: Any, city_page: Path, city_model: HONEM) -> None:
    seen = visit(city_page.as_uri())
    page = seen.page
    box = page.locator("canvas.over").bounding_box()
    source = Source(city_model.embedding_, city_model.rules_, recipe=city_model.recipe_)
    parts = content_of(source, Options(projection="pca"))
    _, columns = unpack(parts["map"])
    node = int(columns["x0"].argmax())
    x, y = page.evaluate("node => honem.map.onScreen(node)", node)
    page.mouse.move(box["x"] + x, box["y"] + y)
    near = seen.text(".tip").strip("\u2068\u2069")
    beside = np.abs(columns["x0"].astype(int) - columns["x0"][node]) < 1500
    same_place = {city_model.embedding_.nodes[other] for other in np.flatnonzero(beside)}
    assert near in same_place
    page.mouse.down()
    page.mouse.up()
    seen.soon(lambda: seen.text("article h2") == near)
    before = page.url
    page.mouse.wheel(0, -600)
    page.wait_for_function("before => location.href !== before", arg=before)
    seen.soon(lambda: "at=" in page.url)
    seen.check_silence()


def test_rules_are_told_as_they_are(visit: Any, city_page: Path, city_model: HONEM) -> None:
    seen = visit(f"{city_page.as_uri()}#node=downtown")
    first = city_model.rules_.for_node("downtown").by_order(1)
    likeliest = max(first.records(), key=lambda record: (record["count"], -first.vocabulary.id(record["target"])))
    rows = seen.page.locator(".rule").first.locator("li")
    assert likeliest["target"] in rows.first.inner_text()
    assert f"{100 * likeliest['probability']:.0f}{NO_BREAK}%" in rows.first.inner_text()
    seen.page.click("summary:has-text('Context tree')")
    seen.page.locator(".tree summary").first.click()
    seen.soon(lambda: "after" in seen.text(".tree .rule"))
    visited = seen.page.goto(f"{city_page.as_uri()}#node=hotel&with=museum")
    assert visited is None or visited.ok
    seen.page.wait_for_selector(".paths svg")
    seen.soon(lambda: "downtown" in " ".join(seen.page.locator(".paths svg text").all_text_contents()))
    seen.check_silence()


def test_the_profile_is_shown_and_colours_the_map(visit: Any, city_page: Path, city_model: HONEM) -> None:
    seen = visit(city_page.as_uri())
    page, profile = seen.page, city_model.profile()
    search(page, "downtown")
    seen.soon(lambda: len(seen.texts(".profile li")) == len(profile.columns) - 1)
    shown = dict(text.splitlines() for text in seen.texts(".profile li"))
    assert shown["visits"] == f"{profile.of_node('downtown')['visits']:,.0f}"
    assert float(shown["entropy out"]) == pytest.approx(profile.of_node("downtown")["entropy_out"], abs=1e-3)
    page.get_by_role("button", name="entropy out").click()
    seen.soon(lambda: "entropy of the next node" in seen.text(".legend"))
    seen.soon(lambda: "colour=profile" in page.url)
    kept = page.url
    page.goto("about:blank")
    seen.open(kept)
    seen.soon(lambda: page.locator(".color select option:checked").inner_text() == "entropy out")
    page.locator(".color select").select_option(label="bits saved")
    seen.soon(lambda: "history shortens" in seen.text(".legend"))
    seen.check_silence()


@pytest.mark.parametrize(
    ("criterion", "word", "strongest", "says", "tooltip"),
    [
        ("significance", "trusted", "b", "{evidence:.1f} bits of evidence", "q-value {q_value:.1g}"),
        (
            "divergence",
            "accepted",
            "a",
            "{divergence:.2f} bits against a threshold of {threshold:.2f}",
            "{evidence:.1f} bits of evidence, q-value {q_value:.1g}",
        ),
    ],
    ids=["significance", "divergence"],
)
def test_rules_are_judged_in_the_words_of_their_criterion(
    visit: Any, tmp_path: Path, criterion: str, word: str, strongest: str, says: str, tooltip: str
) -> None:
    model = HONEM(3, criterion=criterion).fit(THROUGH_M)
    page = explore((model.embedding_, model.rules_, {}), tmp_path / "page.html", projection="pca")
    seen = visit(f"{page.as_uri()}#node=x")
    (rule,) = (rule for rule in model.rules_ if rule.context == (strongest, "m", "x"))
    seen.soon(lambda: f"2 {word} rules of order 2 or more" in seen.text("aside"))
    shown = seen.page.locator(".rule").nth(1)
    assert f"after {strongest} → m" in shown.inner_text()
    assert shown.locator("small").inner_text() == f"seen {rule.support} times · {says.format(**rule.to_dict())}"
    assert shown.locator("small").get_attribute("title") == tooltip.format(**rule.to_dict())

    seen.page.click("summary:has-text('Context tree')")
    assert "lower order" in seen.text(".tree summary")
    seen.page.locator(".tree summary").first.click()
    seen.soon(lambda: f"seen 50 times · kept only as a lower order of {word} rules" in seen.text(".tree .rule"))

    seen.page.keyboard.press("3")
    seen.soon(lambda: word in seen.text(".meaning"))
    assert seen.texts(".orders tr")[0].split()[:3] == ["Order", "Rules", word.capitalize()]
    assert [row.split()[:3] for row in seen.texts(".orders tbody tr")] == [
        ["1", "4", "\u2013"],
        ["2", "3", "0"],
        ["3", "2", "2"],
    ]
    seen.check_silence()


def test_a_pair_is_explained_by_the_same_numbers_as_on_the_command_line(
    visit: Any, city_page: Path, city_model: HONEM
) -> None:
    nearest, cosine = city_model.embedding_.neighbors("hotel", 1, space="cosine")[0]
    seen = visit(f"{city_page.as_uri()}#node=hotel&with={nearest}")
    common = city_model.explain("hotel", nearest).common
    seen.soon(lambda: len(seen.texts(".why li")) == 3)
    for sentence, term in zip(seen.texts(".why li"), common.terms, strict=False):
        pair = term.node in ("hotel", nearest)
        other = nearest if term.node == "hotel" else "hotel"
        assert sentence.startswith(
            f"{other} leads to {term.node} itself, " if pair else f"Both lead to {term.node}: hotel "
        )
    rows = [row.split("\t") for row in seen.texts(".why-numbers tr")]
    expected = [*[(str(term.node), term.part) for term in common.terms[:3]]]
    assert [row[0] for row in rows[:3]] == [node for node, _ in expected]
    assert [float(row[-1]) for row in rows[:3]] == pytest.approx([part for _, part in expected], abs=6e-4)
    (whole,) = (row for row in rows if row[0].startswith("cosine of their rows"))
    assert float(whole[-1]) == pytest.approx(common.cosine, abs=6e-4)
    parts = [float(row[-1]) for row in rows[: rows.index(whole)]]
    assert sum(parts) == pytest.approx(common.cosine, abs=3e-3)
    assert seen.text(".pair-panel > p").startswith(
        f"Cosine similarity {cosine:.3f}. {nearest} is the nearest of hotel;"
    )
    seen.check_silence()


def test_neighbours_are_the_same_as_on_the_command_line(
    visit: Any, city_page: Path, city_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["neighbors", str(city_store), "hotel", "-n", "10", "--space", "cosine", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    seen = visit(f"{city_page.as_uri()}#node=hotel")
    seen.soon(lambda: len(seen.texts(".neighbors:first-of-type li")) >= 10)
    shown = [text.replace("won\n", "").split("\n") for text in seen.texts(".neighbors:first-of-type li")[:10]]
    assert [(row[0], row[-1]) for row in shown] == [
        (one["node"], f"{one['score']:.3f}") for one in printed["neighbors"]
    ]


def test_search_ignores_case_accents_and_underscores(visit: Any, tmp_path: Path) -> None:
    names = {"1": "Port of São Tomé", "2": "Łódź", "3": "New_York", "4": "%C3%81ed%C3%A1n", "5": "Ørsted"}
    model = HONEM(2).fit(Corpus.from_sequences([[*names], [*names][::-1]] * 5))
    page = explore(
        (model.embedding_, model.rules_, {}),
        tmp_path / "page.html",
        labels={"name": names},
        names="name",
        projection="pca",
    )
    seen = visit(page.as_uri())
    for text, node in (
        ("SAO  tome", "1"),
        ("lodz", "2"),
        ("new york", "3"),
        ("aedan", "4"),
        ("orsted", "5"),
        ("3", "3"),
    ):
        seen.page.fill("#search", text)
        seen.soon(lambda node=node: seen.texts(".found li")[:1] and seen.texts(".found li")[0].startswith(names[node]))
    seen.page.goto(f"{page.as_uri()}#node=2")
    seen.soon(lambda: seen.text("article h2").startswith("Łódź"))
    assert "id\n2" in seen.text("dl.facts")
    seen.check_silence()


def test_the_page_opens_with_what_was_found(visit: Any, city_page: Path, city_model: HONEM) -> None:
    seen = visit(city_page.as_uri())
    page, (strongest, *_) = seen.page, city_model.rules_.top(1)
    next = strongest.largest_change
    shown = page.locator(".findings .finding").first
    context, raised = ", then ".join(map(str, strongest.context)), f"{100 * next.probability:.0f} % instead of"
    assert shown.inner_text().replace(NO_BREAK, " ").startswith(f"After {context}: {next.node} {raised}")
    assert f"seen {strongest.support} times \u00b7 {strongest.verdict}" in shown.inner_text()
    shown.click()
    seen.soon(lambda: f"At {strongest.context[-1]} after {strongest.context[0]}" in seen.text(".rule.wanted"))
    seen.soon(lambda: page.locator(".rule.wanted").is_visible())
    kept = page.url
    page.keyboard.press("Escape")
    page.locator(".section:has-text('only higher orders') .finding").first.click()
    seen.soon(lambda: seen.text("[role=tab]") == "Two nodes")
    page.goto("about:blank")
    seen.open(kept)
    seen.soon(lambda: page.locator(".rule.wanted").count() == 1)
    seen.check_silence()


def test_downloads_are_made_on_the_spot(visit: Any, city_page: Path, city_model: HONEM) -> None:
    seen = visit(city_page.as_uri())
    page = seen.page
    page.click(".menu summary")
    contents = {}
    for words in ("Map as PNG", "Map as SVG", "Nodes as CSV"):
        with page.expect_download() as started:
            page.get_by_role("button", name=words).click()
        contents[words] = Path(started.value.path()).read_bytes()
    assert n_colors(contents["Map as PNG"]) > 20
    assert contents["Map as SVG"].count(b"<circle") == len(city_model.embedding_)
    drawn = contents["Map as SVG"].decode()
    assert "city: 17 nodes \u00b7 embedding \u00b7 colour: community" in drawn
    assert all(f">{text.splitlines()[0]}<" in drawn for text in seen.texts(".legend li"))
    rows = list(csv.DictReader(io.StringIO(contents["Nodes as CSV"].decode("utf-8-sig"), newline="")))
    assert [row["node"] for row in rows] == list(city_model.embedding_.nodes)
    seen.check_silence()


def test_a_link_to_the_view_is_copied(visit: Any, city_page: Path) -> None:
    seen = visit(f"{city_page.as_uri()}#node=hotel")
    seen.page.evaluate("navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }")
    seen.page.click(".menu summary")
    seen.page.get_by_role("button", name="Copy link to this view").click()
    seen.page.wait_for_selector("button:has-text('Link copied')")
    assert seen.page.evaluate("copied") == seen.page.url
    assert "node=hotel" in seen.page.url


def test_csv_holds_no_formulas(visit: Any, tmp_path: Path) -> None:
    names = ["=1+1", "+a", "-b", "@c", "-5", "plain"]
    model = HONEM(2).fit(Corpus.from_sequences([names, names[::-1]] * 5))
    page = explore((model.embedding_, model.rules_, {}), tmp_path / "page.html", projection="pca")
    seen = visit(page.as_uri())
    seen.page.click(".menu summary")
    with seen.page.expect_download() as started:
        seen.page.get_by_role("button", name="Nodes as CSV").click()
    rows = csv.DictReader(io.StringIO(Path(started.value.path()).read_text(encoding="utf-8-sig"), newline=""))
    assert sorted(row["node"] for row in rows) == sorted(["'=1+1", "'+a", "'-b", "'@c", "-5", "plain"])


def test_without_webgl_a_plain_canvas_draws_the_map(visit: Any, city_page: Path) -> None:
    seen = visit("about:blank", ready=False)
    seen.context.add_init_script(
        """const before = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
          return kind === "webgl2" ? null : before.call(this, kind, ...rest);
        };"""
    )
    seen.open(city_page.as_uri())
    seen.page.wait_for_timeout(200)
    seen.soon(lambda: n_colors(seen.page.locator(".map").screenshot()) > 20)
    pixels = "document.querySelector('canvas.points').getContext('2d').getImageData(0, 0, 4000, 4000).data"
    assert seen.page.evaluate(f"{pixels}.some(Boolean)")
    seen.check_silence()


def test_a_trimmed_page_says_so(visit: Any, city_model: HONEM, tmp_path: Path) -> None:
    parts = content_of(Source(city_model.embedding_, city_model.rules_), Options(projection="pca"), most_rows=60)
    (tmp_path / "page.html").write_text(page_of("city", parts), encoding="utf-8")
    seen = visit((tmp_path / "page.html").as_uri())
    seen.soon(lambda: f"strongest of {city_model.rules_.n_rows} rows of rules" in seen.text("aside"))
    seen.page.keyboard.press("3")
    seen.soon(lambda: "Not all rules are in this file" in seen.text(".trimmed"))
    seen.check_silence()


def test_curves_are_of_the_forms_that_stayed_and_honem_comes_first(
    visit: Any, city_store: Path, tmp_path: Path
) -> None:
    rows = ["dataset,task,method,dimension,seed,score,metric,value"]
    for method, seeds in (("deepwalk", 2), ("deepwalk:directed=False", 1), ("honem", 2)):
        for metric, value in (("map", 0.2), ("precision@10", 0.3), ("precision@100", 0.1), ("held_out_edges", 900)):
            rows += [f"city,links,{method},{d},{seed},s,{metric},{value}" for d in (8, 16) for seed in range(seeds)]
    (tmp_path / "results.csv").write_text("\n".join(rows), encoding="utf-8")
    page = explore(city_store, tmp_path / "page.html", projection="pca", evaluation=read_results(tmp_path))
    seen = visit(page.as_uri() + "#view=evaluation")
    seen.soon(lambda: seen.texts(".chart figcaption") == ["Precision@k", "Mean average precision"])
    assert [keys.split("\n") for keys in seen.texts(".chart .keys")] == [["honem", "deepwalk"]] * 2
    ticks = [[float(text) for text in chart.locator(".tick text").all_text_contents()] for chart in charts(seen.page)]
    assert ticks == [[0, 0.1, 0.2, 0.3], [0, 0.05, 0.1, 0.15, 0.2]]
    assert list(dict.fromkeys(seen.texts(".results tbody th"))) == ["honem", "deepwalk", "deepwalk:directed=False"]
    seen.check_silence()


@pytest.fixture(scope="module")
def nasty_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = HONEM(3).fit(nasty_corpus())
    labels = {"kind of <b>": {name: f"<img src=x onerror=alert(1)>{i % 3}" for i, name in enumerate(NASTY)}}
    place = tmp_path_factory.mktemp("nasty") / "page.html"
    return explore((model.embedding_, model.rules_, {}), place, labels=labels, projection="pca")


def test_nasty_names_are_shown_as_text(visit: Any, nasty_page: Path) -> None:
    seen = visit(nasty_page.as_uri(), **PHONE)
    page = seen.page
    for number, name in enumerate(NASTY):
        seen.page.goto(f"{nasty_page.as_uri()}#node=~{number}")
        shown = page.locator("article h2 bdi.whole")
        page.wait_for_function(
            "n => decodeURIComponent(location.hash).length > 1 && document.querySelector('bdi.whole')", arg=number
        )
        expected = name if name.strip() else None
        if expected is not None:
            page.wait_for_function("name => document.querySelector('bdi.whole').textContent === name", arg=name)
        else:
            assert "name)" in shown.inner_text()
        assert not is_wide(page), name
    seen.soon(lambda: page.locator("article img, article script, .legend img").count() == 0)
    seen.check_silence()


def test_the_map_below_the_search_list_keeps_its_points(visit: Any, wikispeedia_page: Path) -> None:
    """Chromium without a graphics card does not draw part of a WebGL canvas below an open list."""
    seen = visit(wikispeedia_page.as_uri(), viewport={"width": 1440, "height": 900})
    pyplot_image = pytest.importorskip("matplotlib.image", reason="no matplotlib here")

    def below_the_list() -> Any:
        return pyplot_image.imread(io.BytesIO(seen.page.screenshot()))[450:850, 150:600]

    seen.page.wait_for_timeout(500)
    before = below_the_list()
    assert len(np.unique(before.reshape(-1, before.shape[-1]), axis=0)) > 20
    seen.page.fill("#search", "a")
    seen.page.wait_for_selector(".found")
    seen.page.wait_for_timeout(500)
    assert (below_the_list() == before).all()
    seen.check_silence()


@pytest.mark.parametrize(
    "where", ["", "#view=table", "#view=overview", "#panel=next&after=Paris", "#node=Paris&with=France"]
)
def test_a_phone_has_no_need_to_scroll_sideways(visit: Any, wikispeedia_page: Path, where: str) -> None:
    seen = visit(wikispeedia_page.as_uri() + where, **PHONE, color_scheme="dark")
    assert seen.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert not is_wide(seen.page)
    seen.check_silence()


def test_keys_lead_everywhere(visit: Any, city_page: Path) -> None:
    seen = visit(city_page.as_uri())
    page = seen.page
    page.keyboard.press("?")
    page.wait_for_selector("dialog.help[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog.help", state="detached")
    page.keyboard.press("3")
    seen.soon(lambda: seen.text(".page h2") == "About this model")
    seen.soon(lambda: "gamma" in seen.text(".page"))
    page.keyboard.press("2")
    seen.soon(lambda: len(seen.texts(".page tbody tr")) == 17)
    page.keyboard.press("1")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.hash.includes('at=')")
    seen.check_silence()


def test_a_served_page_asks_its_own_server_only(visit: Any, city_model: HONEM) -> None:
    parts = content_of(Source(city_model.embedding_, city_model.rules_), Options(projection="pca"))
    with PageServer() as server:
        server.show(page_of("city"), parts)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        seen = visit(server.address)
        seen.soon(lambda: seen.complaints == [])
        asked = {url.removeprefix(server.address) for url in seen.requests if not url.startswith("data:")}
        assert asked == {"", "data/map", "data/neighbors", "data/closeness", "data/rules", "data/next"}
        server.shutdown()
