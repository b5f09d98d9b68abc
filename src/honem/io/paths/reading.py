"""`read_paths`: any file of paths to a Corpus, its format told from its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

from honem._internal.progress import Progress
from honem.corpus import Corpus
from honem.errors import CorpusError, InputError, ParameterError
from honem.io.paths.building import CorpusBuilder
from honem.io.paths.json_lines import read_json_lines
from honem.io.paths.lines import read_line_chunks
from honem.io.paths.options import EventLayout, Format, JsonLayout, ReadOptions, Settings, TextLayout
from honem.io.paths.report import InputFile, ReadReport
from honem.io.paths.sources import PathLike, Source, Stream, Tally, find_sources
from honem.io.paths.text import Parsed, read_text

ENDINGS: dict[str, Format] = {
    ".ngram": "ngram",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
TABLES = frozenset(("csv", "tsv", "parquet", "arrow"))


def read_paths(
    source: PathLike | Iterable[PathLike], *, progress: Progress | None = None, **options: Unpack[ReadOptions]
) -> Corpus:
    """The corpus in a file, in several, or in those that a glob matches; `"-"` is stdin.

    The format is told from the name (`.txt`, `.ngram`, `.csv`, `.tsv`, `.parquet`, `.arrow`, `.feather`, `.jsonl`; each
    also with `.gz` or `.zst`) unless `format` says it. The options are the fields of TextLayout, JsonLayout,
    EventLayout, Cleaning and Limits, which explain them; one that the format has no use for is an error.
    """
    return read_paths_with_report(source, progress=progress, **options)[0]


def read_paths_with_report(
    source: PathLike | Iterable[PathLike], *, progress: Progress | None = None, **options: Unpack[ReadOptions]
) -> tuple[Corpus, ReadReport]:
    """As `read_paths`, with the counts of everything that reading and cleaning did."""
    settings = Settings.of(options)
    sources = find_sources(source)
    kinds = [tell_format(one, settings) for one in sources]
    tally = Tally(sources, progress)
    builder = CorpusBuilder(settings.cleaning, settings.limits)
    if not TABLES.isdisjoint(kinds):
        return _read_tables(sources, kinds, settings, builder, tally)
    inputs = [_read_lines(one, kind, settings, builder, tally) for one, kind in zip(sources, kinds, strict=True)]
    return finish(builder, inputs)


def tell_format(source: Source, settings: Settings) -> Format:
    """The format of one file: the one asked for, or the one its name tells."""
    if settings.format is not None:
        return settings.format
    ending, is_table = source.endings[0], settings.given.get("entity") is not None
    kind = ENDINGS.get(ending, "text")
    if ending == ".json":
        raise ParameterError(f"{source.shown}: one JSON value a line is format='jsonl'; other JSON cannot be read")
    if kind in ("csv", "tsv") and not is_table:
        if settings.given.get("delimiter") is None:
            raise ParameterError(
                f"{source.shown} can be a table of visits (say which columns are entity and node) "
                "or one sequence a line (say the delimiter)"
            )
        return "text"
    if kind == "text" and is_table:
        raise ParameterError(f"{source.shown}: entity is a column of a table; say which format it has, such as 'csv'")
    return kind


def _read_lines(source: Source, kind: Format, settings: Settings, builder: CorpusBuilder, tally: Tally) -> InputFile:
    before = builder.counts["sequences_read"]
    with Stream(source, settings.limits, tally) as stream:
        for labelled, counts in _parse(stream, kind, settings):
            builder.counts.update(counts)
            builder.add(labelled)
    builder.counts["files"] += 1
    builder.counts["empty_files"] += builder.counts["sequences_read"] == before
    return InputFile(source.shown, stream.raw.taken, stream.sha256)


def _parse(stream: Stream, kind: Format, settings: Settings) -> Iterator[Parsed]:
    chunks = read_line_chunks(stream)
    if kind == "jsonl":
        return read_json_lines(chunks, settings.layout(JsonLayout, "JSON lines"))
    if kind == "ngram":
        return read_text(chunks, settings.layout(TextLayout, "n-gram files", delimiter=",", weighted=True))
    return read_text(chunks, settings.layout(TextLayout, "text"))


def _read_tables(
    sources: Sequence[Source], kinds: Sequence[Format], settings: Settings, builder: CorpusBuilder, tally: Tally
) -> tuple[Corpus, ReadReport]:
    """Several files are one table: an entity goes on from one to the next."""
    if not TABLES.issuperset(kinds):
        raise ParameterError(f"tables and lines cannot be read together: {sources[0].shown}, {sources[-1].shown}")
    from honem.io.paths.tables import join_tables, read_table

    layout = table_layout(settings)
    tables, inputs = [], []
    for source, kind in zip(sources, kinds, strict=True):
        with Stream(source, settings.limits, tally) as stream:
            tables.append(read_table(stream, kind, layout.columns, getattr(layout, "delimiter", None)))
        inputs.append(InputFile(source.shown, stream.raw.taken, stream.sha256))
        builder.counts.update(files=1, empty_files=int(not tables[-1].num_rows))
    table, place = join_tables(tables, [source.shown for source in sources])
    return build_from_table(table, place, layout, builder, inputs)


def table_layout(settings: Settings) -> EventLayout | JsonLayout:
    """The options as the layout of a table: one row a visit, or with `field` one row a sequence."""
    if settings.given.get("field") is not None:
        return settings.layout(JsonLayout, "tables with one sequence a row")
    if settings.given.get("entity") is None:
        raise ParameterError(
            "a table needs entity and node (one row a visit), or field (one row a sequence, as a list)"
        )
    return settings.layout(EventLayout, "event tables")


def build_from_table(
    table: Any,
    place: Callable[[int], str],
    layout: EventLayout | JsonLayout,
    builder: CorpusBuilder,
    inputs: Iterable[InputFile] = (),
) -> tuple[Corpus, ReadReport]:
    """The corpus in a table, and where its nodes are if they are cells of a grid."""
    from honem.io.paths.events import read_events
    from honem.io.paths.grid import cell_centres
    from honem.io.paths.lists import read_lists

    if isinstance(layout, EventLayout):
        labelled, counts = read_events(table, layout, place)
    else:
        labelled, counts = read_lists(table, layout, place)
    builder.counts.update(counts)
    builder.add(labelled)
    corpus, report = finish(builder, inputs)
    if isinstance(layout, EventLayout) and layout.grid is not None:
        centres = cell_centres([str(label) for label in corpus.vocabulary], layout.grid_origin, layout.grid)
        report = replace(report, coordinates=centres)
    return corpus, report


def finish(builder: CorpusBuilder, inputs: Iterable[InputFile] = ()) -> tuple[Corpus, ReadReport]:
    """The corpus and its report; a corpus with nothing in it is an error that says why."""
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
