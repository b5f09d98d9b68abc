"""A PostgreSQL server of their own for tests, where the programs of PostgreSQL are installed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

UNPRIVILEGED = ("postgres", "nobody")
PASSWORD = "s3cr et@/:"


def find_programs() -> Path:
    """Return the folder of `initdb` and `postgres`, or skip the test."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = next((folder for folder in folders if (folder / "initdb").is_file()), None)
    if found is None:
        pytest.skip("PostgreSQL is not installed: there is no initdb on PATH or in /usr/lib/postgresql/*/bin")
    return found


@contextmanager
def running_server(folder: Path) -> Iterator[str]:
    """Start a server in a new folder, and yield its URL with a password that needs quoting."""
    programs, prefix = find_programs(), _as_other_user(folder)
    (folder / "password").write_text(PASSWORD)
    data = folder / "data"
    init = [programs / "initdb", "-D", data, "-U", "honem", "-A", "scram-sha-256", f"--pwfile={folder / 'password'}"]
    subprocess.run([*prefix, *map(str, init), "--no-sync"], check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([*prefix, str(programs / "postgres"), "-D", str(data), *options], stderr=log)
    try:
        _wait_for(port, server, folder / "log")
        yield f"postgresql://honem:s3cr%20et%40%2F%3A@127.0.0.1:{port}/postgres"
    finally:
        server.terminate()
        server.wait(timeout=30)


def _as_other_user(folder: Path) -> list[str]:
    """Return what to put before a command, since the server refuses to run as root; the folder then belongs to it."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL does not run as root, and there is no setpriv to run it as another user")
    user = next(pwd.getpwnam(name) for name in UNPRIVILEGED if name in {one.pw_name for one in pwd.getpwall()})
    os.chown(folder, user.pw_uid, user.pw_gid)
    for parent in folder.parents:
        if parent.stat().st_uid == 0 and parent.name.startswith("pytest"):
            parent.chmod(parent.stat().st_mode | 0o011)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if server.poll() is not None:
            pytest.fail(f"PostgreSQL did not start: {log.read_text()[-500:]}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("PostgreSQL did not start in 30 s")
