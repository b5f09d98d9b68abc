"""The page served on this machine alone, its data asked for part by part."""

from __future__ import annotations

from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from honem.errors import OutputError

HOST = "127.0.0.1"


class PageServer(ThreadingHTTPServer):
    """Serves the page that it is shown, and its parts; a port of 0 is any that is free."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        self.answers: dict[str, tuple[str, bytes]] = {}
        try:
            super().__init__((HOST, port), PageHandler)
        except (OSError, OverflowError) as error:
            raise OutputError(f"port {port} cannot be used: {error}; choose another, or 0 for any") from None

    def show(self, page: str, parts: Mapping[str, bytes]) -> None:
        """From now on, this."""
        self.answers = {"/": ("text/html; charset=utf-8", page.encode())}
        self.answers |= {f"/data/{name}": ("application/octet-stream", part) for name, part in parts.items()}

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/"


class PageHandler(BaseHTTPRequestHandler):
    """Gives what the server has, to those who asked for this machine by its own name."""

    server: PageServer

    def do_GET(self) -> None:
        """The page, or one of its parts."""
        # A page from elsewhere whose name was made to lead here could otherwise read the data.
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
        """Say nothing: the terminal is for the address."""
