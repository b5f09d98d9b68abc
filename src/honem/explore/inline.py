"""InlinePage: the page of a model, shown inside a notebook or saved as a file."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from honem._internal.path_like import PathLike
from honem._internal.validation import require_whole
from honem.explore.content import Options, Source, content_of
from honem.explore.page import FILE_MODEL_BYTES, FILE_ROWS, page_of
from honem.io.atomic import atomic_file, check_file_place

SANDBOX = "allow-scripts allow-downloads"
"""What the page may do in a notebook: run its script and save files, but reach neither the notebook nor its server."""


@dataclass(frozen=True, eq=False)
class InlinePage:
    """The page of a model: notebooks show it, `save` writes it to a file.

    Attributes
    ----------
    title : str
        Title of the page.
    parts : mapping of str to bytes
        The data of the page.
    height : int
        Height in a notebook, in pixels.
    """

    title: str
    parts: Mapping[str, bytes] = field(repr=False)
    height: int = 700

    def save(self, path: PathLike) -> Path:
        """Write the page as one HTML file that needs no network access.

        Parameters
        ----------
        path : str or os.PathLike
            File to write. It is written atomically: after an error the previous file is unchanged.

        Returns
        -------
        Path
            The file that was written.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        with atomic_file(path) as file:
            file.write(page_of(self.title, self.parts).encode())
        return Path(path)

    def _repr_html_(self) -> str:
        """Return a frame that contains the whole page, escaped."""
        page = html.escape(page_of(self.title, self.parts, embedded=True))
        style = f"width: 100%; height: {self.height}px; border: 1px solid #8888"
        return (
            f'<iframe title="{html.escape(self.title)}" sandbox="{SANDBOX}" style="{style}" srcdoc="{page}"></iframe>'
        )

    def __repr__(self) -> str:
        size = sum(map(len, self.parts.values())) / 1e6
        return f"InlinePage({self.title!r}, {size:.1f} MB of data; a notebook shows it, save(path) writes it)"


def make_page(source: Source, options: Options, height: int, output: PathLike | None = None) -> InlinePage:
    """Make the page of a source, with as many rules as a file holds, and write it if a file is given."""
    require_whole("height", height, least=1)
    if output is not None:
        check_file_place(output)
    page = InlinePage(source.title, content_of(source, options, FILE_ROWS, FILE_MODEL_BYTES), height)
    if output is not None:
        page.save(output)
    return page


def shown_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters in a form that a page can hold: objects and functions by their text.

    >>> shown_parameters({"tau": None, "n_components": 3, "transforms": ("log_scale",)})
    {'tau': None, 'n_components': 3, 'transforms': "('log_scale',)"}
    """
    is_plain = {name: value is None or isinstance(value, (str, int, float)) for name, value in parameters.items()}
    return {name: value if is_plain[name] else str(value) for name, value in parameters.items()}
