"""`honem drift`: what changed from an earlier model to another one."""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from honem._internal.path_like import PathLike
from honem._internal.validation import require_between
from honem.cli.options import Subparsers, add_json_option, add_store_argument, new_command, whole_number
from honem.cli.output import print_json
from honem.cli.stores import joint_names
from honem.cli.streams import show
from honem.errors import InputError
from honem.io.manifest import MANIFEST

if TYPE_CHECKING:
    from honem.drift import Drift


def add_command(subparsers: Subparsers) -> None:
    """Add `honem drift`."""
    parser = new_command(
        subparsers, "drift", "list rules and neighbours that changed since an earlier model", "honem drift june may"
    )
    add_store_argument(parser)
    parser.add_argument(
        "other",
        metavar="EARLIER",
        nargs="?",
        help="folder of the earlier model; without it, DIR is a series that `honem snapshots` wrote",
    )
    parser.add_argument("--alpha", type=float, default=0.05, metavar="A", help="false discovery rate (default 0.05)")
    parser.add_argument("-k", type=whole_number(1), default=10, metavar="K", help="neighbours per node (default 10)")
    parser.add_argument("-n", type=whole_number(1), default=10, metavar="N", help="rules and nodes shown (default 10)")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the changed rules, and the neighbours gained and lost; as JSON, all of them."""
    require_between("alpha", args.alpha, 0, 1)
    if args.other is not None:
        found = drift_between(args, args.directory, args.other)
        if args.json:
            print_json(found.to_dict())
        else:
            show(found.describe(args.n))
        return
    steps = [(old, new, drift_between(args, new, old)) for old, new in pairwise(snapshots_in(args.directory))]
    if args.json:
        print_json({"series": [{"from": old.name, "to": new.name, **found.to_dict()} for old, new, found in steps]})
    else:
        show("\n\n".join(f"{old.name} to {new.name}: {found.describe(args.n)}" for old, new, found in steps))


def drift_between(args: argparse.Namespace, new: PathLike, old: PathLike) -> Drift:
    """Load two models and return what changed."""
    from honem.estimator import HONEM

    models = [HONEM.load(new), HONEM.load(old)]
    names = joint_names(*((model.embedding_.vocabulary, model.labels_) for model in models))
    this, other = models if names is None else [model.named_by(names) for model in models]
    return this.drift(other, alpha=args.alpha, k=args.k)


def snapshots_in(directory: str) -> list[Path]:
    """Return the models of a series, earliest first; raise InputError if there are fewer than two."""
    place = Path(directory)
    if (place / MANIFEST).exists():
        raise InputError(f"{directory} is one model, not a series; name an earlier model as well")
    found = sorted(manifest.parent for manifest in place.glob(f"*/{MANIFEST}"))
    if len(found) < 2:
        raise InputError(f"{directory} holds {len(found)} models; a series needs at least 2")
    return found
