"""Every registered output format can be read back, and a new one needs nothing but its registration."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow.parquet as pq
import pytest

import honem
from honem import Embedding, OutputError, ParameterError
from honem.cli import main
from honem.io.formats.names import unescape
from honem.io.formats.registry import OutputFormat, find_format, output_formats, register, unregister
from honem.io.formats.text import write_lines
from honem.io.formats.writing import plan_output
from honem.io.vectors import read_vectors
from honem.network import higher_order_network
from tests.io.formats.nasty import nasty_embedding, nasty_profile, nasty_rules

RULES = nasty_rules()
PROFILE = nasty_profile()
CONTENT: dict[str, Any] = {
    "vectors": nasty_embedding(),
    "rules": RULES,
    "network": higher_order_network(RULES),
    "profile": PROFILE,
}
WRITE: dict[str, Callable[..., None]] = {
    "vectors": honem.write_vectors,
    "rules": honem.write_rules,
    "network": honem.write_network,
    "profile": honem.write_profile,
}


def lines_of(path: Path) -> list[str]:
    """Lines end at line feeds only."""
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def vectors_of(path: Path) -> tuple[list[Any], Any]:
    embedding = read_vectors(path)
    return list(embedding.nodes), embedding.source


def vectors_in_csv(path: Path) -> tuple[list[Any], Any]:
    with path.open(newline="", encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    return [row[0] for row in rows], np.array([row[1:4] for row in rows], float)


def vectors_in_npz(path: Path) -> tuple[list[Any], Any]:
    with np.load(path, allow_pickle=False) as arrays:
        return json.loads(bytes(arrays["nodes_json"])), arrays["source"]


def vectors_in_npy(path: Path) -> tuple[list[Any], Any]:
    return json.loads(path.with_suffix(".nodes.json").read_bytes()), np.load(path, allow_pickle=False)


def vectors_in_projector(path: Path) -> tuple[list[Any], Any]:
    names = lines_of(path.with_suffix(".metadata.tsv"))
    return [unescape(name) for name in names], np.loadtxt(path, delimiter="\t")


def vectors_in_atlas(path: Path) -> tuple[list[Any], Any]:
    table = pq.read_table(path)
    assert table.column_names == ["node", "x", "y", "neighbors", "vector"]
    assert np.isfinite([table["x"], table["y"]]).all()
    return table["node"].to_pylist(), np.array(table["vector"].to_pylist())


def rules_in_csv(path: Path) -> list[tuple[list[str], int]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [([*json.loads(row["context"]), row["target"]], int(row["count"])) for row in csv.DictReader(file)]


def rules_in_records(records: list[dict[str, Any]]) -> list[tuple[list[str], int]]:
    return [([*record["context"], record["target"]], record["count"]) for record in records]


def rules_in_ngrams(path: Path) -> list[tuple[list[str], int]]:
    rows = [line.split(",") for line in lines_of(path)]
    return [([unescape(node) for node in nodes], int(count)) for *nodes, count in rows]


def profile_in_csv(path: Path) -> tuple[list[Any], Any]:
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["node", *PROFILE.columns]
    return [row[0] for row in rows], np.array([row[1:] for row in rows], float)


def profile_in_parquet(path: Path) -> tuple[list[Any], Any]:
    table = pq.read_table(path)
    return table["node"].to_pylist(), np.column_stack([table[name].to_numpy() for name in PROFILE.columns])


def edges_in_csv(path: Path) -> set[tuple[str, str, int]]:
    with path.open(newline="", encoding="utf-8") as file:
        return {(row["source"], row["target"], int(row["count"])) for row in csv.DictReader(file)}


def edges_in_graph(graph: Any) -> set[tuple[str, str, int]]:
    labels = {node: unescape(facts["label"]) for node, facts in graph.nodes(data=True)}
    return {(labels[a], labels[b], facts["count"]) for a, b, facts in graph.edges(data=True)}


def edges_in_infomap(path: Path) -> set[tuple[str, str, int]]:
    lines = lines_of(path)
    links = lines.index("*Links")
    states = next(number for number, line in enumerate(lines) if line.startswith("*States "))
    names = {line.split(" ")[0]: unescape(line.split(" ", 2)[2][1:-1]) for line in lines[states + 1 : links]}
    return {(names[a], names[b], int(count)) for a, b, count in (line.split(" ") for line in lines[links + 1 :])}


READERS: dict[tuple[str, str], Callable[[Path], Any]] = {
    ("vectors", "csv"): vectors_in_csv,
    ("vectors", "embedding-atlas"): vectors_in_atlas,
    ("vectors", "npy"): vectors_in_npy,
    ("vectors", "npz"): vectors_in_npz,
    ("vectors", "parquet"): vectors_of,
    ("vectors", "projector"): vectors_in_projector,
    ("vectors", "word2vec"): vectors_of,
    ("network", "csv"): edges_in_csv,
    ("network", "gexf"): lambda path: edges_in_graph(nx.read_gexf(path)),
    ("network", "graphml"): lambda path: edges_in_graph(nx.read_graphml(path)),
    ("network", "infomap"): edges_in_infomap,
    ("rules", "csv"): rules_in_csv,
    ("rules", "jsonl"): lambda path: rules_in_records([json.loads(line) for line in lines_of(path)]),
    ("rules", "ngram"): rules_in_ngrams,
    ("rules", "parquet"): lambda path: rules_in_records(pq.read_table(path).to_pylist()),
    ("profile", "csv"): profile_in_csv,
    ("profile", "parquet"): profile_in_parquet,
}


def network_edges(network: Any) -> set[tuple[str, str, int]]:
    from honem.io.formats.edges import edges, node_namer

    name = node_namer(network)
    return {(name(source), name(target), count) for source, target, count, _ in edges(network)}


@pytest.mark.parametrize("format", output_formats(), ids=lambda format: f"{format.kind}-{format.name}")
def test_every_format_can_be_read_back(format: OutputFormat, tmp_path: Path) -> None:
    path = tmp_path / f"x{format.extension}"
    WRITE[format.kind](CONTENT[format.kind], path)
    found = READERS[format.kind, format.name](path)
    if format.kind == "vectors":
        assert found[0] == list(CONTENT["vectors"].nodes)
        np.testing.assert_array_equal(found[1], CONTENT["vectors"].source)
    elif format.kind == "profile":
        assert found[0] == list(PROFILE.nodes)
        np.testing.assert_array_equal(found[1], PROFILE.values)
    elif format.kind == "rules":
        assert found == rules_in_records(list(RULES.records()))
    else:
        assert found == network_edges(CONTENT["network"])


@pytest.mark.parametrize("format", output_formats(), ids=lambda format: f"{format.kind}-{format.name}")
def test_a_format_goes_to_stdout_if_it_says_so(
    format: OutputFormat, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    if not format.to_stdout:
        with pytest.raises(ParameterError, match=f"{format.name} cannot be written to stdout"):
            WRITE[format.kind](CONTENT[format.kind], "-", format=format.name)
        return
    WRITE[format.kind](CONTENT[format.kind], "-", format=format.name)
    WRITE[format.kind](CONTENT[format.kind], tmp_path / "x", format=format.name)
    assert capfdbinary.readouterr().out == (tmp_path / "x").read_bytes()


@pytest.mark.parametrize("format", output_formats(), ids=lambda format: f"{format.kind}-{format.name}")
def test_a_format_refuses_options_that_it_does_not_have(format: OutputFormat, tmp_path: Path) -> None:
    for name in {"vectors", "order", "spreadsheet_safe", "colour"} - set(format.options):
        with pytest.raises(ParameterError, match=f"{name} does not apply to {format.kind} as {format.name}"):
            WRITE[format.kind](CONTENT[format.kind], tmp_path / f"x{format.extension}", **{name: 1})
    assert not any(tmp_path.iterdir())


def write_names(embedding: Embedding, path: Path, *, vectors: str = "source") -> None:
    """The toy format: names and which vectors were requested."""
    write_lines(path, (f"{node} {vectors}\n" for node in embedding.nodes))


@pytest.fixture
def names_format() -> Iterator[OutputFormat]:
    format = register(OutputFormat("names", "vectors", ".names", "a toy", write_names, options=("vectors",)))
    yield format
    unregister(format)


def test_a_registered_format_is_used_everywhere(
    names_format: OutputFormat, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = honem.HONEM(2).fit([["a", "b", "c"], ["c", "b", "a"]])
    honem.write_vectors(model.embedding_, tmp_path / "x.names")
    assert (tmp_path / "x.names").read_text() == "a source\nb source\nc source\n"
    honem.save(tmp_path / "store", model.embedding_)
    assert main(["export", str(tmp_path / "store"), "-o", str(tmp_path / "y.names"), "--vectors", "both"]) == 0
    assert (tmp_path / "y.names").read_text() == "a both\nb both\nc both\n"
    assert main(["export", str(tmp_path / "store"), "-o", "-", "--format", "names"]) == 0
    assert capsys.readouterr().out == "a source\nb source\nc source\n"
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    assert "names" in capsys.readouterr().out


def test_two_formats_cannot_share_a_name_or_extension(names_format: OutputFormat) -> None:
    for name, extension in (("names", ".other"), ("other", ".names")):
        with pytest.raises(ParameterError, match="already be written as names"):
            register(OutputFormat(name, "vectors", extension, "another toy", write_names))
    with pytest.raises(ParameterError, match="start with a dot"):
        OutputFormat("other", "vectors", "names", "another toy", write_names)
    with pytest.raises(ParameterError, match="kind must be one of"):
        OutputFormat("other", "pictures", ".png", "another toy", write_names)  # type: ignore[arg-type]


def test_an_extension_of_several_kinds_means_vectors() -> None:
    assert [find_format(f"x{extension}").kind for extension in (".csv", ".parquet", ".jsonl", ".net")] == [
        "vectors",
        "vectors",
        "rules",
        "network",
    ]
    assert find_format("x.CSV", kind="rules").kind == "rules"


def test_output_is_planned_without_writing(tmp_path: Path) -> None:
    assert plan_output("-", "rules").name == "jsonl"
    assert plan_output(tmp_path / "x.csv", "network", options={"spreadsheet_safe": True}).name == "csv"
    with pytest.raises(OutputError, match="create the folder first"):
        plan_output(tmp_path / "no" / "x.csv")
    assert not any(tmp_path.iterdir())
