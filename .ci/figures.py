"""Run the examples of a page of the documentation, and put the figures that it saves into docs/images.

python .ci/figures.py docs/get-started.md
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

from tests.docs.pages import DOCS, lay_out, run_examples

for name in sys.argv[1:]:
    page = Path(name).resolve()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        run_examples(page, lay_out(page, Path(folder)))
        for picture in Path(folder).glob("*.png"):
            shutil.copy(picture, DOCS / "images")
            print(DOCS / "images" / picture.name)
