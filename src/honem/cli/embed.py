"""`honem embed`: learn vectors from paths."""

from __future__ import annotations

import argparse
import time
import warnings
from typing import TYPE_CHECKING, Any, get_args

from honem._internal.words import amount
from honem.cli.ages import add_age_options
from honem.cli.extraction import add_extraction_options, extraction_params
from honem.cli.labels import add_label_options, checked_labels
from honem.cli.options import Subparsers, add_json_option, add_seed_option, new_command, whole_number
from honem.cli.output import corpus_facts, errors_about, print_json, rule_facts
from honem.cli.reading import add_reading_options, check_reading_options, opened_corpus
from honem.cli.streams import say, show
from honem.corpus import MAX_NODES
from honem.embedding import VectorScore
from honem.embedding.combining import COMBINATIONS
from honem.embedding.factorizations import FACTORIZATIONS
from honem.embedding.factorize import SOLVERS
from honem.embedding.order_weights import ORDER_WEIGHTS
from honem.embedding.recipe import PRESETS
from honem.embedding.transforms import TRANSFORMS
from honem.embedding.weighting import WEIGHTINGS
from honem.errors import HonemWarning, ParameterError
from honem.rules.engines.base import require_steps
from honem.tuning import TuneFor

if TYPE_CHECKING:
    from honem.estimator import HONEM


DIMENSIONS = 128


def add_command(subparsers: Subparsers) -> None:
    """Add `honem embed`."""
    parser = new_command(
        subparsers, "embed", "learn vectors from paths", "honem embed paths.txt.gz -o vectors --dim 64 --min-support 5"
    )
    add_reading_options(parser)
    add_extraction_options(parser, on_spark=True, has_preset=True)
    add_label_options(parser.add_argument_group("labels of nodes, which are stored with the model"))
    _add_output_options(parser)
    add_recipe_options(parser.add_argument_group("vectors; pieces that are not given are those of the preset"))
    add_age_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="DIR", required=True, help="folder to write")
    group.add_argument("--force", action="store_true", help="replace a folder that honem wrote before")
    group.add_argument(
        "--no-next-step", action="store_true", help="leave out the model that `honem next` and `honem sample` use"
    )
    group.add_argument("--no-update", action="store_true", help="leave out the paths, which `honem update` needs")
    group.add_argument("--estimate", action="store_true", help="only estimate the memory and time needed")


def add_recipe_options(group: argparse._ArgumentGroup) -> None:
    """Add the options that say how rules become vectors."""
    group.add_argument(
        "--dim",
        type=whole_number(1, MAX_NODES),
        metavar="D",
        help=f"dimensions (default {DIMENSIONS}, at most the number of nodes)",
    )
    group.add_argument(
        "--preset",
        choices=("auto", *PRESETS),
        help="how rules become vectors; auto tries several and takes the best, paper is HONEM as published "
        "(default auto, or evidence with one of the options from --transforms to --score)",
    )
    group.add_argument(
        "--tune-for",
        choices=get_args(TuneFor),
        default="links",
        help="with --preset auto: what the vectors are chosen for (default links)",
    )
    group.add_argument("--weighting", choices=tuple(WEIGHTINGS), help="what a rule contributes to the matrix")
    group.add_argument("--order-weights", choices=tuple(ORDER_WEIGHTS), help="weights of the orders")
    group.add_argument("--combination", choices=tuple(COMBINATIONS), help="how orders are combined")
    group.add_argument(
        "--transforms",
        type=_names,
        metavar="T,T",
        help=f"steps before the factorization, out of {', '.join(TRANSFORMS)}; '' for none",
    )
    group.add_argument("--factorization", choices=tuple(FACTORIZATIONS), help="how the matrix becomes vectors")
    group.add_argument(
        "--spectrum", type=_powers, metavar="P[,Q]", help="powers of the singular values in source and target vectors"
    )
    group.add_argument(
        "--tilt",
        type=float,
        metavar="T",
        help="-0.5 to 0.5; above 0 sources are represented more precisely, below 0 targets",
    )
    group.add_argument(
        "--zero-weight", type=float, metavar="W", help="weighted: how much pairs count that were never observed"
    )
    group.add_argument("--regularization", type=float, metavar="R", help="weighted: weight of the vectors' lengths")
    group.add_argument(
        "--length-power", type=float, metavar="P", help="weighted: power of their length that divides target vectors"
    )
    group.add_argument("--score", choices=get_args(VectorScore), help="how the vectors are meant to be compared")
    group.add_argument("--solver", choices=SOLVERS, default="auto", help="algorithm for the SVD (default auto)")
    add_seed_option(group, "the solver")


def run(args: argparse.Namespace) -> None:
    """Read paths, fit a model and save it."""
    started = time.perf_counter()
    model, labels = checked_model(args), checked_labels(args)
    with opened_corpus(args) as (corpus, input_facts):
        read = time.perf_counter()
        if args.estimate:
            _print_estimate(model, corpus, args)
            return
        reduce_default_dimensions(args, corpus.n_nodes)
        model.fit(corpus, labels=labels, names=args.names)
    fitted = time.perf_counter()
    if not args.no_next_step:
        model.stored_next_step()  # fitted here, so that its time is recorded
    timings = {"read": read - started, "fit": fitted - read, "next_step": time.perf_counter() - fitted}
    facts = {
        **corpus_facts(model._paths or corpus),
        **rule_facts(model.rules_),
        "seconds": timings,
        "input": input_facts,
    }
    model.save(
        args.output,
        facts=facts,
        with_next_step=not args.no_next_step,
        with_paths=not args.no_update,
        force=args.force,
    )
    if model.tuning_ is not None:
        facts["tuning"] = model.tuning_.to_dict()
    made = f"{len(model.embedding_)} nodes in {model.embedding_.dimension} dimensions from {model.rules_.n_rules} rules"
    say(f"{args.output}: {made}{'' if model.tuning_ is None else f'; {model.tuning_.summary}'}")
    if model.labels_ is not None:
        say(f"labels of {model.labels_.summary}")
    if args.json:
        print_json(facts)


def reduce_default_dimensions(args: argparse.Namespace, n_nodes: int) -> None:
    """Say once that there are fewer nodes than dimensions by default; that is no reason for a warning."""
    if args.dim is None and n_nodes < DIMENSIONS:
        say(f"{amount(n_nodes, 'node')}, so that vectors have no more than {n_nodes} dimensions (default {DIMENSIONS})")
        warnings.filterwarnings("ignore", ".* is more than the rank of the matrix", HonemWarning)


def checked_model(args: argparse.Namespace) -> HONEM:
    """Return the model to fit, after checking all options."""
    from honem.estimator import HONEM
    from honem.io.store import check_target

    if args.estimate and args.engine == "spark":
        raise ParameterError("--estimate measures the local engine; leave out --engine spark")
    model = HONEM(
        DIMENSIONS if args.dim is None else args.dim,
        **extraction_params(args).to_dict(),
        preset=args.preset,
        weighting=args.weighting,
        order_weights=args.order_weights,
        combination=args.combination,
        transforms=args.transforms,
        tune_for=args.tune_for,
        factorization=args.factorization,
        spectrum=args.spectrum,
        tilt=args.tilt,
        zero_weight=args.zero_weight,
        regularization=args.regularization,
        length_power=args.length_power,
        score=args.score,
        engine=args.engine,
        solver=args.solver,
        random_state=args.seed,
        n_jobs=args.threads,
        half_life=args.half_life,
        window=args.window,
        verbose=True,
    )
    model.plan()
    with errors_about("--output"):
        check_target(args.output, force=args.force)
    check_reading_options(args)
    return model


def _print_estimate(model: HONEM, corpus: Any, args: argparse.Namespace) -> None:
    """Print the memory and time of a fit, without fitting."""
    from honem.cost import estimate

    require_steps(corpus)
    found = estimate(model, corpus, with_next_step=not args.no_next_step)
    if args.json:
        print_json(found.to_dict())
    else:
        show(found)


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def _powers(text: str) -> float | tuple[float, ...]:
    """Parse `0.5` as a number, `1,0.4` as a pair."""
    try:
        numbers = tuple(float(number) for number in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be one or two numbers, such as 0.5 or 1,0.4, not {text!r}") from None
    return numbers[0] if len(numbers) == 1 else numbers
