"""The page: script, style and data in one file that asks nothing of any network."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from honem.embedding import Embedding
from honem.errors import InputError
from honem.explore.content import Options, Source, content_of
from honem.explore.labels import LabelSource
from honem.explore.positions import Projection
from honem.io.atomic import PathLike, atomic_file, check_file_place
from honem.rules import RuleTable

FILE_ROWS = 600_000
"""Rows of rules in a file, about 4 bytes each; `--serve` has no such limit."""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div id="app"><p class="loading" role="status">Reading the map …</p></div>
<noscript>This page draws a map with JavaScript, which is switched off here.</noscript>
{data}
<script>{script}</script>
</body>
</html>
"""


def explore(
    source: PathLike | tuple[Embedding, RuleTable | None, Mapping[str, object]] | Source,
    output: PathLike,
    *,
    labels: LabelSource = None,
    names: str | None = None,
    coordinates: bool = False,
    evaluation: Sequence[Sequence[object]] = (),
    projection: Projection = "auto",
    seed: int = 0,
) -> Path:
    """Write the page of a store, or of an embedding with its rules and manifest; -> its path.

    `labels` is a CSV or TSV file (nodes first) or {column: {node: value}}. Of it `names` is the column to call nodes
    by, and `coordinates` takes the columns lon and lat for the map. `evaluation` are the
    rows of results that `honem.evaluation.results.read_results` reads from a folder of `honem evaluate`.
    """
    check_file_place(output)
    options = Options(labels, names, coordinates, evaluation, projection, seed)
    known = source_of(source)
    text = page_of(known.title, content_of(known, options, FILE_ROWS))
    with atomic_file(output) as file:
        file.write(text.encode())
    return Path(output)


def source_of(given: PathLike | tuple[Embedding, RuleTable | None, Mapping[str, object]] | Source) -> Source:
    """What was given, as a Source."""
    if isinstance(given, Source):
        return given
    return Source(*given) if isinstance(given, tuple) else Source.of_store(Path(given))


def page_of(title: str, parts: Mapping[str, bytes] | None = None) -> str:
    """The text of a page with its data in it; without, a page that asks the server it came from."""
    script, style = static("page.js"), static("page.css")
    blocks = [
        f'<script type="text/plain" id="part-{name}">{base64.b64encode(part).decode()}</script>'
        for name, part in (parts or {}).items()
    ]
    return PAGE.format(
        policy=policy(script, style, served=parts is None),
        title=html.escape(f"{title} · honem"),
        style=style,
        data="\n".join(blocks),
        script=script,
    )


def policy(script: str, style: str, *, served: bool) -> str:
    """Nothing but this script, this style, and pictures made on the spot; a served page may ask its own server."""
    connect = "'self'" if served else "'none'"
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data: blob:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def static(name: str) -> str:
    """A file that was built from web/."""
    try:
        return (files("honem.explore") / "static" / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"this honem has no {name}; build it: cd web && npm ci && npm run build") from None
