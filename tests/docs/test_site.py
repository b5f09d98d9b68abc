"""The documentation site: it builds without warnings, its links lead somewhere, and it documents every public name."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import honem
from tests.docs.pages import DOCS

CHECK_SITE = DOCS.parent / ".ci" / "check_site.py"


def test_every_public_name_is_on_one_page_of_the_reference() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.md")]
    documented = [name for page in pages for name in re.findall(r"^\.\. auto\w+:: honem\.(\w+)$", page, re.MULTILINE)]
    assert sorted(documented) == sorted(set(honem.__all__) - {"__version__", "datasets"})


def check(site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, CHECK_SITE, site], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="other.html">', "index.html: other.html leads nowhere"),
        ('<a href="#there">', "index.html: #there leads nowhere"),
        ('<a href="index.html#there">', "index.html: index.html#there leads nowhere"),
        ('<img src="picture.png">', "index.html: picture.png leads nowhere"),
        ('<script src="//example.org/x.js">', "index.html: loads //example.org/x.js from the network"),
        ('<p id="there"><a href="#there"><a href="index.html#there"><a href="https://example.org/x">', ""),
    ],
)
def test_the_check_of_links(tmp_path: Path, body: str, problem: str) -> None:
    (tmp_path / "index.html").write_text(body, encoding="utf-8")
    done = check(tmp_path)
    assert (done.returncode, done.stderr.strip()) == (int(bool(problem)), problem)


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("sphinx"), reason="needs the packages of the group docs: make docs")
def test_the_site_builds_without_warnings_and_without_the_network(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "-d", str(tmp_path / "trees"), str(DOCS)]
    done = subprocess.run([*build, tmp_path / "site"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert check(tmp_path / "site").stderr == ""
