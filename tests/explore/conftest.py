"""A browser, and pages to look at with it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from honem import HONEM, Corpus, read_paths
from honem.evaluation.datasets import city_trips
from honem.explore import explore
from tests.conftest import REAL_DATA

CHROMIUM = os.environ.get("HONEM_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright here: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("no chromium here: apt install chromium, or point HONEM_CHROMIUM to it")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


NO_BREAK = "\u00a0"  # between a number and its percent sign


class Visit:
    """A page that is open, and everything it complained about or asked the network for."""

    def __init__(self, browser: Any, address: str, *, ready: bool = True, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        if ready:
            self.open(address)

    def _hear(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector("main[data-ready=true]")

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector)).replace(NO_BREAK, " ")

    def texts(self, selector: str) -> list[str]:
        return [str(text).replace(NO_BREAK, " ") for text in self.page.locator(selector).all_inner_texts()]

    def soon(self, check: Callable[[], bool]) -> None:
        """What one did shows after the next redraw, which a busy machine takes its time for."""
        for _ in range(200):
            if check():
                return
            self.page.wait_for_timeout(50)
        assert check()

    def check_silence(self) -> None:
        """No error, and no request beside the page itself."""
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith(("file:", "blob:", "data:"))] == []


@pytest.fixture
def visit(browser: Any) -> Iterator[Any]:
    visits: list[Visit] = []

    def open_page(address: str, **options: Any) -> Visit:
        visits.append(Visit(browser, address, **options))
        return visits[-1]

    yield open_page
    for one in visits:
        one.context.close()


@pytest.fixture(scope="session")
def city_model() -> HONEM:
    return HONEM(4, min_support=10).fit(city_trips(4_000).corpus)


@pytest.fixture(scope="session")
def city_store(city_model: HONEM, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("city") / "city"
    city_model.save(place)
    return place


@pytest.fixture(scope="session")
def city_page(city_store: Path) -> Path:
    return explore(city_store, city_store.with_name("city.html"), projection="pca")


THROUGH_M = Corpus.from_sequences([["a", "m", "x", "p"]] * 20 + [["b", "m", "x", "q"]] * 30)
"""What follows x depends on the node before m, so the context m, x is kept only as a lower order."""


@pytest.fixture(scope="session")
def wikispeedia_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = REAL_DATA / "wikispeedia"
    if not folder.is_dir():
        pytest.skip("no real data here: point HONEM_DATA to the folder")
    place = tmp_path_factory.mktemp("wikispeedia")
    model = HONEM(32).fit(read_paths(folder / "paths.txt.gz"))
    model.save(place / "wikispeedia")
    return explore(place / "wikispeedia", place / "page.html", labels=folder / "labels.tsv", projection="pca")
