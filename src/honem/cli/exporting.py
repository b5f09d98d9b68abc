"""export: what a store holds, in the formats of other tools."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args

from honem.cli.options import Subparsers, new_command
from honem.embedding import Which
from honem.errors import InputError, ParameterError

if TYPE_CHECKING:
    from honem.io.store import Store
    from honem.rules import RuleTable

# What each format holds, and the ending that stands for it when no format is named.
VECTORS = {
    "parquet": ".parquet",
    "csv": ".csv",
    "npy": ".npy",
    "npz": ".npz",
    "word2vec": ".vec",
    "projector": ".tsv",
}
NETWORK = {"csv": ".csv", "graphml": ".graphml", "gexf": ".gexf", "infomap": ".net"}
RULES = {"jsonl": ".jsonl", "csv": ".csv", "parquet": ".parquet", "ngram": ".ngram"}
KINDS = {"vectors": VECTORS, "network": NETWORK, "rules": RULES}
ONE_MATRIX = ("npy", "word2vec", "projector")
NOT_FOR_STDOUT = ("parquet", "npy", "npz", "projector")


def add_export_command(subparsers: Subparsers) -> None:
    """Add `honem export`."""
    parser = new_command(
        subparsers,
        "export",
        "write vectors, rules or the network of a store for another tool",
        "honem export vectors --format word2vec -o vectors.txt; honem export vectors --what network -o edges.csv",
    )
    parser.add_argument("directory", metavar="DIR", help="a folder that `honem embed` wrote")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="file to write; - for stdout, if text")
    parser.add_argument(
        "--format",
        choices=sorted({name for formats in KINDS.values() for name in formats}),
        help="told from the ending of FILE unless said here",
    )
    parser.add_argument(
        "--what", choices=tuple(KINDS), help="told from the format; where it can be several things, vectors"
    )
    parser.add_argument(
        "--vectors",
        choices=get_args(Which),
        help=f"which vectors, for {', '.join(ONE_MATRIX)} (default source); the other formats have all",
    )
    parser.add_argument(
        "--kind", choices=("hon", "fon"), default="hon", help="higher-order or first-order network (default hon)"
    )
    parser.add_argument("--order", metavar="K", type=int, help="only rules of this order, for ngram")
    parser.add_argument(
        "--spreadsheet-safe",
        action="store_true",
        help="CSV: put ' before names that a spreadsheet would take for formulas (= + - @ ...)",
    )
    parser.set_defaults(run=export)


def export(args: argparse.Namespace) -> None:
    """A store to a file."""
    from honem.io.atomic import check_file_place
    from honem.io.store import load

    what, name = chosen_format(args.output, args.format, args.what)
    options = chosen_options(args, what, name)
    if args.output != "-":
        check_file_place(args.output)
    elif name in NOT_FOR_STDOUT:
        raise ParameterError(f"{name} is not one text, and cannot go to stdout; name a file")
    store = load(args.directory, with_rules=what != "vectors")
    writer_of(what, name)(part_of(store, what, args), args.output, **options)


def chosen_format(path: str, name: str | None, what: str | None) -> tuple[str, str]:
    """What is written, and in which format."""
    from honem.io.formats.text import format_of

    kinds = {what: KINDS[what]} if what else KINDS
    if name is None:
        return format_of(
            path, {ending: (kind, format_) for kind in reversed(kinds) for format_, ending in kinds[kind].items()}
        )
    for kind, formats in kinds.items():
        if name in formats:
            return kind, name
    raise ParameterError(f"there is no format {name!r} for {what}; choose one of {', '.join(kinds[str(what)])}")


def chosen_options(args: argparse.Namespace, what: str, name: str) -> dict[str, Any]:
    """The options that were given; one that the format has no use for is refused."""
    given = {"vectors": args.vectors, "order": args.order, "spreadsheet_safe": args.spreadsheet_safe or None}
    fitting = {"vectors": what == "vectors" and name in ONE_MATRIX, "order": name == "ngram"}
    fitting["spreadsheet_safe"] = name == "csv"
    options = {option: value for option, value in given.items() if value is not None}
    for option in options:
        if not fitting[option]:
            raise ParameterError(f"--{option.replace('_', '-')} says nothing about {what} as {name}; leave it out")
    return options


def writer_of(what: str, name: str) -> Callable[..., None]:
    """The function that writes a format."""
    from honem.io.formats import networks, rules, vectors

    module: Any = {"vectors": vectors, "network": networks, "rules": rules}[what]
    writer: Callable[..., None] = module.FORMATS[KINDS[what][name]]
    return writer


def part_of(store: Store, what: str, args: argparse.Namespace) -> Any:
    """The part of a store that is written."""
    if what == "vectors":
        return store.embedding
    if store.rules is None:
        raise InputError(f"{args.directory} was saved without rules, so there is no {what} to write")
    return store.rules if what == "rules" else _network(store.rules, args.kind)


def _network(rules: RuleTable, kind: str) -> Any:
    from honem.network import higher_order_network

    # Rules of first order are the steps themselves.
    return higher_order_network(rules if kind == "hon" else rules.by_order(1))
