"""`honem explore` as a user runs it."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from honem import HONEM
from honem.cli import explore
from honem.errors import InputError, OutputError, ParameterError
from honem.io.store import load

TRIPS = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20


@pytest.fixture
def store(tmp_path: Path) -> Path:
    model = HONEM(n_components=2).fit(TRIPS)
    model.save(tmp_path / "vectors")
    return tmp_path / "vectors"


def run(*words: object) -> None:
    parser = argparse.ArgumentParser()
    explore.add_command(parser.add_subparsers())
    args = parser.parse_args([str(word) for word in ("explore", *words)])
    args.run(args)


def test_a_page_stands_beside_the_store_and_leaves_it_whole(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(store, "--projection", "pca")
    assert (store.parent / "vectors.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "vectors.html" in capsys.readouterr().err
    load(store)
    run(store, "--projection", "pca", "-o", store.parent / "other.html")
    assert (store.parent / "other.html").read_bytes() == (store.parent / "vectors.html").read_bytes()


def test_what_makes_no_page_is_refused(store: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="--serve writes no file"):
        run(store, "--serve", "-o", "page.html")
    with pytest.raises(ParameterError, match="columns lon and lat of labels; the model has no labels"):
        run(store, "--coordinates", "--projection", "pca")
    with pytest.raises(ParameterError, match="is a column of labels; give labels"):
        run(store, "--names", "port", "--projection", "pca")
    with pytest.raises(InputError, match="no folder"):
        run(tmp_path / "nowhere")
    with pytest.raises(SystemExit):
        run(store, "--serve", "--port", 99999)
    with pytest.raises(OutputError):
        run(store, "-o", tmp_path / "no folder" / "page.html")


def test_serving_ends_with_ctrl_c(store: Path) -> None:
    command = [sys.executable, "-m", "honem", "explore", str(store), "--serve", "--projection", "pca"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        address = served.stdout.readline().split()[0]
        assert b"honem" in urllib.request.urlopen(address).read()
        served.send_signal(signal.SIGINT)
        assert served.wait(30) == 130
