"""The page predicts the next node as `honem next` does: the same contexts, weights and probabilities."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honem import HONEM, Corpus, Embedding, extract_rules
from honem.cli.main import main
from honem.explore import Source, content_of, explore, page_of
from honem.explore.content import Options
from honem.explore.next_step import next_step_arrays, next_step_part
from honem.explore.packing import unpack
from honem.prediction import NextStep
from honem.prediction.base import StepVectors
from honem.prediction.growing import grow_trie
from tests.strategies import corpora

NOWHERE = "nowhere"
CLOSE = 1e-6


def counts_of(arrays: dict[str, np.ndarray]) -> list[dict[int, int]]:
    """Sum what was observed after each context, from the contexts that extend it."""
    ends = np.cumsum(arrays["n_rows"])
    rows = zip(arrays["targets"].tolist(), arrays["counts"].tolist(), strict=True)
    leaves = [dict(list_) for list_ in np.split(np.array(list(rows), object).reshape(-1, 2), ends[:-1])]
    n_children = arrays["n_children"].tolist()
    found: list[dict[int, int]] = [{} for _ in n_children]
    child = len(n_children)
    for context in range(len(n_children) - 1, -1, -1):
        if not n_children[context]:
            found[context] = leaves.pop()
        for _ in range(n_children[context]):
            child -= 1
            for target, count in found[child].items():
                found[context][target] = found[context].get(target, 0) + count
    return found


@given(corpora(), st.integers(1, 6))
def test_counts_of_all_contexts_follow_from_those_without_extensions(corpus: Corpus, depth: int) -> None:
    trie = grow_trie(corpus, 8).trie.up_to(depth)
    model = replace(NextStep.fit(corpus, max_order=1), trie=trie)
    found = counts_of(next_step_arrays(model))
    for context, (low, high) in enumerate(zip(trie.row_offsets[:-1], trie.row_offsets[1:], strict=True)):
        assert found[context] == dict(zip(trie.targets[low:high].tolist(), trie.counts[low:high].tolist(), strict=True))


def test_counts_of_more_than_32_bits_are_kept() -> None:
    corpus = Corpus.from_sequences([["a", "b", "c"], ["b", "a"]], [2**40 + 1, 3])
    assert next_step_arrays(NextStep.fit(corpus))["counts"].max() == 2**40 + 1


def test_a_model_that_is_too_large_is_left_out(city_model: HONEM) -> None:
    model = city_model.next_step_
    assert isinstance(model, NextStep)
    n_bytes = sum(array.nbytes for array in next_step_arrays(model).values())
    values, arrays = unpack(next_step_part(model, n_bytes - 1))
    assert (values["left_out"], arrays) == (n_bytes, {})
    assert unpack(next_step_part(model, n_bytes))[0]["n_contexts"] == model.trie.n_contexts
    assert unpack(next_step_part(None, 0))[0] == {"is_stored": False}


def walks_with_memory(seed: int, n_nodes: int = 12) -> Corpus:
    """Walks of which each step depends on up to four nodes before it and on the start, with weights."""
    random = np.random.default_rng(seed)
    walks = []
    for _ in range(250):
        walk = [int(random.integers(n_nodes))]
        for _ in range(int(random.geometric(0.12))):
            older = walk[-int(random.integers(1, 5)) :]
            noise = int(random.integers(n_nodes)) if random.random() < 0.3 else len(walk) % 2
            walk.append((sum(older) * 7 + noise) % n_nodes)
        walks.append([f"node {node}" for node in walk])
    return Corpus.from_sequences(walks, random.integers(1, 5, len(walks)))


def model_of(seed: int) -> NextStep:
    """A model whose base uses vectors where the seed is odd."""
    corpus = walks_with_memory(seed)
    model = NextStep.fit(corpus, max_order=(8, 3, 5, None)[seed % 4])
    if seed % 2 == 0:
        return model
    random = np.random.default_rng(seed)
    vectors = StepVectors(*random.normal(size=(2, corpus.n_nodes, 7)))
    smoothing = replace(model.smoothing, base_share=0.8, popularity=0.6, affinity=0.9)
    return replace(model, smoothing=smoothing, vectors=vectors)


def histories_of(corpus: Corpus, seed: int) -> list[list[str]]:
    """Parts of walks, walks from their start, random nodes, with nodes that are not known, and one longer than any."""
    random = np.random.default_rng(seed)
    walks = [[str(node) for node in walk] for walk in corpus.sequences()]
    found: list[list[str]] = [[], [NOWHERE], [node for walk in walks[:30] for node in walk]]
    for _ in range(80):
        walk = walks[random.integers(len(walks))]
        low, high = sorted(random.integers(0, len(walk) + 1, 2))
        found += [walk[low:high], walk[:high]]
        found.append([f"node {node}" for node in random.integers(12, size=random.integers(1, 7))])
        found.append([*walk[:low], NOWHERE, *walk[low:high]])
    return found


PREDICT = "([histories, k, fromStart]) => histories.map((history) => honem.predict(history, k, fromStart))"


@pytest.mark.parametrize("seed", range(4))
def test_the_page_predicts_what_python_predicts(visit: Any, tmp_path: Path, seed: int) -> None:
    model = model_of(seed)
    corpus, n_nodes = walks_with_memory(seed), len(model.vocabulary)
    rules = extract_rules(corpus)
    source = Source(Embedding(model.vocabulary, np.eye(n_nodes)), rules, next_step=model)
    page = tmp_path / "page.html"
    page.write_text(page_of("walks", content_of(source, Options(projection="pca"))), encoding="utf-8")
    seen, histories = visit(page.as_uri()), histories_of(corpus, seed)
    for from_start in (False, True):
        shown = seen.page.evaluate(PREDICT, [histories, n_nodes, from_start])
        told = model.predict_many(histories, n_nodes, from_start=from_start)
        for there, here in zip(shown, told, strict=True):
            probabilities = {one["node"]: one["probability"] for one in there["nodes"]}
            observed = {one["node"]: one["observed"] for one in there["nodes"]}
            assert probabilities == pytest.approx({one.node: one.probability for one in here.nodes}, abs=CLOSE)
            assert observed == {one.node: one.observed for one in here.nodes}
            assert there["observed"] == here.observed
            for one, other in zip(there["contributions"], here.contributions, strict=True):
                assert one["context"] == (None if other.context is None else [*other.context])
                assert (one["observed"], one["fromStart"]) == (other.observed, other.from_start)
                assert one["weight"] == pytest.approx(other.weight, abs=CLOSE)
    seen.check_silence()


def test_the_panel_shows_what_honem_next_prints(
    visit: Any, city_page: Path, city_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history = ["dorm north", "downtown"]
    main(["next", str(city_store), *history, "-k", "10"])
    lines = capsys.readouterr().out.splitlines()
    printed = [line.split("\t") for line in lines if "\t" in line]
    expected = [(node, f"{100 * float(share):.1f} %") for share, node, _ in printed]
    seen = visit(city_page.as_uri() + "#panel=next&after=dorm+north&after=downtown")
    seen.soon(lambda: len(seen.texts(".predicted tbody tr")) == 10)
    rows = [text.split("\t") for text in seen.texts(".predicted tbody tr")]
    assert [(row[0].strip(), row[2].strip()) for row in rows] == expected
    counts = [tuple(map(int, observed.split("/"))) for _, _, observed in printed]
    tips = [row.get_attribute("title") for row in seen.page.locator(".predicted tbody tr").all()]
    assert tips[0] == f"observed {counts[0][0]} times in {counts[0][1]:,}"
    weights = [line.removeprefix("# ").split("%")[0] for line in lines if " from " in line]
    assert [text.splitlines()[-1] for text in seen.texts(".contributions li")] == [f"{weight} %" for weight in weights]
    seen.page.get_by_label("begins at the start of a path").check()
    seen.soon(lambda: "start=1" in seen.page.url)
    seen.check_silence()


def test_a_node_that_is_not_known_stays_in_the_history(visit: Any, city_page: Path, city_model: HONEM) -> None:
    seen = visit(city_page.as_uri() + "#panel=next&after=dorm+north&after=moon&after=downtown")
    seen.soon(lambda: "Not known: moon" in seen.text(".predicted"))
    found = city_model.predict_next(["dorm north", "moon", "downtown"], k=1)
    seen.soon(lambda: f"{100 * found.nodes[0].probability:.1f} %" in seen.texts(".predicted tbody tr")[0])
    assert "after=moon" in seen.page.url
    seen.check_silence()


def test_clicks_on_the_map_build_a_history(visit: Any, city_page: Path) -> None:
    seen = visit(city_page.as_uri() + "#panel=next&after=hotel", reduced_motion="reduce")
    box = seen.page.locator("canvas.over").bounding_box()
    x, y = seen.page.evaluate("honem.map.onScreen(honem.map.model.find('downtown'))")
    seen.page.mouse.move(box["x"] + x, box["y"] + y)
    name = seen.text(".tip").strip("\u2068\u2069")
    seen.page.mouse.down()
    seen.page.mouse.up()
    seen.soon(lambda: [text.splitlines()[0] for text in seen.texts(".history li:not(.field)")] == ["hotel", name])
    seen.check_silence()


def test_a_page_without_the_model_shows_what_was_observed(visit: Any, tmp_path: Path, city_model: HONEM) -> None:
    page = explore((city_model.embedding_, city_model.rules_, {}), tmp_path / "page.html", projection="pca")
    seen = visit(page.as_uri() + "#panel=next&after=dorm+north&after=downtown")
    seen.soon(lambda: "holds no model of the next node" in seen.text("aside"))
    assert [text.split()[1] for text in seen.texts(".expected h3")] == ["2", "1"]
    seen.check_silence()
