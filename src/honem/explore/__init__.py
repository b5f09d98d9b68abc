"""Write or serve a self-contained page that shows an embedding and the rules behind it."""

from __future__ import annotations

from honem.explore.content import Source, content_of
from honem.explore.inline import InlinePage
from honem.explore.page import explore, page_of
from honem.explore.server import PageServer

__all__ = ["InlinePage", "PageServer", "Source", "content_of", "explore", "page_of"]
