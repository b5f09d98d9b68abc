"""`honem evaluate`: compare methods on a task."""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from honem._internal.progress import TerminalProgress
from honem._internal.validation import require_one_of
from honem.cli.options import Subparsers, new_command, whole_number
from honem.cli.reading import add_reading_options, check_reading_options, read_corpus
from honem.cli.streams import say, show
from honem.corpus import Corpus
from honem.errors import OutputError, ParameterError

if TYPE_CHECKING:
    from honem.evaluation.methods import Method
    from honem.evaluation.records import Record
    from honem.evaluation.registry import Registry
    from honem.evaluation.tasks.base import RegisteredTask, Task
    from honem.profile import Features


def add_command(subparsers: Subparsers) -> None:
    """Add the command to the parser."""
    parser = new_command(
        subparsers,
        "evaluate",
        "compare methods on a task",
        "honem evaluate paths.txt --task link-prediction --methods honem,deepwalk --dims 16,64 --seeds 3 -o results",
    )
    add_reading_options(parser)
    group = parser.add_argument_group("evaluation")
    group.add_argument(
        "--task",
        metavar="TASK",
        choices=LazyChoices(tasks),
        default="link-prediction",
        help="one of %(choices)s (default %(default)s)",
    )
    methods = group.add_argument(
        "--methods",
        metavar="M,M",
        help="methods, with options after colons, such as honem,deepwalk,node2vec:p=0.5:q=2; %(known)s",
    )
    methods.known = KnownMethods()  # type: ignore[attr-defined]
    group.add_argument("--dims", metavar="D,D", default="128", help="dimensions of vectors (default 128)")
    group.add_argument("--seeds", metavar="N", type=whole_number(1), default=5, help="number of seeds (default 5)")
    group.add_argument("--labels", metavar="FILE", help="CSV or TSV with a header: nodes first, then their labels")
    group.add_argument("--label", metavar="COLUMN", help="which label (default: the second column of FILE)")
    group.add_argument(
        "--distinct", action="store_true", help="--task next-step: hold out equal sequences together, with all copies"
    )
    group.add_argument(
        "--holdout",
        choices=("random", "time"),
        help="--task next-step: hold out random sequences, or those that began last, with --time (default random)",
    )
    group.add_argument(
        "--features",
        metavar="F,F",
        help="what describes a node in classification: vectors, profile or both, or several of them (default vectors)",
    )
    group.add_argument("--vectors", metavar="FILE", help="judge these vectors (word2vec text, CSV, Parquet) instead")
    group.add_argument("-o", "--output", metavar="DIR", required=True, help="folder; finished cells in it are kept")
    parser.set_defaults(run=run)


def tasks() -> Registry[str, type[RegisteredTask]]:
    """Return all tasks; `honem --help` does not load them."""
    from honem.evaluation.tasks.base import TASKS

    return TASKS


class LazyChoices(Iterable[str]):
    """Values of an option that are loaded only when the option is given or the help is printed."""

    def __init__(self, load: Callable[[], Iterable[str]]) -> None:
        self.load = load

    def __iter__(self) -> Iterator[str]:
        return iter(self.load())

    def __contains__(self, name: object) -> bool:
        return name in tuple(self.load())


class KnownMethods:
    """The methods that each task can judge, as text; made only when the help is printed."""

    def __str__(self) -> str:
        from honem.evaluation.methods import method_names

        judged_by: dict[str, list[str]] = {}
        for task in tasks().values():
            names = f"{', '.join(method_names(task.judges))} (default {','.join(task.default_methods)})"
            judged_by.setdefault(names, []).append(task.command)
        return "; ".join(f"for {', '.join(commands)}: {names}" for names, commands in judged_by.items())


def run(args: argparse.Namespace) -> None:
    """Write tables, plots and a manifest, and print a summary."""
    from honem.evaluation.cells import cells
    from honem.evaluation.reproduce.runs import Run
    from honem.io.atomic import atomic_file

    kind, folder = tasks()[args.task], Path(args.output)
    methods, dimensions = chosen_methods(args, kind), whole_numbers("--dims", args.dims)
    if kind.needs_labels() and args.labels is None:
        raise ParameterError(f"--task {args.task} needs --labels FILE")
    if args.distinct and "distinct" not in kind.input_names():
        raise ParameterError(f"--task {args.task} holds out no sequences; leave out --distinct")
    if args.holdout is not None and "holdout" not in kind.input_names():
        raise ParameterError(f"--task {args.task} holds out no sequences; leave out --holdout")
    if args.holdout == "time" and args.distinct:
        raise ParameterError(
            "--distinct does not apply to --holdout time, which holds out the sequences that began last"
        )
    if args.holdout == "time" and args.time is None:
        raise ParameterError("--holdout time needs an event table, and --time COLUMN for its time column")
    features = chosen_features(args, kind)
    place = new_folder(folder)
    check_reading_options(args)
    started = time.perf_counter()
    with TerminalProgress() as progress:
        corpus, report = read_corpus(args, progress)
        say(report)
        task = task_on(args, corpus, features)
        if args.vectors is not None:
            methods, dimensions = given_vectors(Path(args.vectors))
        wanted = list(cells(task, methods, dimensions, range(args.seeds)))
        results = Run(place).compute(wanted, progress=progress)
    records = [record for result in results for record in result.records]
    write_results(folder, records, task.name)
    facts = {"task": task.name, "input": report.to_dict(), "seconds": time.perf_counter() - started}
    with atomic_file(folder / "manifest.json") as file:
        file.write((json.dumps(facts, indent=2) + "\n").encode())
    for cell, result in zip(wanted, results, strict=True):
        if result.problem:
            say(f"honem: warning: {cell.method.name}: {result.problem}")
    print_summary(records, kind)
    if not records:
        raise ParameterError("no method could be judged; the warnings above say why")


def chosen_methods(args: argparse.Namespace, task: type[RegisteredTask]) -> list[Method]:
    """Return the methods that `--methods` names; raise ParameterError if the task cannot judge one of them."""
    from honem.evaluation.chosen_method import parse_method

    if args.vectors is not None and "vectors" not in task.judges:
        raise ParameterError(f"--task {task.command} does not judge vectors; leave out --vectors")
    names = task.default_methods if args.methods is None else split_methods(args.methods)
    try:
        return [parse_method(name, task.judges) for name in names]
    except ParameterError as error:
        raise ParameterError(f"--task {task.command}: {error}") from None


def given_vectors(path: Path) -> tuple[list[Method], list[int]]:
    """Return the vectors of a file as a method, and their dimension."""
    from honem.evaluation.methods import GivenVectors
    from honem.io.vectors import read_vectors

    embedding = read_vectors(path)
    return [GivenVectors(path.name, embedding)], [embedding.dimension]


def chosen_features(args: argparse.Namespace, task: type[RegisteredTask]) -> tuple[Features, ...]:
    """Return what `--features` names; raise ParameterError if the task has no such choice."""
    from honem.profile import Features

    if args.features is None:
        return ("vectors",)
    if "features" not in task.input_names():
        raise ParameterError(f"--features does not apply to --task {task.command}; leave it out")
    names = tuple(dict.fromkeys(args.features.split(",")))
    for name in names:
        require_one_of("features", name, get_args(Features))
    return cast("tuple[Features, ...]", names)


def task_on(args: argparse.Namespace, corpus: Corpus, features: Sequence[Features]) -> Task:
    """Return the requested task on a corpus."""
    from honem.evaluation.tasks.base import make_task

    name = Path(args.paths[0] if args.paths else "query").name.partition(".")[0] or "paths"
    label, labels = read_labels(Path(args.labels), args.label) if tasks()[args.task].needs_labels() else (None, None)
    return make_task(
        args.task,
        corpus,
        name,
        label=label,
        labels=labels,
        distinct=args.distinct,
        holdout=args.holdout or "random",
        features=features,
    )


def write_results(folder: Path, records: list[Record], task: str) -> None:
    """Write results.csv, summary.csv and plots."""
    from honem.evaluation.records import Record
    from honem.evaluation.reproduce.figures import against_dimension, draw_lines, precision_curves
    from honem.evaluation.reproduce.tables import means_over_seeds

    write_csv(folder / "results.csv", Record._fields, records)
    header = ("dataset", "task", "method", "dimension", "score", "metric", "mean", "deviation", "seeds")
    rows = [(*key, value.mean, value.deviation, value.seeds) for key, value in means_over_seeds(records).items()]
    write_csv(folder / "summary.csv", header, rows)
    curves = precision_curves(records, task)
    if any(lines for lines in curves.values()):
        draw_lines(curves, folder / "precision-at-k", "k", "precision@k")
    if len({record.dimension for record in records}) > 1 and any(record.metric == "map" for record in records):
        draw_lines(against_dimension(records, task, "map"), folder / "map-by-dimension", "dimensions", "MAP")


def print_summary(records: list[Record], task: type[RegisteredTask]) -> None:
    """Print the mean over seeds of the main numbers of a task."""
    from honem.evaluation.reproduce.tables import means_over_seeds

    for (_, _, method, dimension, score, metric), value in means_over_seeds(records).items():
        if metric.startswith(task.shown_metrics):
            spread = f" ± {value.deviation:.4f}" if value.seeds > 1 else ""
            show(f"{method:28} {dimension or '-':>4}  {score:14} {metric:28} {value.mean:.4f}{spread}")


def write_csv(path: Path, header: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a table to a file."""
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
    """Return `a` and `b:p=1,q=2` for `a,b:p=1:q=2`: colons separate the options of a method, commas the methods."""
    found = [part for part in text.split(",") if part]
    if not found:
        raise ParameterError("--methods is empty; name some, such as honem,deepwalk")
    return [name + (":" if rest else "") + ",".join(rest) for name, *rest in (part.split(":") for part in found)]


def whole_numbers(option: str, text: str) -> list[int]:
    """Return the numbers in a text such as `4,8,16`."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 1:
        raise ParameterError(f"{option} must be whole numbers of at least 1, such as 16,64, not {text!r}")
    return numbers


def new_folder(folder: Path) -> Path:
    """Return a folder that is new or has results; raise OutputError if it has other files."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file, not a folder; choose another name")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "cells.jsonl").exists():
        raise OutputError(f"{folder} holds other things than results of honem; choose another name")
    return folder
