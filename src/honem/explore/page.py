"""The page: script, style and data in one file that needs no network access."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from honem._internal.path_like import PathLike
from honem.embedding import Embedding
from honem.embedding.projection import Projection
from honem.explore.content import Options, Source, content_of, known_recipe
from honem.explore.static_files import static
from honem.io.atomic import atomic_file, check_file_place
from honem.io.node_labels import LabelSource
from honem.rules import RuleTable

FILE_ROWS = 600_000
"""Maximum number of rows of rules in a file, at about 4 bytes each; `--serve` has no such limit."""
FILE_MODEL_BYTES = 16_000_000
"""Maximum size of the next-step model in a file, before it is compressed to about two thirds."""

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
{prelude}<script>{script}</script>
</body>
</html>
"""

WITHOUT_ADDRESS = "for (const name of ['pushState', 'replaceState']) history[name] = () => {};"
"""Script for a page inside another document, whose address is not its own and cannot hold its state."""


def explore(
    source: PathLike | tuple[Embedding, RuleTable | None, Mapping[str, Any]] | Source,
    output: PathLike,
    *,
    labels: LabelSource | None = None,
    names: str | None = None,
    coordinates: bool | None = None,
    evaluation: Sequence[Sequence[object]] = (),
    projection: Projection = "auto",
    seed: int = 0,
) -> Path:
    """Write a page that shows an embedding and its rules.

    Parameters
    ----------
    source : path-like, tuple or Source
        A folder of `honem embed`, or (embedding, rules, manifest).
    output : path-like
        The HTML file to write.
    labels : path-like, data frame, mapping or None, default=None
        Facts about nodes, by which the page can colour them: a CSV, TSV or Parquet file or a table in memory with the
        node in the first column, or a mapping {column: {node: value}}. None means those of the model, if it has any.
    names : str, optional
        The column of the labels with the names to show. By default, that of the model, or the column `name`; without
        one, nodes are shown by their own labels.
    coordinates : bool or None, default=None
        Whether to show nodes on a map of the world, by the columns lon and lat of the labels. The projection of their
        vectors is then a second view. None means that a map is shown if there are coordinates.
    evaluation : sequence of rows, default=()
        Results that `honem.evaluation.results.read_results` read from a folder of `honem evaluate`.
    projection : {"auto", "tsne", "pca"}, default="auto"
        How vectors are projected to the plane. "auto" is t-SNE for up to 30,000 nodes if openTSNE is installed, and
        PCA otherwise.
    seed : int, default=0
        Seed of t-SNE and of the communities.

    Returns
    -------
    Path
        The file that was written.

    Raises
    ------
    InputError
        If the folder or the labels cannot be read.
    OutputError
        If the page cannot be written.
    ParameterError
        If an option is invalid, or the labels lack a column or describe none of the nodes.
    """
    check_file_place(output)
    options = Options(labels, names, coordinates, evaluation, projection, seed)
    known = source_of(source)
    text = page_of(known.title, content_of(known, options, FILE_ROWS, FILE_MODEL_BYTES))
    with atomic_file(output) as file:
        file.write(text.encode())
    return Path(output)


def source_of(given: PathLike | tuple[Embedding, RuleTable | None, Mapping[str, Any]] | Source) -> Source:
    """Return the argument as a Source; a path is loaded."""
    if isinstance(given, Source):
        return given
    if not isinstance(given, tuple):
        return Source.of_store(Path(given))
    embedding, rules, manifest = given
    return Source(embedding, rules, manifest, recipe=known_recipe(manifest.get("recipe")))


def page_of(title: str, parts: Mapping[str, bytes] | None = None, *, embedded: bool = False) -> str:
    """Return the HTML of a page that contains its data, or without data requests it from its server.

    A page that is embedded in another document does not record what it shows in the address.
    """
    script, style = static("page.js"), static("page.css")
    preludes = [WITHOUT_ADDRESS] if embedded else []
    blocks = [
        f'<script type="text/plain" id="part-{name}">{base64.b64encode(part).decode()}</script>'
        for name, part in (parts or {}).items()
    ]
    return PAGE.format(
        policy=policy(script, style, *preludes, served=parts is None),
        title=html.escape(f"{title} · honem"),
        style=style,
        data="\n".join(blocks),
        prelude="".join(f"<script>{prelude}</script>\n" for prelude in preludes),
        script=script,
    )


def policy(script: str, style: str, *more_scripts: str, served: bool) -> str:
    """Return a content security policy that allows these scripts, this style and generated images only.

    A served page may also request data from its own server.
    """
    connect = "'self'" if served else "'none'"
    scripts = " ".join(f"'{_hash(one)}'" for one in (script, *more_scripts))
    return (
        f"default-src 'none'; script-src {scripts}; style-src '{_hash(style)}'; img-src data: blob:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
