"""Other locales, users and file systems: the same results, or one line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import honem
from tests.faults.running import Outcome, run, run_process

ASCII_LOCALE = {"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
NO_HOME = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", "NUMBA_CACHE_DIR": "/dev/null/numba"}


def embedded(paths: Path, place: Path, environment: dict[str, str], user: str | None = None) -> Outcome:
    return run_process("embed", str(paths), "-o", str(place), "--dim", "3", environment=environment, user=user).check()


def files_of(store: Path) -> dict[str, bytes]:
    """The content of all files but the manifest, which holds times."""
    return {path.name: path.read_bytes() for path in store.iterdir() if path.name != "manifest.json"}


def test_the_locale_does_not_matter(made_store: Path, paths: Path, tmp_path: Path) -> None:
    """Names in files are UTF-8 whatever the locale is; only what is printed for people needs its encoding."""
    assert embedded(paths, tmp_path / "new", ASCII_LOCALE).code == 0
    assert files_of(tmp_path / "new") == files_of(made_store)
    asked = ("export", str(tmp_path / "new"), "-o", "-", "--what", "rules", "--format", "jsonl")
    assert run_process(*asked, environment=ASCII_LOCALE).check().stdout == run(*asked).stdout
    found = run_process("neighbors", str(made_store), "é", "--json", environment=ASCII_LOCALE).check()
    assert json.loads(found.stdout) == json.loads(run("neighbors", made_store, "é", "--json").stdout)
    refused = run_process("neighbors", str(made_store), "é", environment=ASCII_LOCALE).check()
    assert "in its encoding, ascii" in refused.stderr


def test_the_c_locale_of_a_bare_container(made_store: Path) -> None:
    usual = run("neighbors", made_store, "é")
    bare = {"LC_ALL": "", "LANG": "C", "PYTHONUTF8": ""}
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "PYTHONIO"))}
    done = subprocess.run(
        [sys.executable, "-m", "honem", "neighbors", str(made_store), "é"],
        capture_output=True,
        env=environment | bare,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, usual.stdout)


@pytest.mark.slow
def test_no_folder_for_compiled_code(paths: Path, made_store: Path, tmp_path: Path) -> None:
    """Neither the package's folders nor the home can be written; a file in the place of each stops root as well."""
    package = tmp_path / "site" / "honem"
    shutil.copytree(Path(honem.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (package, *(path for path in package.rglob("*") if path.is_dir())):
        (folder / "__pycache__").touch()
    environment = {**NO_HOME, "PYTHONPATH": str(package.parent)}
    done = embedded(paths, tmp_path / "new", environment)
    assert done.code == 0
    assert "compiling honem's kernels" in done.stderr
    assert files_of(tmp_path / "new") == files_of(made_store)


@pytest.fixture
def nobody() -> str:
    """A user who may write nowhere; only root can become it, and it must be allowed to run this Python."""
    if sys.platform != "linux" or os.getuid() != 0:
        pytest.skip("only root can run commands as nobody")
    if run_process("--version", user="nobody").code:
        pytest.skip("nobody may not run this Python")
    return "nobody"


@pytest.fixture
def open_folder(paths: Path, made_store: Path, tmp_path: Path) -> Path:
    """A folder that others may read but not write; the fixtures' folders are made readable too."""
    for folder in (tmp_path, *tmp_path.parents[:2], *made_store.parents[:2], *paths.parents[:2]):
        folder.chmod(0o755)
    return tmp_path


def test_a_user_without_any_right_to_write(nobody: str, paths: Path, made_store: Path, open_folder: Path) -> None:
    assert embedded(paths, open_folder / "new", NO_HOME, nobody).is_refusal
    read = run_process("neighbors", str(made_store), "A", environment=NO_HOME, user=nobody).check()
    assert read.stdout == run("neighbors", made_store, "A").stdout
    assert not any(open_folder.iterdir())


@pytest.mark.slow
def test_a_user_without_a_home(nobody: str, paths: Path, made_store: Path, open_folder: Path) -> None:
    (open_folder / "theirs").mkdir()
    shutil.chown(open_folder / "theirs", nobody)
    assert embedded(paths, open_folder / "theirs" / "new", {"HOME": "/nonexistent"}, nobody).code == 0
    assert files_of(open_folder / "theirs" / "new") == files_of(made_store)
