"""Options of every command that extracts rules, and the extraction itself."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any, get_args

from honem._internal.progress import TerminalProgress
from honem._internal.validation import MOST_THREADS
from honem.cli.options import whole_number
from honem.embedding.recipe import preset_criterion
from honem.errors import ParameterError
from honem.rules import ExtractionParams, LowerOrders, RuleTable, Support
from honem.rules.criteria import CRITERIA, Counting
from honem.rules.engines import ENGINES, require_engine

ON_CLUSTERS = "spark"


def add_extraction_options(parser: argparse.ArgumentParser, on_spark: bool = False, has_preset: bool = False) -> None:
    """Add the options of rule extraction; some commands can also extract rules on Spark, or take a preset."""
    group = parser.add_argument_group("rules")
    group.add_argument(
        "--min-support", type=whole_number(1), default=1, metavar="N", help="minimum support of a rule (default 1)"
    )
    group.add_argument(
        "--support",
        choices=get_args(Support),
        default="context",
        help="what --min-support applies to: a whole context, or each transition as in pyHON (default context)",
    )
    group.add_argument(
        "--criterion",
        choices=tuple(CRITERIA),
        help="what makes a context accepted: significance bounds the share of rules that are due to chance, divergence "
        f"is HON+ (default significance{', or divergence with --preset paper' if has_preset else ''})",
    )
    group.add_argument(
        "--alpha",
        type=float,
        metavar="A",
        help="with --criterion significance: false discovery rate, between 0 and 1 (default 0.05)",
    )
    group.add_argument(
        "--count",
        choices=get_args(Counting),
        default="occurrences",
        help="what is one observation when evidence is computed: each occurrence of a context, or only the first one "
        "in each sequence (default occurrences)",
    )
    group.add_argument(
        "--tau",
        type=float,
        metavar="T",
        help="with --criterion divergence: factor of the threshold; smaller values accept more contexts (default 1)",
    )
    group.add_argument("--max-order", type=whole_number(1), metavar="K", help="maximum order (default: no limit)")
    group.add_argument(
        "--lower-orders",
        choices=get_args(LowerOrders),
        default="all",
        help="which contexts are kept besides the accepted ones: all sub-contexts, only their prefixes "
        "(significant), or those that HON keeps (default all)",
    )
    engines = [engine for engine in ENGINES if on_spark or engine != ON_CLUSTERS]
    group.add_argument("--engine", choices=engines, default="local", help="how rules are extracted (default local)")
    if on_spark:
        group.add_argument("--master", metavar="URL", help="Spark master for --engine spark, such as local[4] or yarn")
    group.add_argument("--threads", type=_thread_count, metavar="N", help="number of threads (default: all cores)")


def extraction_params(args: argparse.Namespace) -> ExtractionParams:
    """Return the parameters of rule extraction; raise ParameterError if they, or the engine's options, are wrong."""
    _check_engine(args)
    options = {option.name: getattr(args, option.name) for option in fields(ExtractionParams)}
    if options["criterion"] is None:
        options["criterion"] = preset_criterion(getattr(args, "preset", "evidence"))
    return ExtractionParams(**options)


def _check_engine(args: argparse.Namespace) -> None:
    if getattr(args, "master", None) is not None and args.engine != ON_CLUSTERS:
        raise ParameterError(f"--master {args.master} applies only to --engine spark")
    require_engine(args.engine, args.threads)


def extract(corpus: Any, params: ExtractionParams, args: argparse.Namespace) -> RuleTable:
    """Extract the rules of a corpus with the chosen engine."""
    from honem.rules.engines import make_engine

    with TerminalProgress() as progress:
        return make_engine(args.engine, args.threads, progress).extract_rules(corpus, params)


def _thread_count(text: str) -> int:
    return -1 if text == "-1" else whole_number(1, MOST_THREADS)(text)
