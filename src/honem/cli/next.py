"""`honem next`: predict the next node after a history."""

from __future__ import annotations

import argparse
from collections.abc import Hashable
from typing import TYPE_CHECKING

from honem._internal.words import whole_name_of
from honem.cli.options import Subparsers, add_json_option, add_store_argument, new_command, whole_number
from honem.cli.output import print_json
from honem.cli.stores import known_nodes, load_predictor
from honem.cli.streams import say, show
from honem.errors import ParameterError

if TYPE_CHECKING:
    from honem.corpus import Vocabulary
    from honem.prediction import Prediction

INDENT = "# "


def add_command(subparsers: Subparsers) -> None:
    """Add `honem next`."""
    parser = new_command(
        subparsers, "next", "list the most likely next nodes after a history", "honem next vectors Paris Lyon -k 5"
    )
    add_store_argument(parser)
    parser.add_argument("history", metavar="NODE", nargs="*", help="nodes visited so far, oldest first")
    parser.add_argument(
        "--histories", metavar="FILE", help="predict after each line of this file of paths, instead of NODE ..."
    )
    parser.add_argument("--from-start", action="store_true", help="histories begin at the start of a path")
    parser.add_argument("-k", type=whole_number(1), default=10, metavar="K", help="number of nodes (default 10)")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the most likely next nodes, how often each was observed, and the contexts that they are predicted from."""
    from honem.prediction import RuleNextStep
    from honem.prediction.next_step import require_blend

    if (args.histories is None) == (not args.history):
        raise ParameterError("give either nodes or --histories FILE")
    model = load_predictor(args.directory)
    if args.histories is not None:
        blend = require_blend(model, "--histories")
        many = read_histories(args.histories, blend.vocabulary)
        found = blend.predict_many(many, args.k, from_start=args.from_start)
        _print_many(many, list(found), args.json)
        return
    history = known_nodes(args.history, model.vocabulary)
    if isinstance(model, RuleNextStep):
        say(f"{args.directory} holds no next-step model; predicting from its rules")
        _print_one(history, model.predict(history, args.k), args.json)
    else:
        _print_one(history, model.predict(history, args.k, from_start=args.from_start), args.json)


def read_histories(path: str, vocabulary: Vocabulary) -> list[list[Hashable]]:
    """Read one history per line of a file, in any format of paths."""
    from honem.io.paths import read_paths

    corpus = read_paths(path)
    labels = known_nodes(map(str, corpus.vocabulary.labels), vocabulary)
    bounds = zip(corpus.offsets[:-1].tolist(), corpus.offsets[1:].tolist(), strict=True)
    return [[labels[node] for node in corpus.tokens[low:high].tolist()] for low, high in bounds]


def _print_one(history: list[Hashable], found: Prediction, as_json: bool) -> None:
    if as_json:
        print_json({"history": history, **found.to_dict()})
        return
    lines = [f"after {_shown(found.context)} (order {found.order}, observed {found.observed} times):"]
    if found.unknown:
        lines.append(
            f"{INDENT}unknown nodes, after which the history is used: {' '.join(map(whole_name_of, found.unknown))}"
        )
    lines += [
        f"{node.probability:.6f}\t{whole_name_of(node.node)}\t{node.observed}/{found.observed}" for node in found.nodes
    ]
    for part in found.contributions:
        name = "vectors" if part.context is None else _shown(part.context) + (" at the start" * part.from_start)
        lines.append(f"{INDENT}{part.weight:.1%} from {name}")
    show("\n".join(lines))


def _print_many(histories: list[list[Hashable]], found: list[Prediction], as_json: bool) -> None:
    if as_json:
        pairs = zip(histories, found, strict=True)
        print_json({"predictions": [{"history": history, **each.to_dict()} for history, each in pairs]})
        return
    show(
        "\n".join(
            f"{line}\t{each.order}\t{node.probability:.6f}\t{whole_name_of(node.node)}"
            for line, each in enumerate(found, start=1)
            for node in each.nodes
        )
    )


def _shown(context: tuple[Hashable, ...]) -> str:
    names = list(map(whole_name_of, context))
    return (", then " if any(" " in name for name in names) else " ").join(names) or "anything"
