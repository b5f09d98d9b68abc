"""Readers of path data: text, n-grams, event tables and JSON lines, plain or compressed, and cleaning."""

from __future__ import annotations

import honem.io.paths.formats  # noqa: F401, registers the formats
from honem.io.paths.databases import from_query, from_query_with_report
from honem.io.paths.event_logs import from_pm4py
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
    "from_pm4py",
    "from_query",
    "from_query_with_report",
    "read_paths",
    "read_paths_with_report",
]
