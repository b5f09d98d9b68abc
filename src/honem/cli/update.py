"""`honem update`: add paths to a stored model."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from honem._internal.words import amount
from honem.cli.ages import add_age_options, check_age_options
from honem.cli.options import Subparsers, add_json_option, add_store_argument, new_command, whole_number
from honem.cli.output import corpus_facts, errors_about, print_json, rule_facts
from honem.cli.reading import add_reading_options, check_reading_options, given_options, read_with_progress
from honem.cli.streams import say, show
from honem.corpus import Corpus
from honem.errors import InputError, ParameterError
from honem.io.atomic import real_place
from honem.io.paths import read_paths
from honem.io.paths.options import MIB, Limits, ReadOptions
from honem.io.paths.registry import DEFAULT_FORMAT, TableFormat, format_named
from honem.io.paths.sources import MAGIC, standard_input

if TYPE_CHECKING:
    from honem.embedding.alignment import Movement
    from honem.estimator import HONEM

STDIN = "-"
BATCH, BATCH_BYTES = 10_000, 64 * MIB
OF_WHOLE_INPUT = ("entity", "time", "node", "header", "grid")
"""Options of tables, whose rows are related to each other, so that they cannot be read in batches of lines."""


def add_command(subparsers: Subparsers) -> None:
    """Add `honem update`."""
    parser = new_command(subparsers, "update", "add paths to a stored model", "honem update vectors new_paths.txt")
    add_store_argument(parser)
    add_reading_options(parser)
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="DIR", help="folder to write (default: replace the model)")
    group.add_argument("--force", action="store_true", help="replace a folder that honem wrote before")
    group.add_argument(
        "--batch",
        metavar="N",
        type=whole_number(1),
        default=BATCH,
        help=f"from stdin: lines after which the model is updated and saved (default {BATCH}; or after 64 MiB)",
    )
    add_age_options(parser, "; also in later updates")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Read paths, update the model, and save it; paths from stdin in batches."""
    from honem.estimator import HONEM
    from honem.io.store import check_target

    _check_options(args)
    output = args.output or args.directory
    with errors_about("--output" if args.output else "DIR"):
        check_target(output, force=args.force or not args.output)
    loaded = HONEM.load(args.directory)
    loaded._known_paths()
    is_from_stdin = args.paths == [STDIN]
    corpora = stdin_batches(args, standard_input()) if is_from_stdin else iter((read_with_progress(args)[0],))
    # Whether the folder that is written is the one that was read; after the first batch it is.
    is_in_place = real_place(output) == real_place(args.directory)
    for number, corpus in enumerate(corpora):
        add(args, corpus, HONEM.load(output) if number else loaded, output, is_in_place or number > 0)


def add(args: argparse.Namespace, corpus: Corpus, model: HONEM, output: str, is_in_place: bool) -> None:
    """Add paths to a loaded model and save it; if another process has changed the stored one, add them to that."""
    from honem.io.store_folder import StoreChangedError

    force = args.force or is_in_place
    while True:
        with_next_step = model.stored_next_step() is not None
        movement = model.update(corpus, half_life=args.half_life, window=args.window)
        facts = {**model_facts(model), "movement": movement.to_dict()}
        try:
            model.save(output, facts=facts, with_next_step=with_next_step, force=force, if_unchanged=is_in_place)
        except StoreChangedError:
            say(f"{output} was changed by another process; adding the paths to what it holds now")
            model = type(model).load(output)
            continue
        _report(args, output, corpus, facts, movement)
        return


def _check_options(args: argparse.Namespace) -> None:
    """Raise ParameterError if an option is wrong, before anything is read."""
    check_reading_options(args)
    check_age_options(args)
    given = given_options(args)
    if args.paths != [STDIN]:
        return
    for name in OF_WHOLE_INPUT:
        if name in given:
            raise ParameterError(f"--{name} needs the whole input, but stdin is read in batches; name a file instead")
    if isinstance(format_named(given.get("format", DEFAULT_FORMAT)), TableFormat):
        raise ParameterError(
            f"--format {given['format']} needs the whole input, but stdin is read in batches; name a file instead"
        )


def stdin_batches(args: argparse.Namespace, stream: IO[bytes]) -> Iterator[Corpus]:
    """Yield the paths of so many lines at a time, or fewer if they are long, as they arrive."""
    options = cast(ReadOptions, given_options(args))
    most, n_bytes = options.get("max_bytes"), 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "batch"
        for number, lines in enumerate(_batches_of_lines(stream, args.batch, _longest_line(options)), 1):
            if number == 1 and lines[0].startswith(tuple(MAGIC)):
                raise InputError("stdin is compressed, and cannot be read in batches of lines; decompress it first")
            n_bytes += sum(map(len, lines))
            if most is not None and n_bytes > most:
                raise InputError(
                    f"stdin holds more than --max-bytes = {most} bytes; raise --max-bytes if that is right"
                )
            place.write_bytes(b"".join(lines))
            try:
                yield read_paths(place, **options)
            except InputError as error:
                raise InputError(str(error).replace(str(place), f"stdin, batch {number}")) from None


def _batches_of_lines(stream: IO[bytes], n_lines: int, longest: int) -> Iterator[list[bytes]]:
    """Yield so many lines at a time, or as many as have 64 MiB; a line that is too long is not read to its end."""
    lines: list[bytes] = []
    n_bytes = 0
    while line := stream.readline(longest + 2):
        lines.append(line)
        n_bytes += len(line)
        if len(lines) == n_lines or n_bytes > BATCH_BYTES or len(line) > longest + 1:
            yield lines
            lines, n_bytes = [], 0
    if lines:
        yield lines


def _longest_line(options: ReadOptions) -> int:
    return options.get("max_line_bytes", Limits().max_line_bytes)


def model_facts(model: HONEM) -> dict[str, object]:
    """Return the sizes of a model that was updated."""
    assert model._paths is not None
    return {**corpus_facts(model._paths), **rule_facts(model.rules_)}


def _report(
    args: argparse.Namespace, output: str, corpus: Corpus, facts: dict[str, object], movement: Movement
) -> None:
    """Say what was added, and how far vectors moved."""
    say(f"{output}: added {amount(corpus.n_sequences, 'sequence')}; {facts['sequences']:,} now")
    if args.json:
        print_json(facts)
    else:
        show(movement)
