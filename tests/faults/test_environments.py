"""Other locales, users and file systems: the same results, or one line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import honem
from tests.faults.running import Outcome, run, run_process

ASCII_LOCALE = {"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
NO_HOME = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", "NUMBA_CACHE_DIR": "/dev/null/numba"}


AS_NOBODY = (
    *("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"),
    *("--inh-caps=-all,+dac_read_search", "--ambient-caps=+dac_read_search"),
)
"""Run a command as a user who may write nowhere, but read everything: Python may be in a folder closed to others."""


def embedded(paths: Path, place: Path, environment: dict[str, str], prefix: Sequence[str] = ()) -> Outcome:
    words = ("embed", str(paths), "-o", str(place), "--dim", "3")
    return run_process(*words, environment=environment, prefix=prefix).check()


def files_of(store: Path) -> dict[str, bytes]:
    """The content of all files but the manifest, which holds times, and labels, which not every store here has."""
    return {
        path.name: path.read_bytes() for path in store.iterdir() if not path.name.startswith(("manifest", "labels-"))
    }


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
def nobody() -> Sequence[str]:
    """Run a command as a user without rights; only root can become one."""
    if sys.platform != "linux" or os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv")
    if subprocess.run([*AS_NOBODY, "true"], check=False).returncode:
        pytest.skip("root may not change the user here")
    return AS_NOBODY


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that others may read but not write; pytest closes its own folders to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_user_without_any_right_to_write(
    nobody: Sequence[str], paths: Path, made_store: Path, open_folder: Path
) -> None:
    refused = embedded(paths, open_folder / "new", NO_HOME, nobody)
    assert refused.is_refusal
    assert "is read-only; choose a place you may write to" in refused.stderr
    read = run_process("neighbors", str(made_store), "A", environment=NO_HOME, prefix=nobody).check()
    assert read.stdout == run("neighbors", made_store, "A").stdout
    assert not any(open_folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("home", ["missing", "read-only"])
def test_a_user_who_cannot_write_to_home_or_package(
    nobody: Sequence[str], home: str, paths: Path, made_store: Path, open_folder: Path
) -> None:
    (open_folder / "theirs").mkdir()
    shutil.chown(open_folder / "theirs", "nobody")
    (open_folder / "read-only").mkdir(0o555)
    environment = {"HOME": str(open_folder / home), "NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": ""}
    done = embedded(paths, open_folder / "theirs" / "new", environment, nobody)
    assert done.code == 0
    assert files_of(open_folder / "theirs" / "new") == files_of(made_store)
    assert not any((open_folder / "read-only").iterdir())
