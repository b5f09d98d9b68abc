"""Every way in: text, n-grams, event tables and JSON lines, plain, gzip, zstd or from stdin, and what cleans them."""

from __future__ import annotations

from honem.io.paths.frames import clean_corpus, from_events, from_events_with_report
from honem.io.paths.options import Cleaning, EventLayout, JsonLayout, Limits, TextLayout
from honem.io.paths.reading import read_paths, read_paths_with_report
from honem.io.paths.report import InputFile, ReadReport

__all__ = [
    "Cleaning",
    "EventLayout",
    "InputFile",
    "JsonLayout",
    "Limits",
    "ReadReport",
    "TextLayout",
    "clean_corpus",
    "from_events",
    "from_events_with_report",
    "read_paths",
    "read_paths_with_report",
]
