"""`honem export`: write the contents of a store in the formats of other tools."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, get_args

from honem.cli.options import Subparsers, add_store_argument, new_command, whole_number
from honem.cli.output import errors_about
from honem.cli.stores import load_profile, load_with_rules
from honem.embedding import Which
from honem.io.formats.registry import KINDS, OutputKind, output_formats
from honem.io.formats.writing import plan_output

if TYPE_CHECKING:
    from honem.io.store import Store


def add_command(subparsers: Subparsers) -> None:
    """Add `honem export`."""
    parser = new_command(
        subparsers,
        "export",
        "write vectors, rules, the network or the profile of a store for another tool",
        "honem export vectors --format word2vec -o vectors.txt; honem export vectors --what profile -o profile.csv",
    )
    add_store_argument(parser)
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="file to write; - for stdout")
    parser.add_argument(
        "--format",
        choices=sorted({format.name for format in output_formats()}),
        help="output format (default: inferred from the extension of FILE)",
    )
    parser.add_argument(
        "--what",
        choices=KINDS,
        help="what to write (default: what the format is for; vectors if it is for several things)",
    )
    _add_format_options(parser)
    parser.set_defaults(run=run)


def _add_format_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--vectors",
        choices=get_args(Which),
        help=f"which vectors, for {_formats_with('vectors')} (default source); other formats have all",
    )
    parser.add_argument(
        "--kind", choices=("hon", "fon"), default="hon", help="higher-order or first-order network (default hon)"
    )
    parser.add_argument(
        "--order", metavar="K", type=whole_number(1), help=f"only rules of this order, for {_formats_with('order')}"
    )
    parser.add_argument(
        "--spreadsheet-safe",
        action="store_true",
        help=f"{_formats_with('spreadsheet_safe')}: put ' before names that a spreadsheet would take for formulas",
    )


def _formats_with(option: str) -> str:
    return ", ".join(dict.fromkeys(format.name for format in output_formats() if option in format.options))


def run(args: argparse.Namespace) -> None:
    """Write part of a store to a file."""
    given = {"vectors": args.vectors, "order": args.order, "spreadsheet_safe": args.spreadsheet_safe or None}
    options = {name: value for name, value in given.items() if value is not None}
    with errors_about("--output"):
        format = plan_output(args.output, args.what, args.format, options)
    if "labels" in format.options:
        store = _store(args.directory)
        format.write(store.embedding, args.output, labels=store.labels, **options)
    else:
        format.write(_content(args.directory, format.kind, args.kind), args.output, **options)


def _store(directory: str) -> Store:
    from honem.io.store import load

    return load(directory, with_rules=False, with_profile=False, with_paths=False)


def _content(directory: str, kind: OutputKind, network_kind: str) -> Any:
    """Return the part of a store that is written."""
    from honem.network import higher_order_network

    if kind == "vectors":
        return _store(directory).embedding
    if kind == "profile":
        return load_profile(directory)
    _, rules = load_with_rules(directory, f"write {'the network' if kind == 'network' else 'rules'}")
    if kind == "rules":
        return rules
    # Rules of first order are the steps themselves.
    return higher_order_network(rules if network_kind == "hon" else rules.by_order(1))
