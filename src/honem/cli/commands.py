"""embed, rules, network, info and neighbors."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, get_args

from honem._internal.progress import TerminalProgress
from honem.cli.options import Subparsers, add_extraction_options, add_json_option, extraction_params, new_command
from honem.cli.reading import add_reading_options, read_corpus, read_on_spark
from honem.corpus import Corpus, Vocabulary
from honem.embedding import Score
from honem.embedding.combining import COMBINATIONS
from honem.embedding.order_weights import ORDER_WEIGHTS
from honem.embedding.recipe import PRESETS
from honem.embedding.transforms import TRANSFORMS
from honem.embedding.weighting import WEIGHTINGS
from honem.errors import ParameterError
from honem.io.paths import ReadReport
from honem.rules import ExtractionParams, RuleTable
from honem.rules.engines.base import require_steps

if TYPE_CHECKING:
    from honem.estimator import HONEM
    from honem.rules.engines.distributed import SparkCorpus


def add_commands(subparsers: Subparsers) -> None:
    """The commands that take paths, and those that take what came of them."""
    _add_embed(subparsers)
    _add_rules(subparsers)
    _add_network(subparsers)
    _add_info(subparsers)
    _add_neighbors(subparsers)


def _add_embed(subparsers: Subparsers) -> None:
    parser = new_command(
        subparsers, "embed", "learn vectors from paths", "honem embed paths.txt.gz -o vectors --dim 64 --min-support 5"
    )
    add_reading_options(parser)
    add_extraction_options(parser, on_spark=True)
    group = parser.add_argument_group("vectors")
    group.add_argument("-o", "--output", metavar="DIR", required=True, help="folder to write")
    group.add_argument("--force", action="store_true", help="replace what honem wrote there before")
    group.add_argument("--estimate", action="store_true", help="only tell what memory and time it will take")
    group.add_argument("--dim", type=int, default=128, metavar="D", help="dimensions (default 128)")
    group.add_argument(
        "--preset", choices=tuple(PRESETS), default="evidence", help="default evidence; paper is HONEM to the letter"
    )
    group.add_argument(
        "--weighting", choices=tuple(WEIGHTINGS), help="what a rule contributes (default: that of the preset)"
    )
    group.add_argument(
        "--order-weights", choices=tuple(ORDER_WEIGHTS), help="how orders are weighted (default: that of the preset)"
    )
    group.add_argument(
        "--combination",
        choices=tuple(COMBINATIONS),
        help="how orders are combined (default: maximum with learnt order weights, mean with other given ones, "
        "else that of the preset)",
    )
    group.add_argument(
        "--transforms",
        type=transform_names,
        metavar="T,T",
        help=f"of {', '.join(TRANSFORMS)}; '' is none (default: of the preset)",
    )
    group.add_argument(
        "--spectrum",
        type=powers,
        metavar="P[,Q]",
        help="powers of the singular values in source and target (default: of the preset)",
    )
    group.add_argument(
        "--tilt",
        type=float,
        metavar="T",
        help="-0.5 to 0.5: above 0 sources are told apart better, below 0 targets (default: of the preset)",
    )
    group.add_argument(
        "--rank-share",
        type=float,
        metavar="R",
        help="dimensions used at most, as a share of the nodes (default: of the preset)",
    )
    group.add_argument("--solver", choices=("auto", "dense", "lanczos", "randomized"), default="auto", help="SVD")
    group.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")
    add_json_option(parser)
    parser.set_defaults(run=embed)


def embed(args: argparse.Namespace) -> None:
    """Paths to a folder of vectors, nodes, rules and a manifest."""
    from honem.estimator import HONEM
    from honem.io.store import check_target, save

    check_target(args.output, force=args.force)
    if args.estimate and args.engine == "spark":
        raise ParameterError("--estimate measures the local engine; leave out --engine spark")
    check_engine_options(args)
    started = time.perf_counter()
    model = HONEM(
        args.dim,
        **asdict(extraction_params(args)),
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
    model.plan()  # refuses bad parameters before any file is read
    with opened_corpus(args) as (corpus, input_facts):
        read = time.perf_counter()
        if args.estimate:
            tell_estimate(model, corpus, args.json)
            return
        model.fit(corpus)
    timings = {"read": read - started, "fit": time.perf_counter() - read}
    facts = {**corpus_facts(corpus), **rule_facts(model.rules_), "seconds": timings, "input": input_facts}
    parameters = {name: value for name, value in model.get_params().items() if name not in ("n_jobs", "verbose")}
    recipe = model.recipe_.to_dict()
    parameters |= recipe
    save(
        args.output,
        model.embedding_,
        model.rules_,
        recipe=recipe,
        parameters=parameters,
        facts=facts,
        force=args.force,
    )
    say(f"{args.output}: {len(model.embedding_)} nodes in {args.dim} dimensions from {model.rules_.n_rules} rules")
    if args.json:
        print_json(facts)


def transform_names(text: str) -> tuple[str, ...]:
    """`damp,both_ways` as a tuple."""
    return tuple(filter(None, text.split(",")))


def powers(text: str) -> float | tuple[float, ...]:
    """`0.5` as a number, `1,0.4` as a pair."""
    numbers = tuple(float(number) for number in text.split(","))
    return numbers[0] if len(numbers) == 1 else numbers


def tell_estimate(model: HONEM, corpus: Any, as_json: bool) -> None:
    """Memory and time of a fit, without it."""
    from honem.cost import estimate

    require_steps(corpus)
    found = estimate(model, corpus)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found)


def _add_rules(subparsers: Subparsers) -> None:
    parser = new_command(
        subparsers, "rules", "find the histories that change what comes next", "honem rules paths.txt -o rules.csv"
    )
    add_reading_options(parser)
    add_extraction_options(parser, on_spark=True)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help=".jsonl, .csv, .parquet, .ngram; - is JSON lines on stdout",
    )
    parser.set_defaults(run=rules)


def rules(args: argparse.Namespace) -> None:
    """Paths to rules."""
    from honem.io.formats.rules import check_rules_path, write_rules

    check_rules_path(args.output)
    check_engine_options(args)
    params = extraction_params(args)
    with opened_corpus(args) as (corpus, _):
        table = extract(corpus, params, args)
    write_rules(table, args.output)
    say(f"{table.n_rules} rules, {len(table)} rows; by order: {shown_orders(table)}")


def _add_network(subparsers: Subparsers) -> None:
    parser = new_command(
        subparsers, "network", "build a network of the paths", "honem network paths.txt --kind hon -o edges.csv"
    )
    add_reading_options(parser)
    add_extraction_options(parser)
    parser.add_argument(
        "--kind", choices=("hon", "fon"), default="hon", help="higher-order (of the rules) or first-order (default hon)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help=".csv, .graphml, .gexf or .net")
    parser.set_defaults(run=network)


def network(args: argparse.Namespace) -> None:
    """Paths to a network."""
    from honem.io.formats.networks import check_network_path, write_network
    from honem.network import first_order_network, higher_order_network

    check_network_path(args.output)
    params = extraction_params(args)
    if args.kind == "fon":
        built = first_order_network(read_with_progress(args)[0])
    else:
        built = higher_order_network(extract(read_with_progress(args)[0], params, args))
    write_network(built, args.output)
    say(f"{args.output}: {built.n_nodes} nodes, {built.n_edges} edges")


def _add_info(subparsers: Subparsers) -> None:
    parser = new_command(
        subparsers,
        "info",
        "tell what is in paths, and how far back they depend",
        "honem info paths.txt --json",
    )
    add_reading_options(parser)
    add_extraction_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=info)


def info(args: argparse.Namespace) -> None:
    """Sizes of the corpus and of both networks."""
    params = extraction_params(args)
    corpus = read_with_progress(args)[0]
    table = extract(corpus, params, args)
    facts = corpus_facts(corpus) | rule_facts(table) | network_facts(corpus, table)
    if args.json:
        print_json(facts)
        return
    first, higher = facts["first_order_network"], facts["higher_order_network"]
    lines = {
        "sequences": f"{facts['sequences']:,}",
        "steps": f"{facts['steps']:,}" + (f" ({facts['weighted_steps']:,} weighted)" if corpus.is_weighted else ""),
        "nodes": f"{facts['nodes']:,}",
        "first-order network": shown_sizes(first),
        "higher-order network": f"{shown_sizes(higher)}, gamma {facts['gamma']:.2f}",
        "highest order": facts["max_order"],
        "rules by order": shown_orders(table),
    }
    for name, value in lines.items():
        print(f"{name:22}{value}")


def _add_neighbors(subparsers: Subparsers) -> None:
    parser = new_command(subparsers, "neighbors", "list the nodes nearest to one", "honem neighbors vectors Paris -n 5")
    parser.add_argument("directory", metavar="DIR", help="a folder that `honem embed` wrote")
    parser.add_argument("node", metavar="NODE")
    parser.add_argument("-n", type=int, default=10, metavar="N", help="how many (default 10)")
    parser.add_argument("--space", choices=get_args(Score), default="cosine", help="how to compare (default cosine)")
    add_json_option(parser)
    parser.set_defaults(run=neighbors)


def neighbors(args: argparse.Namespace) -> None:
    """The nearest nodes of one."""
    from honem.io.store import load

    embedding = load(args.directory, with_rules=False).embedding
    node = known_label(args.node, embedding.vocabulary)
    found = embedding.neighbors(node, args.n, space=args.space)
    if args.json:
        print_json({"node": node, "space": args.space, "neighbors": [neighbor._asdict() for neighbor in found]})
        return
    for neighbor in found:
        print(f"{neighbor.score:.6f}\t{neighbor.node}")


def known_label(text: str, vocabulary: Vocabulary) -> Hashable:
    """The node a text stands for: labels that are numbers in the store are text in a shell."""
    return next((label for label in (text, as_number(text)) if label in vocabulary), text)


def as_number(text: str) -> int | None:
    """The whole number a text stands for, if it does."""
    return int(text) if text.lstrip("-").isascii() and text.lstrip("-").isdigit() else None


def read_with_progress(args: argparse.Namespace) -> tuple[Corpus, ReadReport]:
    """The corpus of the paths given, and what reading did to it, told on stderr."""
    with TerminalProgress() as progress:
        corpus, report = read_corpus(args, progress)
    say(str(report))
    return corpus, report


def check_engine_options(args: argparse.Namespace) -> None:
    """Raise ParameterError for options that the chosen engine does not have."""
    if args.engine != "spark" and args.master is not None:
        raise ParameterError(f"--master {args.master} goes with --engine spark")
    if args.engine == "spark" and args.threads is not None:
        raise ParameterError("--threads is for the local engine; the master of Spark says how many cores")


@contextmanager
def opened_corpus(args: argparse.Namespace) -> Iterator[tuple[Corpus | SparkCorpus, dict[str, Any]]]:
    """The corpus of the paths given, here or on Spark, and the facts of reading it."""
    if args.engine != "spark":
        corpus, report = read_with_progress(args)
        yield corpus, report.to_dict()
        return
    with read_on_spark(args) as there:
        say(f"{there.n_sequences} sequences, {there.n_nodes} nodes")
        yield there, {"paths": args.paths}


def extract(corpus: Any, params: ExtractionParams, args: argparse.Namespace) -> RuleTable:
    """The rules of a corpus, which is where the engine wants it."""
    from honem.rules.engines import make_engine

    with TerminalProgress() as progress:
        return make_engine(args.engine, args.threads, progress).extract_rules(corpus, params)


def corpus_facts(corpus: Corpus | SparkCorpus) -> dict[str, Any]:
    """How much there is to learn from."""
    return {
        "sequences": corpus.n_sequences,
        "steps": corpus.n_steps,
        "weighted_steps": corpus.n_weighted_steps,
        "nodes": corpus.n_nodes,
    }


def rule_facts(table: RuleTable) -> dict[str, Any]:
    """How far back the next step depends."""
    accepted = table.select(table.accepted)
    return {
        "max_order": table.max_order,
        "rules": table.n_rules,
        "rules_by_order": table.rules_by_order,
        "accepted_by_order": accepted.rules_by_order,
    }


def network_facts(corpus: Corpus, table: RuleTable) -> dict[str, Any]:
    """Sizes of both networks."""
    from honem.network import first_order_network, higher_order_network

    first, higher = first_order_network(corpus), higher_order_network(table)
    return {
        "first_order_network": first.sizes(),
        "higher_order_network": higher.sizes(),
        "gamma": higher.n_edges / first.n_edges,
    }


def shown_sizes(sizes: dict[str, Any]) -> str:
    """The sizes of a network in words."""
    return f"{sizes['nodes']:,} nodes, {sizes['edges']:,} edges, mean in-degree {sizes['mean_in_degree']:.2f}"


def shown_orders(table: RuleTable) -> str:
    """How many rules there are of each order, in words."""
    return ", ".join(f"{order}: {amount:,}" for order, amount in table.rules_by_order.items()) or "none"


def print_json(facts: dict[str, Any]) -> None:
    """Facts for scripts, on stdout."""
    print(json.dumps(facts, indent=2, ensure_ascii=False))


def say(words: str) -> None:
    """Words for people, on stderr."""
    print(words, file=sys.stderr)
