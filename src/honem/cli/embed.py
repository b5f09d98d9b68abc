"""`honem embed`: learn vectors from paths."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from honem.cli.extraction import add_extraction_options, extraction_params
from honem.cli.options import Subparsers, add_json_option, add_seed_option, new_command, whole_number
from honem.cli.output import corpus_facts, errors_about, print_json, rule_facts, say
from honem.cli.reading import add_reading_options, check_reading_options, opened_corpus
from honem.embedding.combining import COMBINATIONS
from honem.embedding.factorize import SOLVERS
from honem.embedding.order_weights import ORDER_WEIGHTS
from honem.embedding.recipe import PRESETS
from honem.embedding.transforms import TRANSFORMS
from honem.embedding.weighting import WEIGHTINGS
from honem.errors import ParameterError
from honem.rules.engines.base import require_steps

if TYPE_CHECKING:
    from honem.estimator import HONEM


def add_command(subparsers: Subparsers) -> None:
    """Add `honem embed`."""
    parser = new_command(
        subparsers, "embed", "learn vectors from paths", "honem embed paths.txt.gz -o vectors --dim 64 --min-support 5"
    )
    add_reading_options(parser)
    add_extraction_options(parser, on_spark=True, has_preset=True)
    _add_output_options(parser)
    _add_recipe_options(parser.add_argument_group("vectors; pieces that are not given are those of the preset"))
    add_json_option(parser)
    parser.set_defaults(run=run)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="DIR", required=True, help="folder to write")
    group.add_argument("--force", action="store_true", help="replace a folder that honem wrote before")
    group.add_argument(
        "--no-next-step", action="store_true", help="leave out the model that `honem next` and `honem sample` use"
    )
    group.add_argument("--estimate", action="store_true", help="only estimate the memory and time needed")


def _add_recipe_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--dim", type=whole_number(1), default=128, metavar="D", help="dimensions (default 128)")
    group.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        default="evidence",
        help="how rules become vectors; paper is HONEM as published (default evidence)",
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
        "--rank-share", type=float, metavar="R", help="maximum number of dimensions used, as a share of the nodes"
    )
    group.add_argument("--solver", choices=SOLVERS, default="auto", help="algorithm for the SVD (default auto)")
    add_seed_option(group, "the solver")


def run(args: argparse.Namespace) -> None:
    """Read paths, fit a model and save it."""
    from honem.io.store import save

    started = time.perf_counter()
    model = _checked_model(args)
    with opened_corpus(args) as (corpus, input_facts):
        read = time.perf_counter()
        if args.estimate:
            _print_estimate(model, corpus, args.json)
            return
        model.fit(corpus)
    fitted = time.perf_counter()
    next_step = None if args.no_next_step else model.stored_next_step()
    timings = {"read": read - started, "fit": fitted - read, "next_step": time.perf_counter() - fitted}
    facts = {**corpus_facts(corpus), **rule_facts(model.rules_), "seconds": timings, "input": input_facts}
    parameters = {name: value for name, value in model.get_params().items() if name not in ("n_jobs", "verbose")}
    recipe = model.recipe_.to_dict()
    parameters |= recipe
    save(
        args.output,
        model.embedding_,
        model.rules_,
        next_step=next_step,
        recipe=recipe,
        parameters=parameters,
        facts=facts,
        force=args.force,
    )
    say(f"{args.output}: {len(model.embedding_)} nodes in {args.dim} dimensions from {model.rules_.n_rules} rules")
    if args.json:
        print_json(facts)


def _checked_model(args: argparse.Namespace) -> HONEM:
    """Return the model to fit, after checking all options."""
    from honem.estimator import HONEM
    from honem.io.store import check_target

    if args.estimate and args.engine == "spark":
        raise ParameterError("--estimate measures the local engine; leave out --engine spark")
    model = HONEM(
        args.dim,
        **extraction_params(args).to_dict(),
        preset=args.preset,
        weighting=args.weighting,
        order_weights=args.order_weights,
        combination=args.combination,
        transforms=args.transforms,
        spectrum=args.spectrum,
        tilt=args.tilt,
        rank_share=args.rank_share,
        engine=args.engine,
        solver=args.solver,
        random_state=args.seed,
        n_jobs=args.threads,
        verbose=True,
    )
    model.plan()
    with errors_about("--output"):
        check_target(args.output, force=args.force)
    check_reading_options(args)
    return model


def _print_estimate(model: HONEM, corpus: Any, as_json: bool) -> None:
    """Print the memory and time of a fit, without fitting."""
    from honem.cost import estimate

    require_steps(corpus)
    found = estimate(model, corpus)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found)


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def _powers(text: str) -> float | tuple[float, ...]:
    """Parse `0.5` as a number, `1,0.4` as a pair."""
    try:
        numbers = tuple(float(number) for number in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be one or two numbers, such as 0.5 or 1,0.4, not {text!r}") from None
    return numbers[0] if len(numbers) == 1 else numbers
