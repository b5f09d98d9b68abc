"""Colours on terminals: none in pipes and files, with NO_COLOR set (https://no-color.org), or where TERM is dumb."""

from __future__ import annotations

import os
import re
from typing import TextIO

STYLES = {"bold": "1", "red": "1;31", "yellow": "33"}
HEADING = re.compile(r"^(?!\s)(usage:|[^\n:]+:$)", re.MULTILINE)


def has_colour(stream: TextIO) -> bool:
    """Return whether text written to a stream may be coloured."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def painted(text: str, style: str, stream: TextIO) -> str:
    """Return a text in a style, if the stream shows colours."""
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if has_colour(stream) else text


def with_bold_headings(text: str, stream: TextIO) -> str:
    """Return the text of a help page with bold headings, if the stream shows colours."""
    return HEADING.sub(lambda found: painted(found[0], "bold", stream), text)
