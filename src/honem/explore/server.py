"""Serve the page to this machine only; its data are requested part by part."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from honem.errors import OutputError

logger = logging.getLogger(__name__)

HOST = "127.0.0.1"
LONGEST_SILENCE = 60.0
"""Seconds after which a connection is closed on which nothing happens; each of them has a thread."""


class PageServer(ThreadingHTTPServer):
    """Serves one page and the parts of its data; port 0 is any free port."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        self.answers: dict[str, tuple[str, bytes]] = {}
        try:
            super().__init__((HOST, port), PageHandler)
        except (OSError, OverflowError) as error:
            raise OutputError(f"port {port} cannot be used: {error}; choose another, or 0 for any free port") from None

    def show(self, page: str, parts: Mapping[str, bytes]) -> None:
        """Replace the page and the parts that are served."""
        self.answers = {"/": ("text/html; charset=utf-8", page.encode())}
        self.answers |= {f"/data/{name}": ("application/octet-stream", part) for name, part in parts.items()}

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep serving; a client that went away, or took too long, is not worth a message."""
        error = sys.exception()
        if not isinstance(error, OSError):
            logger.error("a request could not be answered: %r", error)

    @property
    def address(self) -> str:
        """The URL of the page."""
        return f"http://{HOST}:{self.server_port}/"


class PageHandler(BaseHTTPRequestHandler):
    """Answers requests whose Host header is this machine."""

    server: PageServer
    timeout = LONGEST_SILENCE

    def do_GET(self) -> None:
        """Send the page or one of its parts."""
        # Without this check, a web site could read the data by DNS rebinding.
        if self.headers.get("Host") not in {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}:
            self.send_error(403)
            return
        answer = self.server.answers.get(self.path.partition("?")[0])
        if answer is None:
            self.send_error(404)
            return
        kind, content = answer
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the terminal shows the address only."""
