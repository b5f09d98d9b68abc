"""evaluate and reproduce: embeddings judged, ours and others'."""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honem._internal.progress import TerminalProgress
from honem.cli.options import Subparsers, new_command
from honem.cli.reading import add_reading_options, read_corpus
from honem.corpus import Corpus
from honem.errors import OutputError, ParameterError

if TYPE_CHECKING:
    from honem.evaluation.methods import Task
    from honem.evaluation.records import Record

SHOWN = ("map", "precision@10", "auroc:", "knn_", "silhouette")
TASKS = ("reconstruction", "link-prediction", "classification", "visualization")
# Named here, and not imported, so that `honem --help` does not load what only these commands need.
ITEMS = (
    "table1",
    "table2",
    "reconstruction",
    "link-prediction",
    "classification",
    "visualization",
    "running-time",
    "max-order",
    "all",
)


def add_commands(subparsers: Subparsers) -> None:
    """`honem evaluate` and `honem reproduce`."""
    _add_evaluate(subparsers)
    _add_reproduce(subparsers)


def _add_evaluate(subparsers: Subparsers) -> None:
    parser = new_command(
        subparsers,
        "evaluate",
        "judge embeddings of paths by the paper's tasks",
        "honem evaluate paths.txt --task link-prediction --methods honem,deepwalk --dims 16,64 --seeds 3 -o results",
    )
    add_reading_options(parser)
    group = parser.add_argument_group("evaluation")
    group.add_argument("--task", choices=TASKS, default="link-prediction", help="default link-prediction")
    group.add_argument(
        "--methods",
        metavar="M,M",
        default="honem,first-order",
        help="such as honem,deepwalk,node2vec:p=0.5:q=2 (default honem,first-order)",
    )
    group.add_argument("--dims", metavar="D,D", default="128", help="dimensions (default 128)")
    group.add_argument("--seeds", metavar="N", type=int, default=5, help="how many seeds (default 5)")
    group.add_argument("--labels", metavar="FILE", help="CSV or TSV with a header: nodes first, then their labels")
    group.add_argument("--label", metavar="COLUMN", help="which label (default: the second column of FILE)")
    group.add_argument("--vectors", metavar="FILE", help="judge these vectors (word2vec text, CSV, Parquet) instead")
    group.add_argument("-o", "--output", metavar="DIR", required=True, help="folder; finished cells in it are kept")
    parser.set_defaults(run=evaluate)


def evaluate(args: argparse.Namespace) -> None:
    """Tables, plots and a manifest of one task."""
    from honem.evaluation import cells
    from honem.evaluation.reproduce.methods import parse_method
    from honem.evaluation.reproduce.runs import Run
    from honem.io.atomic import atomic_file
    from honem.io.vectors import read_vectors

    methods = [parse_method(text) for text in split_methods(args.methods)]
    dimensions, folder = whole_numbers("--dims", args.dims), Path(args.output)
    if args.task in ("classification", "visualization") and args.labels is None:
        raise ParameterError(f"--task {args.task} needs --labels FILE")
    started = time.perf_counter()
    with TerminalProgress() as progress:
        corpus, report = read_corpus(args, progress)
        print(report, file=sys.stderr)
        task = make_task(args, corpus)
        run = Run(new_folder(folder))
        if args.vectors is None:
            wanted = list(cells(task, methods, dimensions, range(args.seeds)))
            results = run.compute(wanted, progress=progress)
        else:
            embedding = read_vectors(args.vectors)
            stand_in = [NamedVectors(Path(args.vectors).name)]
            wanted = list(cells(task, stand_in, (embedding.dimension,), range(args.seeds)))
            results = run.compute(wanted, embedding=embedding, progress=progress)
    records = [record for result in results for record in result.records]
    write_results(folder, records, task.name)
    facts = {"task": task.name, "input": report.to_dict(), "seconds": time.perf_counter() - started}
    with atomic_file(folder / "manifest.json") as file:
        file.write((json.dumps(facts, indent=2) + "\n").encode())
    for cell, result in zip(wanted, results, strict=True):
        if result.problem:
            print(f"honem: warning: {cell.method.name}: {result.problem}", file=sys.stderr)
    if not records:
        raise ParameterError("no method could be judged; the warnings above say why")


class NamedVectors:
    """Stands for vectors that were made elsewhere."""

    def __init__(self, name: str) -> None:
        self.name = name

    def fit(self, corpus: Corpus, dimension: int, seed: int) -> Any:
        """Never called: the vectors are there."""
        raise AssertionError("vectors from a file are not fitted")


def make_task(args: argparse.Namespace, corpus: Corpus) -> Task:
    """The task asked for."""
    from honem.evaluation import Classification, LinkPrediction, Reconstruction, Visualization

    name = Path(args.paths[0]).name.partition(".")[0] or "paths"
    if args.task == "reconstruction":
        return Reconstruction(corpus, name)
    if args.task == "link-prediction":
        return LinkPrediction(corpus, name)
    column, labels = read_labels(Path(args.labels), args.label)
    if args.task == "classification":
        return Classification(corpus, column, labels, name)
    return Visualization(corpus, labels, None, name)


def write_results(folder: Path, records: list[Record], task: str) -> None:
    """results.csv, summary.csv, plots, and the summary on stdout."""
    from honem.evaluation.records import Record
    from honem.evaluation.reproduce.figures import against_dimension, draw_lines, precision_curves
    from honem.evaluation.reproduce.tables import over_seeds

    write_csv(folder / "results.csv", Record._fields, records)
    header = ("dataset", "task", "method", "dimension", "score", "metric", "mean", "deviation", "seeds")
    rows = [(*key, value.mean, value.deviation, value.seeds) for key, value in over_seeds(records).items()]
    write_csv(folder / "summary.csv", header, rows)
    curves = precision_curves(records, task)
    if any(lines for lines in curves.values()):
        draw_lines(curves, folder / "precision-at-k", "k", "precision@k")
    if len({record.dimension for record in records}) > 1 and any(record.metric == "map" for record in records):
        draw_lines(against_dimension(records, task, "map"), folder / "map-by-dimension", "dimensions", "MAP")
    for row in rows:
        if row[5].startswith(SHOWN):
            _, _, method, dimension, score, metric, mean, deviation, seeds = row
            spread = f" ± {deviation:.4f}" if seeds > 1 else ""
            print(f"{method:28} {dimension:>4}  {score:14} {metric:28} {mean:.4f}{spread}")


def write_csv(path: Path, header: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """A table in a file."""
    from io import StringIO

    from honem.io.atomic import atomic_file

    text = StringIO()
    csv.writer(text).writerows([header, *rows])
    with atomic_file(path) as file:
        file.write(text.getvalue().encode())


def read_labels(path: Path, column: str | None) -> tuple[str, dict[Hashable, str]]:
    """Return the name of a column of a labels file (the first after the nodes, unless given) and its values by node."""
    from honem.io.tables import NodeTable

    table = NodeTable.read(path)
    name = column or table.facts[0]
    return name, table.labels(name)


def split_methods(text: str) -> list[str]:
    """`a,b:p=1:q=2` -> `a` and `b:p=1,q=2`: options of a method are divided by colons, methods by commas."""
    found = [part for part in text.split(",") if part]
    if not found:
        raise ParameterError("--methods is empty; name some, such as honem,deepwalk")
    return [name + (":" if rest else "") + ",".join(rest) for name, *rest in (part.split(":") for part in found)]


def whole_numbers(option: str, text: str) -> list[int]:
    """`4,8,16` as numbers."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 1:
        raise ParameterError(f"{option} must be whole numbers of at least 1, such as 16,64, not {text!r}")
    return numbers


def new_folder(folder: Path) -> Path:
    """The folder, made if need be; one with other things in it is refused."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file, not a folder; choose another name")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "cells.jsonl").exists():
        raise OutputError(f"{folder} holds other things than results of honem; choose another name")
    return folder


def _add_reproduce(subparsers: Subparsers) -> None:
    parser = new_command(
        subparsers,
        "reproduce",
        "make the paper's tables and figures on the data under HONEM_DATA",
        "HONEM_DATA=data honem reproduce all -o report --quick",
    )
    parser.add_argument("item", nargs="?", choices=ITEMS, default="all", help="default all")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="folder; finished cells in it are kept")
    parser.add_argument("--quick", action="store_true", help="fewer data sets, methods and seeds: minutes, not hours")
    parser.add_argument("--datasets", metavar="D,D", help="some of the data sets")
    parser.add_argument("--methods", metavar="M,M", help="other methods, written as for evaluate")
    parser.add_argument("--dims", metavar="D,D", help="other dimensions")
    parser.add_argument("--seeds", metavar="N", type=int, help="how many seeds")
    parser.set_defaults(run=reproduce)


def reproduce(args: argparse.Namespace) -> None:
    """report.md and report.html."""
    from honem.evaluation.reproduce.forms import HOW_FORMS_COMPETE
    from honem.evaluation.reproduce.items import RUNNERS, Context, claims
    from honem.evaluation.reproduce.plan import make_plan
    from honem.evaluation.reproduce.report import Report
    from honem.evaluation.reproduce.runs import Run

    plan = make_plan(
        quick=args.quick,
        datasets=args.datasets.split(",") if args.datasets else None,
        methods=split_methods(args.methods) if args.methods else None,
        dimensions=whole_numbers("--dims", args.dims) if args.dims else None,
        seeds=args.seeds,
    )
    folder = new_folder(Path(args.output))
    if plan.is_generated:
        print("HONEM_DATA names no folder: running on generated data instead", file=sys.stderr)
    started = time.perf_counter()
    report = Report("The paper's tables and figures")
    command = " ".join(["honem", "reproduce", *sys.argv[2:]])
    with TerminalProgress() as progress:
        context = Context(plan, Run(folder), folder, progress)
        scores = [
            score
            for item in (RUNNERS if args.item == "all" else (args.item,))
            for score in RUNNERS[item](context, report)
        ]
    claims(context, report, scores)
    names = ", ".join(data.name for data in plan.data)
    kind = "generated data, as HONEM_DATA names no folder" if plan.is_generated else "real data"
    minutes = (time.perf_counter() - started) / 60
    report.parts.insert(
        0,
        f"`{command}`: {kind} ({names}), {len(plan.methods)} methods and forms, seeds: {len(plan.seeds)}, "
        f"{minutes:.1f} minutes (less if cells were there from before). `honem` is HONEM at its defaults. "
        f"{HOW_FORMS_COMPETE}",
    )
    report.write(folder)
    print(folder / "report.html")
