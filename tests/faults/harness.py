"""Seeded mutations of files, and a process that runs commands on them: it may crash or hang, and that is reported."""

from __future__ import annotations

import contextlib
import io
import random
import signal
import struct
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection

from tests.faults.running import one_parser

SECONDS = 20.0
"""How long one command may take on a small file."""

INTERESTING = (0, 1, 2, 0x7F, 0x80, 0xFF, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)

Mutation = Callable[[bytearray, random.Random], None]


def flip_bit(data: bytearray, rng: random.Random) -> None:
    """Flip one bit."""
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def set_byte(data: bytearray, rng: random.Random) -> None:
    """Replace one byte."""
    data[rng.randrange(len(data))] = rng.randrange(256)


def set_number(data: bytearray, rng: random.Random) -> None:
    """Overwrite one, two, four or eight bytes by a number at the limits of some type."""
    code, width = rng.choice((("B", 1), ("H", 2), ("I", 4), ("Q", 8)))
    at = rng.randrange(max(1, len(data) - width + 1))
    if rng.random() < 0.5:
        at -= at % width
    data[at : at + width] = struct.pack(f"<{code}", rng.choice(INTERESTING) % 2 ** (8 * width))


def cut_off(data: bytearray, rng: random.Random) -> None:
    """Remove the end."""
    del data[rng.randrange(len(data)) :]


def remove_part(data: bytearray, rng: random.Random) -> None:
    """Remove some bytes."""
    at = rng.randrange(len(data))
    del data[at : at + rng.randrange(1, 33)]


def repeat_part(data: bytearray, rng: random.Random) -> None:
    """Repeat some bytes."""
    at = rng.randrange(len(data))
    data[at:at] = data[at : at + rng.randrange(1, 65)] * rng.randrange(1, 5)


def insert_noise(data: bytearray, rng: random.Random) -> None:
    """Insert random bytes."""
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.randbytes(rng.randrange(1, 17))


def insert_syntax(data: bytearray, rng: random.Random) -> None:
    """Insert what means something in a text format."""
    signs = (b'"', b"\n", b"\r", b"\r\n", b",", b"\t", b"\0", b"[", b"{", b"}", b"]", b"\\u", b"\xef\xbb\xbf")
    numbers = (b"1e999", b"-1", b"nan", b"9223372036854775808", b"0.5", b"null", b"1e-300", b"18446744073709551616")
    markup = (
        b"<",
        b">",
        b"/>",
        b"&a;",
        b"&#0;",
        b"<!DOCTYPE a>",
        b"]]>",
        b"<!--",
        b"<event>",
        b"</trace>",
        b' encoding="a"',
    )
    times = (b"31/02/2024", b"0000-00-00", b"T25:00", b"+9999", b"%", b"/")
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice(signs + numbers + markup + times)


IN_PLACE: tuple[Mutation, ...] = (flip_bit, set_byte, set_number)
MUTATIONS = (*IN_PLACE * 4, cut_off, remove_part, repeat_part, insert_noise, insert_syntax)
"""Mostly those that move nothing: a binary file in which something moved is refused at once."""


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Apply one to four mutations."""
    mutated = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        if mutated:
            rng.choice(MUTATIONS)(mutated, rng)
    return bytes(mutated)


@dataclass(frozen=True)
class Outcome:
    """How a command ended: its exit code, what it printed to stderr, and a traceback, signal or timeout if any."""

    code: int | None
    messages: str = ""
    fault: str = ""

    @property
    def problem(self) -> str:
        """What is wrong with this outcome; empty if nothing is."""
        if self.fault:
            return self.fault
        if self.code not in (0, 2):
            return f"exit code {self.code}"
        errors = [line for line in self.messages.splitlines() if line.startswith(("honem: error:", "Traceback"))]
        if self.code == 2 and (len(errors) != 1 or not self.messages.rstrip("\n").endswith(errors[0])):
            return f"not one line of error: {self.messages!r}"
        return f"error with exit code 0: {errors[0]}" if self.code == 0 and errors else ""


def run_command(arguments: list[str]) -> Outcome:
    """Run one command of honem in this process."""
    from honem.cli import main

    messages, results = io.StringIO(), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stderr(messages), contextlib.redirect_stdout(results):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        except BaseException:
            return Outcome(None, messages.getvalue(), traceback.format_exc())
    return Outcome(code, messages.getvalue())


def serve(connection: Connection) -> None:
    """Run the commands that come in until there are no more."""
    with one_parser(), contextlib.suppress(EOFError):
        while True:
            connection.send(run_command(connection.recv()))


class Runner:
    """Runs commands in another process, which is replaced when a command kills it or takes too long.

    One process for all of them, because importing honem and loading its kernels takes longer than most commands.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.context = get_context("forkserver")
        self.context.set_forkserver_preload(["honem.cli", "honem.io.paths.formats", "pyarrow.parquet", "pyarrow.csv"])
        self._start()

    def _start(self) -> None:
        self.connection, other = self.context.Pipe()
        self.process = self.context.Process(target=serve, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def run(self, arguments: list[str]) -> Outcome:
        """Run one command."""
        self.connection.send(arguments)
        if not self.connection.poll(self.seconds):
            self.process.kill()
            return self._replaced(f"no end after {self.seconds:g} s")
        try:
            outcome: Outcome = self.connection.recv()
        except EOFError:
            return self._replaced("")
        return outcome

    def _replaced(self, fault: str) -> Outcome:
        self.process.join()
        code = self.process.exitcode or 0
        self._start()
        return Outcome(None, fault=fault or f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit {code}")

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.join(5)
        self.process.kill()


def problems(runner: Runner, cases: Iterable[tuple[str, list[str]]]) -> Iterator[str]:
    """Run named commands and yield what is wrong with their outcomes."""
    for name, arguments in cases:
        problem = runner.run(arguments).problem
        if problem:
            yield f"{name}: {problem}"
