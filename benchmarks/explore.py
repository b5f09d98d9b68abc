"""How large the page of 100,000 nodes is, how soon it shows the map, and how smoothly it pans.

    python benchmarks/explore.py [--nodes 100000] [--dimensions 16]

Generated: nodes in 50 groups, each node with steps to nodes of its group and some histories that matter. Chromium draws
without a graphics card here, so with one it is quicker. docs/explore.md has the figures.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from honem import Corpus, Embedding, extract_rules
from honem.explore import Source, explore

GROUPS = 50
PAN_SECONDS = 5
FLAGS = ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PAN = """
(seconds) => new Promise((done) => {
  const map = document.querySelector("canvas.over");
  const box = map.getBoundingClientRect();
  const at = (type, x) => map.dispatchEvent(new PointerEvent(type, {
    pointerId: 1, isPrimary: true, bubbles: true, clientX: x, clientY: box.top + box.height / 2 }));
  map.setPointerCapture = () => {};
  const start = performance.now(), times = [];
  at("pointerdown", box.left + 200);
  const step = (now) => {
    times.push(now);
    at("pointermove", box.left + 200 + 150 * Math.sin((now - start) / 300));
    if (now - start < 1000 * seconds) requestAnimationFrame(step);
    else { at("pointerup", box.left + 200); done(times); }
  };
  requestAnimationFrame(step);
})
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=16)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        source = generated(args.nodes, args.dimensions)
        print(f"{args.nodes:,} nodes, {source.rules.n_rules:,} rules generated: {time.perf_counter() - started:.0f} s")
        started = time.perf_counter()
        page = explore(source, Path(folder) / "page.html", projection="pca")
        print(f"page written: {time.perf_counter() - started:.0f} s, {page.stat().st_size / 1e6:.1f} MB")
        look_at(page)


def generated(n_nodes: int, dimensions: int) -> Any:
    """Vectors around the centres of groups, and rules of steps within them."""
    random = np.random.default_rng(0)
    group = random.integers(GROUPS, size=n_nodes)
    members = [np.flatnonzero(group == number) for number in range(GROUPS)]
    sequences = [random.choice(members[group[node]], 5).tolist() for node in range(n_nodes)]
    corpus = Corpus.from_sequences([[node, *steps] for node, steps in enumerate(sequences)])
    centres = random.standard_normal((GROUPS, dimensions))
    labels = np.array(corpus.vocabulary.labels)
    vectors = centres[group[labels]] + 0.4 * random.standard_normal((len(labels), dimensions))
    rules = extract_rules(corpus, criterion="divergence")  # random walks have no trusted rules
    return Source(Embedding(corpus.vocabulary, vectors), rules, title="generated")


def look_at(page: Path) -> None:
    """Open the page and pan it."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("HONEM_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        tab.goto(page.as_uri(), timeout=120_000)
        tab.wait_for_selector("main[data-ready=true]", timeout=120_000)
        ready = tab.evaluate("performance.now()")
        # From the beginning of navigation, so that reading the file is in it.
        painted = tab.evaluate("performance.getEntriesByName('honem-painted')[0].startTime")
        print(f"first paint of the map: {painted / 1000:.2f} s; neighbours and rules there: {ready / 1000:.2f} s")
        for words, hash in (("pan", ""), ("pan, a node chosen", "node=1")):
            tab.evaluate("hash => { location.hash = hash; }", hash)
            tab.wait_for_timeout(1000)
            frames = np.diff(tab.evaluate(PAN, PAN_SECONDS))
            print(f"{words}: {1000 / frames.mean():.0f} frames a second, slowest frame {frames.max():.0f} ms")
        browser.close()


if __name__ == "__main__":
    main()
