"""Clients that go away, say nothing, or talk nonsense: the server keeps quiet and keeps serving."""

from __future__ import annotations

import logging
import random
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from honem.explore import PageServer
from honem.explore.server import HOST, PageHandler
from tests.faults.running import ROUNDS

PAGE = "<p>a page</p>"
LARGE = bytes(range(256)) * (1 << 16)  # 16 MB, more than the system keeps for a client that does not read


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as server:
        server.show(PAGE, {"large": LARGE})
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def go_away(port: int, message: bytes, *, read: int = 0) -> None:
    """Send a message, read some of the answer, and break off the connection."""
    with socket.create_connection((HOST, port), timeout=10) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets the connection
        client.sendall(message)
        if read:
            client.recv(read)


def answer_to(port: int, message: bytes) -> bytes:
    """Send a message and return all of the answer."""
    with socket.create_connection((HOST, port), timeout=10) as client:
        try:
            client.sendall(message)
            client.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass  # the server had heard enough
        answer = b""
        try:
            while part := client.recv(1 << 16):
                answer += part
        except ConnectionError:
            pass
        return answer


def request(port: int, path: str = "/data/large") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode()


def assert_serves(address: str) -> None:
    assert urllib.request.urlopen(address, timeout=10).read().decode() == PAGE


def wait_for_threads() -> None:
    """Wait until all requests are done, so that what they print is seen."""
    for thread in threading.enumerate():
        if "process_request_thread" in thread.name:
            while thread.ident is None:  # listed, but not started yet
                time.sleep(0.001)
            thread.join(10)


def test_clients_that_go_away_are_not_worth_a_message(
    server: PageServer, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    port, whole = server.server_port, request(server.server_port)
    for read in (0, 1, 100_000) * (10 * ROUNDS):
        go_away(port, whole, read=read)
        go_away(port, whole[: len(whole) // 2])
        go_away(port, b"")
    wait_for_threads()
    assert_serves(server.address)
    assert capfd.readouterr() == ("", "")
    assert caplog.messages == []


def test_nonsense_is_answered_with_an_error_or_nothing(
    server: PageServer, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    port, chance = server.server_port, random.Random(0)
    whole = request(port, "/")
    nonsense = [
        b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET\r\n\r\n",
        b"POST / HTTP/1.1\r\n\r\n",
        b"GET " + b"/" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 300 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: " + b"x" * 70_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n",
        request(port, "/../../etc/passwd"),
        request(port, "/%2e%2e/"),
        request(port, "http://elsewhere/"),
        *(bytes(chance.choices(range(256), k=200)) + b"\r\n\r\n" for _ in range(20 * ROUNDS)),
    ]
    for _ in range(40 * ROUNDS):
        changed = bytearray(whole)
        changed[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        nonsense.append(bytes(changed))
    for message in nonsense:
        answer = answer_to(port, message)
        assert b" 200 " not in answer.split(b"\r\n")[0] or answer.endswith(PAGE.encode())
    wait_for_threads()
    assert_serves(server.address)
    assert capfd.readouterr() == ("", "")
    assert caplog.messages == []


def test_a_silent_client_is_given_up(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PageHandler, "timeout", 0.05)
    with socket.create_connection((HOST, server.server_port), timeout=10) as client:
        assert client.recv(1) == b""


def test_an_error_of_ours_is_one_line(
    server: PageServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    server.answers["/broken"] = ("text/plain", None)  # type: ignore[assignment]
    with caplog.at_level(logging.ERROR):
        assert answer_to(server.server_port, request(server.server_port, "/broken")) == b""
        wait_for_threads()
    (message,) = caplog.messages
    assert message.startswith("a request could not be answered: TypeError")
    assert "Traceback" not in capfd.readouterr().err
    assert_serves(server.address)


def test_the_command_keeps_quiet_too(made_store: Path) -> None:
    command = [sys.executable, "-m", "honem", "explore", str(made_store), "--serve", "--projection", "pca"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = process.stdout.readline().split()[0]
    port = int(address.rpartition(":")[2].strip("/"))
    for _ in range(20):
        go_away(port, request(port, "/data/map"))
    assert b"honem" in urllib.request.urlopen(address, timeout=10).read()
    process.terminate()
    assert process.communicate(timeout=30) == ("", "")
