"""`read_paths`: files of paths in any registered format to a Corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from honem._internal.option_names import option
from honem._internal.path_like import PathLike
from honem._internal.progress import Progress
from honem.corpus import Corpus
from honem.errors import CorpusError, InputError, ParameterError
from honem.io.paths.building import CorpusBuilder
from honem.io.paths.cleaning import require_times
from honem.io.paths.options import EventLayout, JsonLayout, ReadOptions
from honem.io.paths.registry import InputFormat, SequenceFormat, TableFormat, format_named, format_with_extension
from honem.io.paths.report import InputFile, ReadReport
from honem.io.paths.settings import Settings
from honem.io.paths.sources import ByteCount, InputSource, Stream, find_sources, require_readable


def read_paths(
    source: PathLike | Iterable[PathLike], *, progress: Progress | None = None, **options: Unpack[ReadOptions]
) -> Corpus:
    r"""Read paths from files.

    Parameters
    ----------
    source : str, os.PathLike or iterable of these
        File, glob pattern or several of them; ``"-"`` is stdin. Files compressed with gzip or zstd are decompressed.
    progress : callable, optional
        Called as ``progress("reading", bytes_read, bytes_in_all_files)``.
    **options
        The format, how it is parsed, cleaning steps and limits; listed below. Cleaning steps are applied in the order
        in which they are listed.

    Returns
    -------
    Corpus

    Other Parameters
    ----------------
    format : str, optional
        Name of the format: "text", "ngram", "csv", "tsv", "parquet", "arrow", "jsonl", "xes", "event-log", "access-log"
        or one that was registered. Default: inferred from the file extension.
    delimiter : str, optional
        Text between two nodes, or character between two columns of a table. Default: runs of ASCII spaces and tabs for
        text, `,` for CSV, a tab for TSV.
    id_column : bool, default=False
        Whether the first field of a line is an id of the sequence, which is left out.
    weighted : bool, default=False
        Whether the last field of a line is the weight of the sequence, a positive whole number.
    comment : str, optional
        Lines that start with this text are skipped. Default: none.
    header : int, default=0
        Number of lines to skip at the start of each file.
    empty : {"error", "skip"}, default="error"
        What to do with an empty field, where nothing is between two delimiters. Skipped fields are counted.
    field : str, optional
        Field of a JSON object, or column of a table, that holds the list of nodes. Default: a line of JSON is a list,
        and a table has one row per visit.
    entity : str, optional
        Column of who moves; each entity becomes one sequence. Required for a table with one row per visit.
    time : str, optional
        Column to sort the visits of an entity by. Default: the rows of an entity stay in their order.
    time_format : str, optional
        Format of written times in the codes of `datetime.strptime`, such as "%d.%m.%Y %H:%M". Default: numbers, ISO
        dates or timestamps.
    time_unit : {"s", "ms", "us", "ns"}, optional
        Unit of numeric times, which are then counted from 1970, so that `max_gap` may have a unit of its own. Default:
        numbers of an unknown unit.
    day_first : bool, default=False
        Whether written times begin with the day: 31/12/2024, 31.12.2024 or 31-12-2024, with or without a time of day.
    node : str, optional
        Column of the place visited. Required for a table with one row per visit unless `lon`, `lat` and `grid` are
        given.
    weight : str, optional
        Field or column of the weight of the sequence; in a table with one row per visit, the same on all rows of an
        entity. Default: weight 1.
    lon, lat : str, optional
        Columns of longitude and latitude, in degrees, for `grid`.
    grid : float or str, optional
        Cells that become nodes: their side in degrees, at least 1e-9 (0.01), or in metres ("500m", "2km"), an H3
        resolution ("h3:8") or a length of geohashes ("geohash:6"). Cells in degrees and metres are named
        `row_column`; rows are counted northwards and columns eastwards from `grid_origin`.
    grid_origin : tuple of float, default=(-180.0, -90.0)
        Longitude and latitude of the corner of cell `0_0`, for cells in degrees and metres.
    missing : {"error", "skip"}, default="error"
        What to do with a row that lacks a value in one of these columns. Skipped rows are counted.
    lowercase : bool, default=False
        Convert names to lower case.
    max_gap : str or float, optional
        Cut a sequence where more than this time passes between two visits: "90s", "30min", "6h", "2d", "1w", or a
        number in the unit of the time column (seconds for timestamps). Default: no cuts.
    back_token : str, optional
        Node that marks a back-click. Requires `back`. Default: none.
    back : {"drop", "replay"}, optional
        How to resolve a back-click: drop the page that was left, or repeat the page that was returned to.
    collapse_repeats : bool, default=False
        Count a node that follows itself once.
    max_length : int, optional
        Cut sequences into pieces of at most this many nodes. Default: no limit.
    min_length : int, optional
        Remove sequences with fewer nodes than this. Default: keep all.
    min_entities : int, optional
        Cut sequences so that every run of nodes that is left is one of at least this many entities, or of as many
        sequences where no column of entities is read. Nodes of fewer entities are removed, times are not kept, and
        equal sequences become one with a weight. Default: no cuts.
    max_nodes : int, default=20_000_000
        Largest number of distinct nodes; more raise CorpusError.
    max_line_bytes : int, default=67_108_864
        Largest number of bytes in one line.
    max_bytes : int, optional
        Largest number of bytes to read, after decompression. Default: no limit.
    max_expansion : int, default=300
        How many times larger than the compressed file its content may be, once it exceeds 64 MiB.

    Raises
    ------
    ParameterError
        If an option is wrong or does not apply to the format; raised before any file is opened.
    InputError
        If a file cannot be read.
    CorpusError
        If there are too many nodes, or cleaning leaves no sequence.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "trips.txt")
    >>> _ = path.write_text("dorm downtown library\nhome downtown office\n")
    >>> read_paths(path)
    Corpus(2 sequences, 6 tokens, 5 nodes, 4 weighted steps)
    """
    return read_paths_with_report(source, progress=progress, **options)[0]


def read_paths_with_report(
    source: PathLike | Iterable[PathLike], *, progress: Progress | None = None, **options: Unpack[ReadOptions]
) -> tuple[Corpus, ReadReport]:
    r"""Read paths from files, and count everything that reading and cleaning did.

    Parameters
    ----------
    source : str, os.PathLike or iterable of these
        File, glob pattern or several of them; ``"-"`` is stdin. Files compressed with gzip or zstd are decompressed.
    progress : callable, optional
        Called as ``progress("reading", bytes_read, bytes_in_all_files)``.
    **options
        All other options of `read_paths`, with the same meanings and defaults.

    Returns
    -------
    corpus : Corpus
    report : ReadReport

    Raises
    ------
    ParameterError
        If an option is wrong or does not apply to the format; raised before any file is opened.
    InputError
        If a file cannot be read.
    CorpusError
        If there are too many nodes, or cleaning leaves no sequence.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "paths.txt")
    ...     _ = file.write_text("home home office\nhome cafe\n")
    ...     corpus, report = read_paths_with_report(file, collapse_repeats=True)
    >>> corpus
    Corpus(2 sequences, 4 tokens, 3 nodes, 2 weighted steps)
    """
    plan = plan_reading(source, options)
    for one in plan.sources:
        require_readable(one)
    tally = ByteCount(plan.sources, progress)
    builder = CorpusBuilder(plan.settings.cleaning, plan.settings.limits)
    if plan.is_table:
        return _read_tables(plan, builder, tally)
    inputs = [_read_sequences(plan, number, builder, tally) for number in range(len(plan.sources))]
    return finish(builder, inputs)


@dataclass(frozen=True)
class ReadingPlan:
    """What will be read and how: the format and the layout of each source."""

    settings: Settings
    sources: tuple[InputSource, ...]
    formats: tuple[InputFormat, ...]
    layouts: tuple[Any, ...]

    @property
    def is_table(self) -> bool:
        """Whether the sources are parts of one table."""
        return isinstance(self.formats[0], TableFormat)


def plan_reading(source: PathLike | Iterable[PathLike], options: Mapping[str, Any]) -> ReadingPlan:
    """Check all options of `read_paths` and infer the formats, without opening a file.

    Parameters
    ----------
    source : str, os.PathLike or iterable of these
        File, glob pattern or several of them.
    options : mapping
        Options of `read_paths`.

    Returns
    -------
    ReadingPlan

    Raises
    ------
    ParameterError
        If an option is wrong, does not apply to the format, or two files cannot be read together.
    """
    settings = Settings.of(options)
    sources = find_sources(source)
    formats = tuple(infer_format(one, settings) for one in sources)
    are_tables = [isinstance(format, TableFormat) for format in formats]
    layouts = tuple(format.layout(settings) for format in formats if all(are_tables) or not any(are_tables))
    if len(layouts) < len(sources) or (all(are_tables) and any(layout != layouts[0] for layout in layouts)):
        raise ParameterError(
            f"these files cannot be read together: {sources[0].shown} ({formats[0].name}), "
            f"{sources[-1].shown} ({formats[-1].name})"
        )
    if settings.cleaning.max_gap is not None:
        # Layouts of other formats may have times of their own.
        require_times(settings.cleaning.max_gap, all(getattr(layout, "has_times", True) for layout in layouts))
    return ReadingPlan(settings, sources, formats, layouts)


def infer_format(source: InputSource, settings: Settings) -> InputFormat:
    """Return the format of one file: the one that was named, or the one inferred from the file extension."""
    if settings.format is not None:
        return format_named(settings.format)
    extension = source.extensions[0]
    if extension == ".json":
        raise ParameterError(
            f"{source.shown}: only JSON lines, with one JSON value per line, can be read: {option('format', 'jsonl')}"
        )
    format = format_with_extension(extension)
    return format if format.resolve is None else format_named(format.resolve(source.shown, settings))


def _read_sequences(plan: ReadingPlan, number: int, builder: CorpusBuilder, tally: ByteCount) -> InputFile:
    """Read one file that is not part of a table."""
    source, format = plan.sources[number], plan.formats[number]
    assert isinstance(format, SequenceFormat)
    before = builder.counts["sequences_read"]
    with Stream(source, plan.settings.limits, tally) as stream:
        for labelled, counts in format.read(stream, plan.layouts[number]):
            builder.counts.update(counts)
            builder.add(labelled)
    builder.counts["files"] += 1
    builder.counts["empty_files"] += builder.counts["sequences_read"] == before
    return InputFile(source.shown, stream.raw.taken, stream.sha256)


def _read_tables(plan: ReadingPlan, builder: CorpusBuilder, tally: ByteCount) -> tuple[Corpus, ReadReport]:
    """Read all files as one table, in which an entity may continue from one file to the next."""
    from honem.io.paths.tables import join_tables

    tables, inputs = [], []
    for source, format, layout in zip(plan.sources, plan.formats, plan.layouts, strict=True):
        assert isinstance(format, TableFormat)
        with Stream(source, plan.settings.limits, tally) as stream:
            tables.append(format.read(stream, layout))
        inputs.append(InputFile(source.shown, stream.raw.taken, stream.sha256))
        builder.counts.update(files=1, empty_files=int(not tables[-1].num_rows))
    table, place = join_tables(tables, [source.shown for source in plan.sources])
    return build_from_table(table, place, plan.layouts[0], builder, inputs)


def build_from_table(
    table: Any,
    place: Callable[[int], str],
    layout: EventLayout | JsonLayout,
    builder: CorpusBuilder,
    inputs: Sequence[InputFile] = (),
) -> tuple[Corpus, ReadReport]:
    """Build the corpus of a table; if nodes are cells of a grid, it has their coordinates, and so has the report."""
    from honem.io.paths.events import read_events
    from honem.io.paths.lists import read_lists
    from honem.io.paths.tables import arrow_errors

    names = ", ".join(one.name for one in inputs) or "the table"
    with arrow_errors(names, "paths"):
        if isinstance(layout, EventLayout):
            labelled, counts = read_events(table, layout, place)
        else:
            labelled, counts = read_lists(table, layout, place)
    builder.counts.update(counts)
    builder.add(labelled)
    corpus, report = finish(builder, inputs)
    if isinstance(layout, EventLayout) and layout.grid is not None:
        centres = layout.cells.centres([str(label) for label in corpus.vocabulary])
        corpus = replace(corpus, vocabulary=replace(corpus.vocabulary, coordinates=centres))
        report = replace(report, coordinates=centres)
    return corpus, report


def finish(builder: CorpusBuilder, inputs: Iterable[InputFile] = ()) -> tuple[Corpus, ReadReport]:
    """Return the corpus and its report; raise InputError or CorpusError if it has no sequence."""
    inputs = tuple(inputs)
    corpus, counts = builder.finish()
    report = replace(ReadReport(inputs=inputs), **dict[str, Any](counts))
    if not report.sequences_read:
        names = ", ".join(one.name for one in inputs[:3]) + (", ..." if len(inputs) > 3 else "") or "the table"
        why = "empty" if not any(one.bytes for one in inputs) else f"without a sequence ({report})"
        raise InputError(f"{names}: {why}; there is nothing to read")
    if not corpus.n_sequences:
        raise CorpusError(f"cleaning left no sequence: {report}")
    return corpus, report
