"""`honem tune`: compare ways to turn rules into vectors on held-out edges."""

from __future__ import annotations

import argparse
from typing import get_args

from honem.cli.extraction import add_extraction_options, extraction_params
from honem.cli.options import Subparsers, add_json_option, add_seed_option, new_command, whole_number
from honem.cli.output import print_json
from honem.cli.reading import add_reading_options, check_reading_options, read_with_progress
from honem.cli.streams import show
from honem.tuning import TuneFor


def add_command(subparsers: Subparsers) -> None:
    """Add `honem tune`."""
    parser = new_command(
        subparsers,
        "tune",
        "compare ways to turn rules into vectors on held-out edges",
        "honem tune paths.txt --dim 64",
    )
    add_reading_options(parser)
    add_extraction_options(parser)
    group = parser.add_argument_group("vectors")
    group.add_argument("--dim", type=whole_number(1), default=128, metavar="D", help="dimensions (default 128)")
    group.add_argument(
        "--tune-for", choices=get_args(TuneFor), default="links", help="what vectors are chosen for (default links)"
    )
    add_seed_option(group, "the splits and solvers")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Read paths, try the family of recipes and print what they are worth."""
    from honem._internal.progress import TerminalProgress
    from honem.rules.engines import make_engine
    from honem.tuning import family, tune

    params, members = extraction_params(args), family(args.dim, args.tune_for)
    check_reading_options(args)
    corpus, _ = read_with_progress(args)
    with TerminalProgress() as progress:
        choice = tune(
            corpus,
            params,
            members,
            make_engine(args.engine, args.threads).find_rules,
            tune_for=args.tune_for,
            random_state=args.seed,
            n_jobs=args.threads,
            progress=progress,
        )
    if args.json:
        print_json(choice.report.to_dict())
    else:
        show(choice.report)
