"""The page as a file: complete, closed to the network, and built from the sources beside it."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from honem import HONEM
from honem.explore import PageServer, Source, content_of, explore, page_of
from honem.explore.content import Options
from honem.explore.packing import unpack
from tests.io.formats.nasty import nasty_corpus

STATIC = Path(__file__).parents[2] / "src" / "honem" / "explore" / "static"
WEB = Path(__file__).parents[2] / "web"


def policy_of(page: str) -> str:
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert found
    return found[1]


def test_only_the_page_s_own_script_and_style_may_run(city_page: Path) -> None:
    page = city_page.read_text(encoding="utf-8")
    policy = policy_of(page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "connect-src 'none'" in policy
    for kind, pattern in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
        (content,) = re.findall(pattern, page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_names_stand_nowhere_in_the_text_of_a_page(tmp_path: Path) -> None:
    model = HONEM(3).fit(nasty_corpus())
    page = explore((model.embedding_, model.rules_, {}), tmp_path / "page.html", projection="pca").read_text("utf-8")
    assert "alert(" not in page
    (packed,) = re.findall(r'id="part-map">([^<]*)<', page)
    assert unpack(base64.b64decode(packed))[0]["names"] == list(model.embedding_.nodes)


def test_a_title_is_text(city_model: HONEM) -> None:
    page = page_of("</title><script>alert(1)</script>", {})
    assert "<script>alert" not in page


def test_five_thousand_nodes_fit_into_five_megabytes(wikispeedia_page: Path) -> None:
    assert wikispeedia_page.stat().st_size < 5e6


def test_the_committed_files_are_what_the_sources_build(tmp_path: Path) -> None:
    if shutil.which("node") is None or not (WEB / "node_modules").is_dir():
        pytest.skip("no Node or no node_modules here: cd web && npm ci")
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=WEB, check=True, timeout=120)
    for built in tmp_path.iterdir():
        assert built.read_bytes() == (STATIC / built.name).read_bytes(), f"{built.name}: cd web && npm run build"


def test_a_server_gives_page_and_parts_to_this_machine_only(city_model: HONEM) -> None:
    parts = content_of(Source(city_model.embedding_, city_model.rules_), Options(projection="pca"))
    page = page_of("city")
    assert "connect-src 'self'" in policy_of(page)
    with PageServer() as server:
        server.show(page, parts)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert server.address.startswith("http://127.0.0.1:")
        assert urllib.request.urlopen(server.address).read().decode() == page
        assert urllib.request.urlopen(f"{server.address}data/rules").read() == parts["rules"]
        for path, headers, code in (("data/../x", {}, 404), ("", {"Host": "evil.example"}, 403)):
            request = urllib.request.Request(server.address + path, headers=headers)
            with pytest.raises(urllib.error.HTTPError, match=str(code)):
                urllib.request.urlopen(request)
        server.shutdown()
