"""Run commands on what is damaged or hostile: they give a result, or one line and exit code 2, and no traceback."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

import pytest

from honem.cli import main

ROUNDS = int(os.environ.get("HONEM_FUZZ_ROUNDS", "1"))
"""How many times as many cases the fuzzers try as in the quick tests; `make fuzz` sets it."""


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    arguments: Sequence[str]
    code: int
    stdout: bytes
    stderr: str

    @property
    def is_refusal(self) -> bool:
        """Whether the command ended with exit code 2 and one line."""
        return self.code == 2

    def check(self) -> Outcome:
        """Fail unless this is a result, or an error of one line without a result."""
        said = f"{self.arguments}: exit code {self.code}\n{self.stderr[-2000:]}"
        assert self.code in (0, 2), said
        assert "Traceback" not in self.stderr, said
        errors = [line for line in self.stderr.splitlines() if ": error: " in line]
        assert len(errors) == (self.code == 2), said
        assert self.code == 0 or self.stdout == b"", said
        return self


def run(*arguments: object, encoding: str = "utf-8") -> Outcome:
    """Run a command in this process; any exception but SystemExit comes through and fails the test."""
    words = [str(argument) for argument in arguments]
    with _captured(encoding) as (stdout, stderr):
        try:
            code = main(words)
        except SystemExit as left:
            code = int(left.code or 0)
    return Outcome(words, code, stdout.getvalue(), stderr.getvalue()).check()


@contextlib.contextmanager
def one_parser() -> Iterator[None]:
    """Build the parser of all commands once: it takes longer than most commands on a small file."""
    module = import_module("honem.cli.main")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "build_parser", cache(module.build_parser))
        yield


@contextlib.contextmanager
def _captured(encoding: str) -> Iterator[tuple[io.BytesIO, io.StringIO]]:
    bytes_out, stderr = io.BytesIO(), io.StringIO()
    stdout = io.TextIOWrapper(bytes_out, encoding=encoding, write_through=True)
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr), warnings.catch_warnings():
        yield bytes_out, stderr
        stdout.flush()
    stdout.detach()


def run_process(
    *arguments: str | bytes,
    environment: Mapping[str, str] | None = None,
    redirections: str = "",
    prefix: Sequence[str] = (),
) -> Outcome:
    """Run a command in a process of its own: with environment variables, redirections of the shell, or by a program."""
    words = [argument if isinstance(argument, bytes) else argument.encode() for argument in arguments]
    shell = (*prefix, "sh", "-c", f'exec "$@" {redirections}', "sh")
    command: list[str | bytes] = [*shell, sys.executable, "-m", "honem", *words]
    done = subprocess.run(
        command,
        capture_output=True,
        env={**os.environ, "PYTHONUTF8": "1", **(environment or {})},
        timeout=300,
        check=False,
    )
    return Outcome([repr(word) for word in words], done.returncode, done.stdout, done.stderr.decode(errors="replace"))
