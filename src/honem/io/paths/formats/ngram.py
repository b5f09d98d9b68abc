"""n-grams of pathpy: nodes and a weight, separated by commas."""

from __future__ import annotations

from honem.io.paths.formats.text import read_text_file
from honem.io.paths.options import TextLayout
from honem.io.paths.registry import SequenceFormat, register
from honem.io.paths.settings import Settings


def _layout(settings: Settings) -> TextLayout:
    return settings.layout(TextLayout, "n-gram files", delimiter=",", weighted=True)


register(
    SequenceFormat(
        name="ngram",
        extensions=(".ngram",),
        description="n-grams of pathpy: `a,b,c,12`",
        layouts=(TextLayout,),
        layout=_layout,
        read=read_text_file,
    )
)
