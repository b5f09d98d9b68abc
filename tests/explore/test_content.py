"""What goes into a page comes out of it: neighbours, rules, labels, places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from honem import HONEM, Corpus, Embedding, ExtractionParams, extract_rules
from honem._internal.words import percent
from honem.embedding.projection import principal_axes
from honem.embedding.recipe import PRESETS
from honem.errors import InputError, ParameterError
from honem.evaluation.datasets import city_trips
from honem.explore import Source, content_of
from honem.explore.acceptance import acceptance_of
from honem.explore.basemap import basemap_part
from honem.explore.communities import communities
from honem.explore.content import Options, node_facts, rules_part
from honem.explore.labels import column_of, columns_of
from honem.explore.packing import in_steps, narrow, pack, unpack
from honem.explore.positions import on_the_earth, project_nodes
from honem.explore.trimming import strongest
from honem.io.node_labels import NodeLabels
from honem.io.store import save
from honem.rules import RuleTable
from tests.explore.conftest import THROUGH_M
from tests.strategies import corpora, params

OLD_STORE = Path(__file__).parents[1] / "io" / "data" / "store-0.1.0"  # written by honem 0.1.0


@given(
    st.dictionaries(st.text(), st.text()),
    st.lists(arrays.arrays(np.int64, st.integers(0, 20), elements=st.integers(0, 2**32 - 1)), max_size=3),
)
def test_what_is_packed_is_unpacked(values: dict[str, str], numbers: list[np.ndarray]) -> None:
    given_arrays = {str(place): narrow(array) for place, array in enumerate(numbers)}
    found_values, found_arrays = unpack(pack(values, given_arrays))
    assert found_values == values
    assert all(found_arrays[str(place)].tolist() == array.tolist() for place, array in enumerate(numbers))


def test_steps_are_as_fine_as_they_say() -> None:
    numbers = np.linspace(-1, 1, 1001)
    assert np.abs(in_steps(numbers, -1, 1) / 65_535 * 2 - 1 - numbers).max() < 2e-5


def rows_of(rules: RuleTable) -> set[tuple[object, ...]]:
    return {(*record["context"], record["target"], record["count"]) for record in rules.records()}


@given(corpora(), params)
def test_rules_come_out_as_they_went_in(corpus: Corpus, options: ExtractionParams) -> None:
    rules = extract_rules(corpus, engine="reference", **vars(options))
    values, columns = unpack(rules_part(rules))
    contexts = [
        tuple(reversed(row))
        for order, amount in values["by_order"].items()
        for row in columns[f"context{order}"].reshape(int(order), amount).T.tolist()
    ]
    rule_of_row = np.repeat(np.arange(len(contexts)), columns["sizes"])
    labels = rules.vocabulary.labels
    found = {
        (*(labels[node] for node in contexts[rule]), labels[target], count)
        for rule, target, count in zip(rule_of_row, columns["targets"], columns["counts"], strict=True)
    }
    assert found == rows_of(rules)
    assert columns["accepted"].tolist() == rules.accepted.tolist()
    said = [values["verdicts"][number] for number in columns["verdicts"]]
    assert said == [rule.verdict if rule.order > 1 else "" for rule in rules]


def test_rules_of_a_node_are_ranked_by_what_accepted_them() -> None:
    trusted, accepted = (extract_rules(THROUGH_M, criterion=name) for name in ("significance", "divergence"))
    assert (unpack(rules_part(trusted))[1]["strengths"] == np.rint(10 * trusted.evidence)).all()
    assert trusted.evidence.min() < 0  # negative evidence is kept as it is
    surplus = (accepted.divergences - accepted.thresholds) * accepted.supports
    assert (unpack(rules_part(accepted))[1]["strengths"] == np.rint(10 * surplus)).all()


def test_the_page_says_how_many_rules_are_trusted_and_what_that_means() -> None:
    rules = extract_rules(THROUGH_M, alpha=0.01, count="sequences")
    told = acceptance_of(rules)
    assert (told["word"], told["by_order"]) == ("trusted", {3: 2})
    assert f"Of {rules.tests.n_tested} tested contexts of order 2 or more, 2 are trusted" in told["meaning"]
    assert "false discovery rate (alpha) of 0.01: at most 1 % of" in told["meaning"]
    assert "only the first occurrence of a context in each sequence was counted" in told["meaning"]
    assert "kept only as lower orders of trusted rules" in told["meaning"]


def test_rules_of_another_criterion_are_accepted_and_compared_with_the_trusted_ones() -> None:
    noise = np.random.default_rng(0).integers(8, size=(200, 10)).tolist()
    corpus = Corpus.from_sequences([*THROUGH_M.sequences(), *noise])
    rules = extract_rules(corpus, criterion="divergence")
    told = acceptance_of(rules)
    accepted = rules.select(rules.accepted & (rules.orders > 1))
    share = (accepted.q_values <= 0.05).mean()
    assert 0 < share < 0.5
    assert (told["word"], told["by_order"]) == ("accepted", accepted.rules_by_order)
    assert f'The criterion "divergence" accepted {len(accepted):,} rules of order 2 or more.' in told["meaning"]
    assert f"{percent(share)} of them have a q-value of at most 0.05." in told["meaning"]


def test_a_store_of_version_0_1_0_has_a_page() -> None:
    source = Source.of_store(OLD_STORE)
    parts = content_of(source, Options(projection="pca"))
    assert source.rules is not None
    assert np.isnan(source.rules.evidence).all()
    facts = unpack(parts["map"])[0]["rules"]
    assert facts["acceptance"]["word"] == "accepted"
    assert "evidence is not known" in facts["acceptance"]["meaning"]
    values, columns = unpack(parts["rules"])
    assert values["details"] == [""]
    assert set(values["verdicts"]) == {""} | {rule.verdict for rule in source.rules if rule.order > 1}
    assert len(columns["strengths"]) == len(source.rules)


def test_neighbours_are_those_of_all_dimensions(city_model: HONEM) -> None:
    source = Source(city_model.embedding_, city_model.rules_, recipe=city_model.recipe_)
    parts = content_of(source, Options(projection="pca"))
    values, columns = unpack(parts["neighbors"])
    ids, scores = city_model.embedding_.nearest(n=values["each"], space="cosine")
    assert columns["ids0"].reshape(ids.shape).tolist() == ids.tolist()
    assert np.allclose(columns["scores0"].reshape(ids.shape) / 65_535 * 2 - 1, scores, atol=2e-5)
    assert values["embeddings"] == 2


def test_first_order_is_honem_without_memory(city_model: HONEM) -> None:
    source = Source(
        city_model.embedding_, city_model.rules_, {"parameters": city_model.get_params()}, recipe=city_model.recipe_
    )
    (found,) = source.first_order()
    without = HONEM(4, min_support=10, max_order=1)
    expected = without.fit(city_trips(4_000).corpus).embedding_
    assert found.target is not None
    assert expected.target is not None
    assert np.allclose(found.source @ found.target.T, expected.source @ expected.target.T)


@pytest.mark.parametrize("recipe", [None, {**PRESETS["paper"].to_dict(), "transforms": ["of old"]}])
def test_without_a_known_recipe_first_order_is_left_out(
    city_model: HONEM, tmp_path: Path, recipe: dict[str, Any] | None
) -> None:
    save(tmp_path / "city", city_model.embedding_, city_model.rules_, recipe=recipe)
    source = Source.of_store(tmp_path / "city")
    assert source.first_order() == []
    values, _ = unpack(content_of(source, Options(projection="pca"))["map"])
    assert values["rules"]["order_weights"] is None


def test_a_store_without_rules_and_a_single_node_have_a_page_too(city_model: HONEM) -> None:
    parts = content_of(Source(city_model.embedding_), Options(projection="pca"))
    assert unpack(parts["map"])[0]["rules"] is None
    lonely = extract_rules(Corpus.from_sequences([["only", "only"]]))
    source = Source(Embedding(lonely.vocabulary, np.ones((1, 1))), lonely)
    assert unpack(content_of(source, Options())["map"])[0]["names"] == ["only"]


@pytest.mark.parametrize("most", [0, 10, 30, 60, 10_000])
def test_trimming_keeps_the_strongest_with_all_that_they_build_on(city_model: HONEM, most: int) -> None:
    rules = city_model.rules_
    kept = strongest(rules, most)
    assert kept.n_rows <= most
    assert rows_of(kept) <= rows_of(rules)
    contexts = {kept.context(rule) for rule in range(kept.n_rules)}
    if kept.n_rows >= rules.by_order(1).n_rows:
        assert all(context[1:] in contexts for context in contexts if len(context) > 1)
        left_out = rules.select(
            ~np.isin([str(rules.context(r)) for r in range(rules.n_rules)], list(map(str, contexts)))
        )
        higher = kept.supports[kept.orders > 1]
        assert not len(higher) or not left_out.n_rules or left_out.supports.max() <= higher.min()


def test_node_facts_are_counted(city_model: HONEM) -> None:
    rules = city_model.rules_
    highest, links, visits = node_facts(rules)
    downtown = rules.vocabulary.id("downtown")
    assert highest[downtown] == rules.for_node("downtown").max_order == 2
    lower = extract_rules(THROUGH_M)
    assert node_facts(lower)[0][lower.vocabulary.id("m")] == 1  # the rules a, m and b, m are lower orders only
    into = sum(record["target"] == "downtown" for record in rules.by_order(1).records())
    out = sum(record["context"] == ["downtown"] for record in rules.by_order(1).records())
    assert links[downtown] == into + out
    assert visits[downtown] == sum(r["count"] for r in rules.by_order(1).records() if r["context"] == ["downtown"])


def test_communities_are_the_groups_that_hold_together() -> None:
    cliques = [
        [[other for other in range(start, start + 6) if other != node] for node in range(start, start + 6)]
        for start in (0, 6, 12)
    ]
    neighbors = np.array([row for clique in cliques for row in clique])
    neighbors[0, 0] = 12  # one bridge changes nothing
    found = communities(neighbors).reshape(3, 6)
    assert (found == found[:, :1]).all()
    assert len(np.unique(found)) == 3
    assert (communities(neighbors) == found.ravel()).all()


def test_labels_become_numbers_or_categories(tmp_path: Path, city_model: HONEM) -> None:
    vocabulary = city_model.embedding_.vocabulary
    lines = [
        "place,kind,size,lon,lat",
        *(f"{node},{'hub' if 'town' in str(node) else ''},{i}.5,{i},{i}" for i, node in enumerate(vocabulary)),
        "elsewhere,x,1,0,0",
    ]
    (tmp_path / "labels.csv").write_text("\n".join(lines), encoding="utf-8")
    labels = NodeLabels.of(tmp_path / "labels.csv", vocabulary)
    kind, size, *_ = columns_of(labels)
    assert (kind.categories, size.categories) == (("hub",), None)
    assert size.values.tolist() == [i + 0.5 for i in range(len(vocabulary))]
    assert labels.coordinates is not None
    assert (labels.coordinates[:, 0] == labels.coordinates[:, 1]).all()
    assert column_of("few numbers", ["1", "2", "1"]).categories == ("1", "2")


def test_labels_of_other_nodes_are_refused(tmp_path: Path, city_model: HONEM) -> None:
    (tmp_path / "labels.tsv").write_text("id\tkind\nmoon\tx\n", encoding="utf-8")
    source = Source(city_model.embedding_, city_model.rules_)
    with pytest.raises(ParameterError, match=r"labels\.tsv describes none of the 17 nodes: .* such as 'moon'"):
        content_of(source, Options(labels=tmp_path / "labels.tsv"))
    with pytest.raises(ParameterError, match="columns lon and lat of labels; the labels are kind"):
        content_of(source, Options(labels={"kind": {"downtown": "x"}}, coordinates=True, projection="pca"))
    with pytest.raises(InputError, match=r"nothing\.csv cannot be read"):
        content_of(source, Options(labels=tmp_path / "nothing.csv"))


def test_nodes_without_coordinates_are_not_on_the_map() -> None:
    places = on_the_earth(np.array([0.0, 90.0, np.nan]), np.array([0.0, 45.0, 10.0]))
    assert np.isfinite(places.points).all(axis=1).tolist() == [True, True, False]
    assert places.points[1] == pytest.approx([np.pi / 2, np.arcsinh(np.tan(np.pi / 4))])
    assert "1 nodes without coordinates" in places.made_by


def test_coordinates_and_names_come_from_the_labels(city_model: HONEM) -> None:
    nodes = [str(node) for node in city_model.embedding_.nodes]
    numbers = {node: str(place) for place, node in enumerate(nodes[1:], start=1)}
    table = {"called": {nodes[0]: "first"}, "lon": numbers, "lat": dict.fromkeys(numbers, "0")}
    source = Source(city_model.embedding_, city_model.rules_, recipe=city_model.recipe_)
    parts = content_of(source, Options(table, names="called", coordinates=True, projection="pca"))
    values, columns = unpack(parts["map"])
    assert values["names"] == ["first", *nodes[1:]]
    assert columns["placed"].tolist() == [0, *[1] * (len(nodes) - 1)]
    assert (np.diff(columns["earth_x"][1:].astype(int)) > 0).all()
    earth, last = values["earth"], len(nodes) - 1
    degrees = np.rad2deg(earth["middle"][0] + (columns["earth_x"] / 65_535 * 2 - 1) * earth["half"])
    assert degrees[1:] == pytest.approx(np.arange(1, last + 1), abs=last / 65_535)


def test_nodes_on_both_sides_of_180_degrees_stay_neighbours() -> None:
    places = on_the_earth(np.array([172.6, -149.6, 178.4]), np.array([-43.5, -17.5, -18.1]))
    assert np.ptp(np.rad2deg(places.points[:, 0])) == pytest.approx(360 - 149.6 - 172.6)


def test_the_basemap_has_land_where_land_is() -> None:
    values, arrays = unpack(basemap_part())
    outlines = {}
    for kind in ("land", "borders", "states"):
        ends = np.cumsum(arrays[f"{kind}_sizes"])[:-1]
        x, y = (np.split(arrays[f"{kind}_{axis}"].astype(int), ends) for axis in "xy")
        outlines[kind] = [values["step"] * np.cumsum((dx, dy), axis=1).T for dx, dy in zip(x, y, strict=True)]
    path = pytest.importorskip("matplotlib.path", reason="no matplotlib here")

    def is_land(lon: float, lat: float) -> bool:
        return bool(sum(path.Path(ring).contains_point((lon, lat)) for ring in outlines["land"]) % 2)

    assert all(is_land(lon, lat) for lon, lat in ((10, 50), (-100, 40), (135, -25), (-60, -10), (100, 60)))
    assert not any(is_land(lon, lat) for lon, lat in ((-30, 40), (-150, 0), (80, -20), (51, 42)))
    longitudes, latitudes = np.concatenate(outlines["states"]).T
    assert (longitudes.min() < -120, longitudes.max() > -72, latitudes.min() > 24) == (True, True, True)


def test_a_map_is_made_once(city_model: HONEM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import honem.explore.positions as positions

    calls = []

    def project(vectors: np.ndarray, seed: int, n_jobs: int) -> np.ndarray:
        calls.append(seed)
        return principal_axes(vectors)

    monkeypatch.setattr(positions, "project", project)
    first, again = (project_nodes(city_model.embedding_, memory=tmp_path / "maps.npz") for _ in range(2))
    assert calls == [0]
    assert (first.points == again.points).all()
    project_nodes(city_model.embedding_, seed=1, memory=tmp_path / "maps.npz")
    assert calls == [0, 1]
    (tmp_path / "maps.npz").write_bytes(b"torn")
    project_nodes(city_model.embedding_, memory=tmp_path / "maps.npz")
    assert calls == [0, 1, 0]


def test_the_profile_is_a_group_of_columns(city_store: Path, city_model: HONEM) -> None:
    values, columns = unpack(content_of(Source.of_store(city_store), Options(projection="pca"))["map"])
    profile, found = city_model.profile(), {}
    for number, column in enumerate(values["columns"]):
        if column["group"] == "profile":
            found[column["name"].replace(" ", "_")] = columns[f"column{number}"]
    assert [*found, "highest_order"] == sorted(profile.columns, key=lambda name: name == "highest_order")
    for name, numbers in found.items():
        np.testing.assert_allclose(numbers, profile[name], rtol=1e-6)
    assert [column["name"] for column in values["columns"] if column["group"] == "own"] == [
        "community",
        "highest order",
        "links",
    ]


def test_a_page_without_a_profile_shows_the_steps_onward(city_model: HONEM) -> None:
    source = Source(city_model.embedding_, city_model.rules_)
    values, _ = unpack(content_of(source, Options(projection="pca"))["map"])
    assert [column["name"] for column in values["columns"]] == ["community", "highest order", "links", "steps onward"]
