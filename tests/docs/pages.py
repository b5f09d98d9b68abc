"""Pages of the documentation as tests need them: their files written, their examples run."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lay_out(page: Path, folder: Path) -> list[tuple[str, str]]:
    """Write the files of a page; -> its other blocks as (kind, text)."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    for _, name, text in found:
        if name:
            (folder / name).write_text(text, encoding="utf-8")
    return [(kind, text) for kind, name, text in found if not name]


def run_examples(page: Path, blocks: list[tuple[str, str]]) -> int:
    """Run the Python examples of a page, which must give what stands below them; -> how many there were."""
    text = "".join(text for kind, text in blocks if kind == "pycon")
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert not runner.failures
    return runner.tries
