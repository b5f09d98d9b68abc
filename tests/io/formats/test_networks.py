"""Networks in every format are the network, read back by honem's own eyes and by other tools."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import networkx as nx
import pandas as pd
import pytest
from hypothesis import given

from honem import (
    Corpus,
    ExtractionParams,
    MissingDependencyError,
    Network,
    OutputError,
    ParameterError,
    extract_rules,
    first_order_network,
    higher_order_network,
)
from honem.io.formats import edges as edge_module
from honem.io.formats.csv import edge_lines
from honem.io.formats.names import plain_name, split_context_name, unescape
from honem.io.formats.objects import to_igraph, to_networkx
from honem.io.formats.registry import output_formats
from honem.io.formats.writing import plan_output, write_network
from tests.io.formats.nasty import nasty_corpus, nasty_rules, pandas_reads_nul
from tests.strategies import corpora, params

Edge = tuple[tuple[object, ...], tuple[object, ...], int, float]


@pytest.fixture(scope="module", params=["hon", "fon"])
def nasty(request: pytest.FixtureRequest) -> Network:
    return higher_order_network(nasty_rules()) if request.param == "hon" else first_order_network(nasty_corpus())


def edges_of(network: Network) -> list[Edge]:
    rows = zip(network.sources, network.targets, network.counts, network.probabilities, strict=True)
    return [(network.context(s), network.context(t), int(count), float(p)) for s, t, count, p in rows]


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def as_edge(source: str, target: str, count: object, probability: object) -> Edge:
    return (
        tuple(split_context_name(source)),
        tuple(split_context_name(target)),
        int(str(count)),
        float(str(probability)),
    )


def test_nasty_names_come_back_from_csv(nasty: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_module, "EDGES_AT_ONCE", 7)
    write_network(nasty, tmp_path / "edges.csv")
    assert [as_edge(**row) for row in read_csv(tmp_path / "edges.csv")] == edges_of(nasty)


def test_no_spreadsheet_takes_a_name_for_a_formula_when_asked(nasty: Network, tmp_path: Path) -> None:
    write_network(nasty, tmp_path / "safe.csv", spreadsheet_safe=True)
    rows = read_csv(tmp_path / "safe.csv")
    assert not any(row[end].startswith(("=", "+", "-", "@", "\t")) for row in rows for end in ("source", "target"))
    plain = [{**row, "source": plain_name(row["source"]), "target": plain_name(row["target"])} for row in rows]
    assert [as_edge(**row) for row in plain] == edges_of(nasty)


@pandas_reads_nul
def test_pandas_reads_the_edges(nasty: Network, tmp_path: Path) -> None:
    write_network(nasty, tmp_path / "edges.csv")
    frame = pd.read_csv(tmp_path / "edges.csv", keep_default_na=False, dtype={"probability": str})
    assert [as_edge(*row) for row in frame.itertuples(index=False)] == edges_of(nasty)


@given(corpora(), params)
def test_an_edge_a_line(corpus: Corpus, options: ExtractionParams) -> None:
    network = higher_order_network(extract_rules(corpus, **vars(options)))
    assert list(edge_lines(network)) == [
        f"{network.name(s)},{network.name(t)},{count},{p}\n"
        for s, t, count, p in zip(
            network.sources.tolist(),
            network.targets.tolist(),
            network.counts.tolist(),
            network.probabilities.tolist(),
            strict=True,
        )
    ]


def test_an_unknown_ending_lists_the_known_ones(nasty: Network, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"'\.docx'.*use one of \.csv"):
        write_network(nasty, tmp_path / "edges.docx")
    with pytest.raises(ParameterError):
        plan_output(tmp_path / "edges.docx", "network")
    plan_output(tmp_path / "edges.csv", "network")


def nodes_of(network: Network) -> list[tuple[object, ...]]:
    return [network.context(number) for number in range(network.n_nodes)]


def as_context(escaped: str) -> tuple[object, ...]:
    return tuple(split_context_name(unescape(escaped)))


def test_networkx_reads_graphml(nasty: Network, tmp_path: Path) -> None:
    write_network(nasty, tmp_path / "network.graphml")
    graph = nx.read_graphml(tmp_path / "network.graphml")
    contexts = {node: as_context(facts["label"]) for node, facts in graph.nodes(data=True)}
    assert list(contexts.values()) == nodes_of(nasty)
    assert [unescape(facts["node"]) for _, facts in graph.nodes(data=True)] == [c[-1] for c in contexts.values()]
    assert [facts["order"] for _, facts in graph.nodes(data=True)] == [len(c) for c in contexts.values()]
    found = [(contexts[s], contexts[t], facts["count"], facts["probability"]) for s, t, facts in graph.edges(data=True)]
    assert found == sorted(edges_of(nasty), key=lambda edge: nodes_of(nasty).index(edge[0]))
    assert all(facts["weight"] == facts["count"] for _, _, facts in graph.edges(data=True))


def test_networkx_reads_gexf(nasty: Network, tmp_path: Path) -> None:
    write_network(nasty, tmp_path / "network.gexf")
    graph = nx.read_gexf(tmp_path / "network.gexf")
    contexts = {node: as_context(facts["label"]) for node, facts in graph.nodes(data=True)}
    assert list(contexts.values()) == nodes_of(nasty)
    assert [unescape(facts["node"]) for _, facts in graph.nodes(data=True)] == [c[-1] for c in contexts.values()]
    found = {(contexts[s], contexts[t], facts["count"], facts["probability"]) for s, t, facts in graph.edges(data=True)}
    assert found == set(edges_of(nasty))
    assert all(facts["weight"] == facts["count"] for _, _, facts in graph.edges(data=True))


def test_igraph_reads_graphml(nasty: Network, tmp_path: Path) -> None:
    igraph = pytest.importorskip("igraph", reason="reads the format: pip install igraph")
    write_network(nasty, tmp_path / "network.graphml")
    graph = igraph.Graph.Read_GraphML(str(tmp_path / "network.graphml"))
    assert [as_context(label) for label in graph.vs["label"]] == nodes_of(nasty)
    contexts = nodes_of(nasty)
    ends = [(contexts[edge.source], contexts[edge.target]) for edge in graph.es]
    assert ends == [edge[:2] for edge in edges_of(nasty)]
    assert graph.es["count"] == nasty.counts.tolist()


def test_infomap_reads_a_state_network(nasty: Network, tmp_path: Path) -> None:
    infomap = pytest.importorskip("infomap", reason="reads the format: pip install infomap")
    write_network(nasty, tmp_path / "network.net")
    model = infomap.Infomap(silent=True, directed=True)
    model.read_file(str(tmp_path / "network.net"))
    result = model.run()
    labels = nasty.vocabulary.labels
    assert {number: unescape(name) for number, name in result.names.items()} == dict(enumerate(labels, start=1))
    places = {node.state_id: node.node_id for node in result.nodes(states=True)}
    assert {number: labels[place - 1] for number, place in places.items()} == {
        number: context[-1] for number, context in enumerate(nodes_of(nasty), start=1) if number in places
    }
    # Infomap leaves out what has no link.
    assert len(places) == len({*nasty.sources.tolist(), *nasty.targets.tolist()})


def test_nasty_names_come_back_from_a_state_network(nasty: Network, tmp_path: Path) -> None:
    write_network(nasty, tmp_path / "network.net")
    *lines, last = (tmp_path / "network.net").read_text(encoding="utf-8").split("\n")
    assert last == ""
    states = lines[lines.index(f"*States {nasty.n_nodes}") + 1 : lines.index("*Links")]
    named = [line.split(" ", 2) for line in states]
    assert [as_context(name[1:-1]) for _, _, name in named] == nodes_of(nasty)
    links = [tuple(map(int, line.split())) for line in lines[lines.index("*Links") + 1 :]]
    assert [(s - 1, t - 1, count) for s, t, count in links] == list(
        zip(nasty.sources.tolist(), nasty.targets.tolist(), nasty.counts.tolist(), strict=True)
    )


def test_a_networkx_graph_has_labels_or_contexts_as_nodes(nasty: Network) -> None:
    graph = to_networkx(nasty)
    is_first_order = nasty.n_nodes == len(nasty.vocabulary)
    keys = [context[0] if is_first_order else context for context in nodes_of(nasty)]
    assert list(graph) == keys
    by_key = dict(zip(keys, nodes_of(nasty), strict=True))
    found = {(by_key[s], by_key[t], f["count"], f["probability"]) for s, t, f in graph.edges(data=True)}
    assert found == set(edges_of(nasty))
    assert all(tuple(split_context_name(facts["name"])) == by_key[key] for key, facts in graph.nodes(data=True))


def test_an_igraph_graph_has_names(nasty: Network) -> None:
    pytest.importorskip("igraph", reason="makes the object: pip install igraph")
    graph = to_igraph(nasty)
    assert [tuple(split_context_name(name)) for name in graph.vs["name"]] == nodes_of(nasty)
    assert graph.get_edgelist() == list(zip(nasty.sources.tolist(), nasty.targets.tolist(), strict=True))
    assert graph.es["probability"] == nasty.probabilities.tolist()


def test_numbers_can_be_nodes(tmp_path: Path) -> None:
    network = first_order_network(Corpus.from_sequences([[1, 2, 3], [2, 1]]))
    for format in output_formats("network"):
        write_network(network, tmp_path / f"network{format.extension}")
    assert list(to_networkx(network)) == [1, 2, 3]
    assert sorted(facts["label"] for _, facts in nx.read_gexf(tmp_path / "network.gexf").nodes(data=True)) == [
        "1",
        "2",
        "3",
    ]
    one_and_text = first_order_network(Corpus.from_sequences([[1, "1"]]))
    for format in output_formats("network"):
        with pytest.raises(OutputError, match="would both be written as '1'"):
            write_network(one_and_text, tmp_path / f"other{format.extension}")
    assert len(list(tmp_path.iterdir())) == len(output_formats("network"))


def test_a_missing_package_is_asked_for_by_name(nasty: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    for package, make in (("networkx", to_networkx), ("igraph", to_igraph)):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(MissingDependencyError, match=f"pip install {package}"):
            make(nasty)
