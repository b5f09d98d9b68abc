"""`honem snapshots`: a series of models, one per day, month or year, with vectors that can be compared."""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path
from typing import get_args

from honem.cli.embed import add_recipe_options, checked_model
from honem.cli.extraction import add_extraction_options
from honem.cli.options import Subparsers, new_command
from honem.cli.output import corpus_facts, rule_facts
from honem.cli.reading import add_reading_options, read_with_progress
from honem.cli.streams import say
from honem.corpus import Corpus
from honem.errors import CorpusError, HonemWarning
from honem.io.atomic import as_output_error, real_place
from honem.periods import Every, split_by_period


def add_command(subparsers: Subparsers) -> None:
    """Add `honem snapshots`."""
    parser = new_command(
        subparsers,
        "snapshots",
        "learn one model per day, month or year",
        "honem snapshots calls.csv --entity ship --time date --node port --every month -o series",
    )
    add_reading_options(parser)
    add_extraction_options(parser, on_spark=False, has_preset=True)
    group = parser.add_argument_group("output")
    group.add_argument("--every", choices=get_args(Every), default="month", help="length of a period (default month)")
    group.add_argument("-o", "--output", metavar="DIR", required=True, help="folder to write, one model per period")
    add_recipe_options(parser.add_argument_group("vectors; pieces that are not given are those of the preset"))
    parser.set_defaults(run=run, estimate=False, force=False, half_life=None, window=None)


def run(args: argparse.Namespace) -> None:
    """Read paths, fit a model to each period, and save the series as a whole."""
    model = checked_model(args)
    corpus, _ = read_with_progress(args)
    periods = with_steps(corpus, args.every)
    place = real_place(args.output)
    with as_output_error(args.output), tempfile.TemporaryDirectory(dir=place.parent) as staging:
        series = Path(staging) / "series"
        series.mkdir()
        for number, (name, part) in enumerate(periods):
            movement = model.refit(part) if number else None
            if movement is None:
                model.fit(part)
            facts = {**corpus_facts(part), **rule_facts(model.rules_)}
            if movement is not None:
                facts["movement"] = movement.to_dict()
            model.save(series / name, facts=facts)
            say(f"{name}: {part.n_sequences:,} sequences{'' if movement is None else f'; {movement}'}")
        series.rename(place)


def with_steps(corpus: Corpus, every: Every) -> list[tuple[str, Corpus]]:
    """Return the periods that have a step; warn of the others."""
    found = []
    for name, part in split_by_period(corpus, every):
        if part.n_steps:
            found.append((name, part))
        else:
            warnings.warn(f"left out {name}, in which no sequence has two nodes", HonemWarning, stacklevel=2)
    if not found:
        raise CorpusError("nothing to learn from: no sequence has two nodes")
    return found
