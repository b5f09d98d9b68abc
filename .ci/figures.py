"""Run pages of the documentation, and put the figures that they save into docs/images, in the style of the site.

python .ci/figures.py docs/tutorials/*.md docs/gallery.md docs/get-started.md
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

import matplotlib.style

from tests.docs.pages import DOCS, lay_out, run_page

matplotlib.style.use(DOCS / "honem.mplstyle")
for name in sys.argv[1:]:
    page = Path(name).resolve()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        run_page(page, lay_out(page, Path(folder)))
        for picture in Path(folder).glob("*.png"):
            shutil.copy(picture, DOCS / "images")
            print(DOCS / "images" / picture.name)
