"""`honem reproduce`: the paper's tables and figures."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from honem._internal.progress import TerminalProgress
from honem.cli.evaluate import LazyChoices, new_folder, split_methods, whole_numbers
from honem.cli.options import Subparsers, new_command
from honem.cli.streams import say, show
from honem.errors import ParameterError

ALL = "all"


def add_command(subparsers: Subparsers) -> None:
    """Add the command to the parser."""
    parser = new_command(
        subparsers,
        "reproduce",
        "make the paper's tables and figures from the data in the folder HONEM_DATA",
        "HONEM_DATA=data honem reproduce all -o report --quick",
    )
    parser.add_argument(
        "item",
        metavar="ITEM",
        nargs="?",
        choices=LazyChoices(item_names),
        default=ALL,
        help="one of %(choices)s (default %(default)s)",
    )
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="folder; finished cells in it are kept")
    parser.add_argument("--quick", action="store_true", help="fewer data sets, methods and seeds: minutes, not hours")
    parser.add_argument("--datasets", metavar="D,D", help="only these data sets")
    parser.add_argument("--methods", metavar="M,M", help="only these methods, written as for evaluate")
    parser.add_argument("--dims", metavar="D,D", help="only these dimensions")
    parser.add_argument(
        "--seeds", metavar="N[,M=N]", help="number of seeds, and of methods that are to have fewer: 5,node2vec=2"
    )
    parser.set_defaults(run=run)


def item_names() -> tuple[str, ...]:
    """Return the names of all items, and the name that means all of them."""
    from honem.evaluation.reproduce.items import ITEMS

    return (*ITEMS, ALL)


def parse_seeds(text: str) -> tuple[int, dict[str, int]]:
    """Return the number of seeds, and those of methods that have fewer.

    >>> parse_seeds("5,node2vec=2")
    (5, {'node2vec': 2})
    """
    first, *rest = text.split(",")
    pairs = [part.partition("=") for part in rest]
    numbers = [first, *(number for _, _, number in pairs)]
    if not all(number.isdecimal() and int(number) for number in numbers):
        raise ParameterError(f"--seeds {text}: write a number, and METHOD=NUMBER for methods with fewer: 5,node2vec=2")
    fewer = {name: int(number) for name, _, number in pairs}
    if max(fewer.values(), default=0) > int(first):
        raise ParameterError(f"--seeds {text}: a method cannot have more seeds than the run, {first}")
    return int(first), fewer


def run(args: argparse.Namespace) -> None:
    """Write report.md and report.html."""
    from honem.evaluation.reproduce.claims_section import claims
    from honem.evaluation.reproduce.context import Context
    from honem.evaluation.reproduce.forms import HOW_FORMS_COMPETE
    from honem.evaluation.reproduce.items import ITEMS
    from honem.evaluation.reproduce.plan import make_plan
    from honem.evaluation.reproduce.report import Report
    from honem.evaluation.reproduce.runs import Run

    n_seeds, fewer_seeds = parse_seeds(args.seeds) if args.seeds else (None, {})
    plan = make_plan(
        quick=args.quick,
        datasets=args.datasets.split(",") if args.datasets else None,
        methods=split_methods(args.methods) if args.methods else None,
        dimensions=whole_numbers("--dims", args.dims) if args.dims else None,
        seeds=n_seeds,
        fewer_seeds=fewer_seeds,
    )
    folder = new_folder(Path(args.output))
    if plan.is_generated:
        say("HONEM_DATA names no folder: running on generated data instead")
    started = time.perf_counter()
    report = Report("The paper's tables and figures")
    command = " ".join(["honem", "reproduce", *sys.argv[2:]])
    with TerminalProgress() as progress:
        context = Context(plan, Run(folder), folder, progress)
        scores = [
            score
            for item in (ITEMS if args.item == ALL else (args.item,))
            for score in ITEMS[item].run(context, report)
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
    show(folder / "report.html")
